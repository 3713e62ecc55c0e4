// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Making a sound file of a damaged one.
 *
 * The nodes hold the counts; size, current_size and the chains only say how many nodes there
 * are, and each of them can be told from the others.  So: find the layout, then the size
 * (from the descriptor, else from the length), then the number of nodes (from current_size,
 * and from the chains, which know of every node that was ever completed).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "file.h"
#include "image.h"
#include "torn.h"

/* The size that the descriptor or else the length tells; 0 if neither does. */
static uint32_t salvage_size(const struct odb_image *image)
{
	const uint8_t *descr = image->bytes + image->layout->length;
	uint32_t stated = odb_get32(descr, image->swapped);
	uint32_t used = odb_get32(descr + 4, image->swapped);
	bool fits = odb_is_size(stated) && used <= stated;

	/* The length of twice the size is that of an interrupted growth. */
	for (uint64_t size = 1; size <= ODB_SIZE_MAX; size *= 2) {
		if (image->length == odb_file_length(image->layout, (uint32_t)size) &&
		    !(fits && size == (uint64_t)stated * 2))
			return (uint32_t)size;
	}
	return odb_is_size(stated) ? stated : 0;
}

/* The last node that a bucket begins with and that belongs there; 0 if there is none. */
static uint32_t last_linked(const struct odb_image *image)
{
	uint32_t last = 0;

	if (!image->size || image->length < odb_file_length(image->layout, image->size))
		return 0;
	for (uint32_t bucket = 0; bucket < image->size; bucket++) {
		uint32_t node = odb_image_head(image, bucket);

		if (node > last && node < image->size && odb_image_value(image, node) &&
		    odb_bucket(odb_image_key(image, node), image->size) == bucket)
			last = node;
	}
	return last;
}

/* Empties what never were nodes. */
static void clear_torn(struct odb_image *image, uint64_t there)
{
	uint64_t slots = image->size < there ? image->size : there;

	odb_torn_clear(image->bytes + odb_image_node(image, 0), (uint32_t)slots, image->swapped);
}

/*
 * Sets size, current_size (of what is there) and @lost.
 * @shape: NULL if the file has none
 * Return: 0, or -1 if there is no telling how many nodes there are.
 */
static int salvage(struct odb_image *image, const struct odb_shape *shape, uint64_t *lost)
{
	uint64_t first = odb_nodes_offset(image->layout);
	uint64_t there = image->length < first ? 0 : (image->length - first) / ODB_NODE_LENGTH;
	uint32_t stated = odb_get32(image->bytes + image->layout->length + 4, image->swapped);
	uint64_t most, count;
	uint32_t linked;

	image->size = shape ? shape->size : salvage_size(image);
	clear_torn(image, there);
	most = image->size ? image->size : there;
	/* With another length, the buckets are not where they belong. */
	linked = shape && (shape->cut || shape->growing) ? 0 : last_linked(image);
	count = stated && stated <= most ? stated : 0;
	*lost = 0;
	if (shape) {
		count = shape->current_size;
		*lost = stated - count;
	}
	if (linked && count < (uint64_t)linked + 1)
		count = (uint64_t)linked + 1;
	if (!count)
		return -1;
	if (count > there) {
		*lost = count - (there ? there : 1);
		count = there ? there : 1;
	}
	image->current_size = (uint32_t)count;
	return 0;
}

/* Return: 0, or -1 when out of memory. */
static int rebuild(const struct odb_image *damaged, struct odb_image *sound,
		   struct odb_repair *result)
{
	uint64_t descr = damaged->layout->length;
	struct odb_shape shape = {.layout = damaged->layout, .swapped = damaged->swapped};
	struct odb_header header;
	uint32_t size = damaged->size;

	/* The header says more slots than the file has room for: take as many as it uses. */
	if (!size || damaged->length < odb_file_length(damaged->layout, size)) {
		for (size = ODB_FIRST_SIZE; size < damaged->current_size; size *= 2)
			;
	}
	*sound = (struct odb_image){
		.layout = damaged->layout,
		.swapped = damaged->swapped,
		.size = size,
		.current_size = 1,
		.length = odb_file_length(damaged->layout, size),
	};
	if (sound->length > SIZE_MAX - ODB_HEAD_MAX)
		return -1;
	sound->bytes = calloc(1, sound->length + ODB_HEAD_MAX);
	if (!sound->bytes)
		return -1;
	memcpy(sound->bytes, damaged->bytes, descr);
	odb_header_decode(sound->bytes, &shape, &header);
	if (!header.cpu_speed)
		odb_put64(sound->bytes + damaged->layout->cpu_speed, false, 0);
	for (uint32_t node = 1; node < damaged->current_size; node++) {
		uint32_t value = odb_image_value(damaged, node);

		if (!value) {
			result->emptied++;
			continue;
		}
		odb_image_put(sound, odb_image_key(damaged, node), value);
		result->kept++;
		result->sum += value;
	}
	odb_put32(sound->bytes + descr, sound->swapped, size);
	odb_put32(sound->bytes + descr + 4, sound->swapped, sound->current_size);
	return 0;
}

static void sync_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(directory);
}

/* Puts @sound in the place of the file at @path that is open as @old. */
static int replace(const char *path, int old, const struct odb_image *sound,
		   struct odb_error *error)
{
	struct stat status;
	char *temporary;
	int fd = odb_file_new(path, &temporary, error);

	if (fd < 0)
		return -1;
	if (odb_file_write(fd, sound->bytes, sound->length) || fstat(old, &status) ||
	    fchmod(fd, status.st_mode & 07777) || fsync(fd)) {
		odb_fail_errno(error, path, "cannot write a sound copy");
		goto err_unlink;
	}
	/* Only root can give files away; other users that may write here repair all the same. */
	if (fchown(fd, status.st_uid, status.st_gid) && errno != EPERM) {
		odb_fail_errno(error, path, "cannot give the sound copy its owner");
		goto err_unlink;
	}
	if (odb_file_publish(temporary, path, true, error))
		goto err_unlink;
	sync_directory(path);
	close(fd);
	free(temporary);
	return 0;

err_unlink:
	unlink(temporary);
	close(fd);
	free(temporary);
	return -1;
}

/* @real is @path without symbolic links, of which replacing the last one would not do. */
static int repair_open(const char *path, const char *real, int fd, struct odb_repair *result,
		       struct odb_error *error)
{
	struct odb_findings findings = {.report = NULL};
	struct odb_image damaged, sound = {.bytes = NULL};
	struct odb_problem problem;
	uint8_t head[ODB_HEAD_MAX];
	struct odb_shape shape;
	uint64_t length;
	bool probed;
	int code = -1;

	probed = !odb_file_probe(fd, head, &length, &shape, &problem);
	if (!probed && errno)
		return odb_fail(error, errno, path, "%s", problem.text);
	damaged.layout = odb_guess(head, length, &damaged.swapped, &problem);
	if (!damaged.layout)
		return odb_fail(error, EINVAL, path, "byte %llu: %s; that is beyond repair",
				(unsigned long long)problem.offset, problem.text);
	if (odb_image_load(&damaged, fd, path, length, error))
		return -1;
	if (salvage(&damaged, probed ? &shape : NULL, &result->lost)) {
		odb_fail(error, EINVAL, path,
			 "byte %u: neither current_size nor the chains tell "
			 "how many nodes there are; that is beyond repair",
			 damaged.layout->length + 4u);
		goto out_free;
	}
	if (probed) {
		struct odb_image as_is = damaged;

		as_is.size = shape.size;
		as_is.current_size = shape.current_size;
		if (odb_image_check(&as_is, &shape, false, &findings)) {
			odb_fail_memory(error, path);
			goto out_free;
		}
	}
	result->changed = !probed || findings.count || findings.harmless;
	if (rebuild(&damaged, &sound, result)) {
		odb_fail(error, ENOMEM, path, "no memory for a sound copy");
		goto out_free;
	}
	code = result->changed ? replace(real, fd, &sound, error) : 0;
out_free:
	free(sound.bytes);
	free(damaged.bytes);
	return code;
}

int odb_repair(const char *path, struct odb_repair *result, struct odb_error *error)
{
	struct odb_repair done = {.changed = false};
	struct stat status;
	int fd, code = -1;
	/* other links on the way are followed now as later: a path may be that of a descriptor */
	char *real = !lstat(path, &status) && S_ISLNK(status.st_mode) ? realpath(path, NULL)
								      : strdup(path);

	if (!real)
		return odb_fail_errno(error, path, "cannot open");
	fd = odb_file_open(path, O_RDWR, error);
	if (fd < 0)
		goto out_free;
	if (odb_file_lock(fd, path, error))
		goto out_close;
	if (!odb_file_is_at(fd, real)) {
		odb_fail(error, EBUSY, path, "was replaced meanwhile");
		goto out_close;
	}
	code = repair_open(path, real, fd, &done, error);
	if (!code)
		*result = done;
out_close:
	close(fd);
out_free:
	free(real);
	return code;
}
