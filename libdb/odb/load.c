// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading many files, one after another: see odb_load(). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "file.h"
#include "header.h"
#include "torn.h"

/* Most files are smaller, so that one read(2) gets all of them. */
#define FIRST_ROOM 65536

static int odb_load_make_room(struct odb_load *load, size_t room, const char *path,
			      struct odb_error *error)
{
	uint8_t *larger;

	if (room <= load->room)
		return 0;
	larger = realloc(load->bytes, room);
	if (!larger)
		return odb_fail(error, ENOMEM, path, "no memory for %zu bytes", room);
	load->bytes = larger;
	load->room = room;
	return 0;
}

/*
 * What of the file is there at once, and its form.  A file that a writer is just doubling is
 * looked at again.
 */
static int read_start(struct odb_load *load, int fd, struct odb_shape *shape, size_t *got,
		      const char *path, struct odb_error *error)
{
	struct odb_problem problem;
	struct stat status;
	uint64_t length;
	size_t want;
	ssize_t n;

	if (fstat(fd, &status))
		return odb_fail_errno(error, path, "cannot get its status");
	if (!S_ISREG(status.st_mode))
		return odb_fail(error, S_ISDIR(status.st_mode) ? EISDIR : EINVAL, path,
				"not a regular file");
	length = (uint64_t)status.st_size;
	want = length < load->room ? length : load->room;
	n = odb_file_read(fd, load->bytes, want, 0);
	if (n < 0)
		return odb_fail_errno(error, path, "cannot read");
	*got = (size_t)n;
	/* It was cut meanwhile. */
	if (*got < want)
		length = *got;
	/* Probing looks at this many bytes, whatever the length. */
	if (*got < ODB_HEAD_MAX)
		memset(load->bytes + *got, 0, ODB_HEAD_MAX - *got);
	/* The length was read first, so a file that grew meanwhile looks as if it was cut. */
	if (!odb_probe(load->bytes, length, shape, &problem) && !shape->cut)
		return 0;
	if (odb_file_probe(fd, load->bytes, &length, shape, &problem)) {
		if (errno)
			return odb_fail(error, errno, path, "%s", problem.text);
		return odb_fail_problem(error, path, &problem);
	}
	*got = 0;
	return 0;
}

static int load_file(struct odb_load *load, int fd, const char *path, struct odb_error *error)
{
	struct odb_shape shape;
	size_t got = 0, need;
	ssize_t n;

	if (odb_load_make_room(load, FIRST_ROOM, path, error) ||
	    read_start(load, fd, &shape, &got, path, error))
		return -1;
	odb_header_decode(load->bytes, &shape, &load->header);
	load->n = shape.current_size - 1;
	load->nodes = odb_nodes_offset(shape.layout) + ODB_NODE_LENGTH;
	load->swapped = shape.swapped;
	need = load->nodes + load->n * ODB_NODE_LENGTH;
	if (got < need) {
		/* From a page on, so that each count is copied whole even while it is stored. */
		size_t start = got & ~(size_t)4095;

		if (odb_load_make_room(load, need, path, error))
			return -1;
		n = odb_file_read(fd, load->bytes + start, need - start, start);
		if (n < 0)
			return odb_fail_errno(error, path, "cannot read");
		if (start + (size_t)n < need)
			return odb_fail(error, EINVAL, path,
					"byte %zu: the file was cut while it was read",
					start + (size_t)n);
	}
	odb_torn_clear(load->bytes + odb_nodes_offset(shape.layout), shape.current_size,
		       shape.swapped);
	return 0;
}

int odb_load(struct odb_load *load, int directory, const char *name, const char *path,
	     struct odb_error *error)
{
	/*
	 * O_NONBLOCK: a FIFO must not hold us up; it means nothing for a regular file.
	 * O_NOFOLLOW: what a link names may be a device, which opening alone changes.
	 */
	int fd = openat(directory, name,
			O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW),
	    result;

	if (fd < 0)
		return odb_fail_errno(error, path, "cannot open");
	result = load_file(load, fd, path, error);
	close(fd);
	return result;
}

uint64_t odb_load_sum(const struct odb_load *load)
{
	const uint8_t *value = load->bytes + load->nodes + 8;
	uint64_t sum = 0;

	if (load->swapped) {
		for (size_t i = 0; i < load->n; i++)
			sum += odb_get32(value + i * ODB_NODE_LENGTH, true);
		return sum;
	}
	for (size_t i = 0; i < load->n; i++) {
		uint32_t count;

		memcpy(&count, value + i * ODB_NODE_LENGTH, sizeof(count));
		sum += count;
	}
	return sum;
}

void odb_load_entries(const struct odb_load *load, struct odb_entry *entries)
{
	const uint8_t *node = load->bytes + load->nodes;

	if (load->swapped) {
		for (size_t i = 0; i < load->n; i++, node += ODB_NODE_LENGTH)
			entries[i] = (struct odb_entry){.key = odb_get64(node, true),
							.count = odb_get32(node + 8, true)};
		return;
	}
	for (size_t i = 0; i < load->n; i++, node += ODB_NODE_LENGTH) {
		uint32_t count;

		memcpy(&entries[i].key, node, sizeof(entries[i].key));
		memcpy(&count, node + 8, sizeof(count));
		entries[i].count = count;
	}
}

void odb_load_free(struct odb_load *load)
{
	free(load->bytes);
	memset(load, 0, sizeof(*load));
}
