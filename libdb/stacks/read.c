// SPDX-License-Identifier: GPL-2.0-or-later
/* Stack files for readers, check and repair: see stacks.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/odb/error.h"
#include "libdb/odb/file.h"
#include "stacks.h"
#include "layout.h"
#include "scan.h"
#include "torn.h"

bool stacks_is_file(const char *path)
{
	char magic[sizeof(STACKS_MAGIC) - 1];
	int fd = odb_file_open(path, O_RDONLY, NULL);
	bool is;

	if (fd < 0)
		return false;
	is = odb_file_read(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	     !memcmp(magic, STACKS_MAGIC, sizeof(magic));
	close(fd);
	return is;
}

static int stacks_bytes_load(struct stacks_bytes *bytes, const char *path, struct odb_error *error)
{
	int fd = odb_file_open(path, O_RDONLY, error), result;

	if (fd < 0)
		return -1;
	result = stacks_torn_load(bytes, fd, path, error);
	close(fd);
	return result;
}

/* ---- reading ---- */

static int stacks_content_take_image(struct stacks_content *content,
				     const struct stacks_bytes *bytes, uint32_t at)
{
	const struct stacks_unit *unit = &bytes->units[at];
	struct stacks_name *image = &content->images[unit->image];
	size_t length;
	const char *name = stacks_name_at(bytes, at, &length);

	image->name = strndup(name, length);
	image->flags = unit->offset_low >> 16;
	image->mtime = unit->count;
	return image->name ? 0 : -1;
}

/* @index: by unit, of the nodes. */
static int take_all(struct stacks_content *content, const struct stacks_bytes *bytes,
		    uint32_t *index)
{
	for (uint32_t at = 0; at < bytes->n; at++) {
		const struct stacks_unit *unit = &bytes->units[at];

		if (bytes->sound[at] == STACKS_IMAGE &&
		    stacks_content_take_image(content, bytes, at))
			return -1;
		if (bytes->sound[at] != STACKS_NODE)
			continue;
		index[at] = (uint32_t)content->n_nodes;
		content->nodes[content->n_nodes++] = (struct stacks_node){
			.parent = at ? index[unit->parent] : 0,
			.image = unit->image,
			.offset = stacks_offset(unit),
			.count = unit->count,
		};
	}
	content->nodes[0].count += bytes->header.unplaced;
	return 0;
}

int stacks_read(struct stacks_content *content, const char *path, struct odb_error *error)
{
	struct stacks_first_problem first = {.any = false};
	struct stacks_bytes bytes;
	struct odb_error ignored;
	uint32_t *index = NULL;
	int result = -1;

	if (!error)
		error = &ignored;
	*content = (struct stacks_content){0};
	if (stacks_bytes_load(&bytes, path, error))
		return -1;
	if (stacks_scan(&bytes, stacks_keep_first, &first)) {
		odb_fail_problem(error, path, &first.problem);
		goto out;
	}
	content->nodes = calloc(bytes.n, sizeof(*content->nodes));
	content->images = calloc(bytes.n_images, sizeof(*content->images));
	content->n_images = bytes.n_images;
	content->merged = bytes.header.merged;
	index = calloc(bytes.n, sizeof(*index));
	if (content->nodes && content->images && index)
		result = take_all(content, &bytes, index);
	if (result) {
		odb_fail_memory(error, path);
		stacks_content_free(content);
	}
out:
	free(index);
	stacks_bytes_free(&bytes);
	return result;
}

void stacks_content_free(struct stacks_content *content)
{
	for (size_t i = 0; content->images && i < content->n_images; i++)
		free(content->images[i].name);
	free(content->images);
	free(content->nodes);
	*content = (struct stacks_content){0};
}

/* ---- check and repair ---- */

ptrdiff_t stacks_check(const char *path, odb_report *report, void *context, struct odb_error *error)
{
	struct stacks_bytes bytes;
	struct odb_error ignored;
	ptrdiff_t problems;

	if (stacks_bytes_load(&bytes, path, error ? error : &ignored))
		return -1;
	problems = stacks_scan(&bytes, report, context);
	stacks_bytes_free(&bytes);
	return problems;
}

/* Copies what is sound to a new file.  Return: 0, or -1 with @error set. */
static int copy(const struct stacks_bytes *bytes, int fd, const char *path,
		struct odb_repair *result, struct odb_error *error)
{
	struct stacks_header header = bytes->header;
	struct stacks_unit *units = calloc((size_t)bytes->n + 1, sizeof(*units));
	uint32_t *index = calloc((size_t)bytes->n + 1, sizeof(*index)), n = 1, text = 0, zero = 0;
	uint16_t *image = calloc((size_t)bytes->n_images + 1, sizeof(*image)), images = 1;
	int code = -1;

	if (!units || !index || !image) {
		odb_fail_memory(error, path);
		goto out;
	}
	units[0].parent = STACKS_IS_ROOT;
	if (bytes->n && bytes->sound[0] == STACKS_NODE)
		units[0] = bytes->units[0];
	result->sum = units[0].count + header.unplaced;
	for (uint32_t at = 1; at < bytes->n; at++) {
		const struct stacks_unit *unit = &bytes->units[at];

		if (text) {
			units[n++] = *unit;
			text--;
		} else if (bytes->sound[at] == STACKS_IMAGE) {
			text = unit->offset_high;
			units[n] = *unit;
			units[n++].image = image[unit->image] = images++;
		} else if (zero && stacks_torn_is_zero(unit)) {
			index[at] = zero;
		} else if (bytes->sound[at] == STACKS_NODE &&
			   bytes->sound[unit->parent] == STACKS_NODE &&
			   (!unit->image || image[unit->image])) {
			index[at] = n;
			if (stacks_torn_is_zero(unit))
				zero = n;
			units[n] = *unit;
			units[n].image = image[unit->image];
			units[n++].parent = index[unit->parent];
			result->sum += unit->count;
			result->kept++;
		} else if (bytes->sound[at] != STACKS_TEXT) {
			result->lost++;
			bytes->sound[at] = STACKS_BAD;
		}
	}
	result->lost += header.used - bytes->n;
	header.used = n;
	if (odb_file_write(fd, &header, sizeof(header)) ||
	    odb_file_write(fd, units, n * sizeof(*units)) || fdatasync(fd))
		odb_fail_errno(error, path, "cannot write");
	else
		code = 0;
out:
	free(units);
	free(index);
	free(image);
	return code;
}

static void keep_owner(int fd, const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return;
	/* without permission the file stays readable, for a user with permission to repair */
	if (fchown(fd, status.st_uid, status.st_gid))
		errno = 0;
	if (fchmod(fd, status.st_mode & 07777))
		errno = 0;
}

int stacks_repair(const char *path, struct odb_repair *result, struct odb_error *error)
{
	int fd, locked = odb_file_open(path, O_RDWR, error), code = -1;
	struct stacks_bytes bytes;
	char *temporary;

	*result = (struct odb_repair){0};
	if (locked < 0)
		return -1;
	if (odb_file_lock(locked, path, error) || stacks_torn_load(&bytes, locked, path, error)) {
		close(locked);
		return -1;
	}
	if (!stacks_scan(&bytes, NULL, NULL) && !bytes.torn) {
		code = 0;
		goto out;
	}
	fd = odb_file_new(path, &temporary, error);
	if (fd < 0)
		goto out;
	keep_owner(fd, path);
	code = copy(&bytes, fd, path, result, error);
	if (!code)
		code = odb_file_publish(temporary, path, true, error);
	if (code)
		unlink(temporary);
	result->changed = !code;
	free(temporary);
	close(fd);
out:
	stacks_bytes_free(&bytes);
	close(locked);
	return code;
}
