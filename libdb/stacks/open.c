// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening stack files to write to them, and closing them.
 *
 * A file that is opened is not trusted: each unit is checked before anything is added, and the
 * index is rebuilt.  One that a loss of power tore is written anew first.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libdb/odb/error.h"
#include "libdb/odb/file.h"
#include "libop/base/page_guard.h"
#include "torn.h"
#include "writer.h"

#define FIRST_LENGTH 4096

static int write_empty(int fd, const char *path, struct odb_error *error)
{
	uint8_t page[FIRST_LENGTH] = {0};
	struct stacks_header *header = (struct stacks_header *)page;
	struct stacks_unit *root = (struct stacks_unit *)(header + 1);

	memcpy(header->magic, STACKS_MAGIC, sizeof(header->magic));
	header->byte_order = STACKS_BYTE_ORDER;
	header->version = STACKS_VERSION;
	header->header_length = sizeof(*header);
	header->unit_length = sizeof(*root);
	header->used = 1;
	root->parent = STACKS_IS_ROOT;
	if (odb_file_write(fd, page, sizeof(page)))
		return odb_fail_errno(error, path, "cannot write");
	return 0;
}

/* A file without content, which is locked, is begun anew. */
static int begin_blank(int fd, const char *path, struct odb_error *error)
{
	struct stacks_header header = {0};
	ssize_t got = odb_file_read(fd, &header, sizeof(header), 0);

	if (got < 0)
		return odb_fail_errno(error, path, "cannot read");
	if (!stacks_is_blank(&header, (size_t)got) || (got && (size_t)got < sizeof(header)))
		return 0;
	if (ftruncate(fd, 0))
		return odb_fail_errno(error, path, "cannot cut");
	return write_empty(fd, path, error);
}

/* Makes the file under its name, complete and locked.  Return: a descriptor, or -1. */
static int create(const char *path, struct odb_error *error)
{
	char *temporary;
	int fd = odb_file_new(path, &temporary, error);

	if (fd < 0)
		return -1;
	if (write_empty(fd, path, error) || odb_file_publish(temporary, path, false, error)) {
		if (error->code == EEXIST)
			error->code = EAGAIN;
		unlink(temporary);
		close(fd);
		fd = -1;
	}
	free(temporary);
	return fd;
}

static int open_locked(const char *path, struct odb_error *error)
{
	for (int attempt = 0; attempt < 64; attempt++) {
		int fd = odb_file_open(path, O_RDWR, error);
		bool is_there;

		if (fd < 0 && error->code == ENOENT) {
			fd = create(path, error);
			if (fd >= 0 || error->code != EAGAIN)
				return fd;
			continue;
		}
		if (fd < 0)
			return -1;
		if (odb_file_lock(fd, path, error)) {
			close(fd);
			return -1;
		}
		is_there = odb_file_is_at(fd, path);
		if (is_there && !begin_blank(fd, path, error))
			return fd;
		close(fd);
		if (is_there)
			return -1;
	}
	return odb_fail(error, EBUSY, path, "is created and removed again and again");
}

/* Refuses what it would be wrong to add to. */
static int stacks_judge(struct stacks *stacks, struct stacks_bytes *bytes, struct odb_error *error)
{
	struct stacks_first_problem first = {.any = false};

	if (stacks_torn_load(bytes, stacks->fd, stacks->path, error))
		return -1;
	if (bytes->swapped)
		return odb_fail(error, ENOTSUP, stacks->path,
				"foreign byte order: can be read, not written");
	if (stacks_scan(bytes, stacks_keep_first, &first))
		return odb_fail_problem(error, stacks->path, &first.problem);
	if (bytes->torn)
		return odb_fail(error, ESTALE, stacks->path, "units were lost with the power");
	return 0;
}

/*
 * Cuts off units that were written and never named.  On the disk, too: after the next loss of power
 * they would be there again, and might be named by then.
 */
static int cut_unnamed(const struct stacks *stacks, const struct stacks_bytes *bytes,
		       struct odb_error *error)
{
	uint64_t end = stacks_length(bytes->n);
	uint8_t chunk[4096], zeros[sizeof(chunk)] = {0};
	ssize_t got;

	for (uint64_t at = end; at < bytes->length; at += (uint64_t)got) {
		got = odb_file_read(stacks->fd, chunk, sizeof(chunk), at);
		if (got < 0)
			return odb_fail_errno(error, stacks->path, "cannot read");
		if (!got)
			break;
		if (!memcmp(chunk, zeros, (size_t)got))
			continue;
		if (ftruncate(stacks->fd, (off_t)end) || fdatasync(stacks->fd))
			return odb_fail_errno(error, stacks->path, "cannot write to the disk");
		break;
	}
	return 0;
}

static int make_tables(struct stacks *stacks, const struct stacks_bytes *bytes,
		       struct odb_error *error)
{
	/* at once: growing would take half as much memory again */
	if (op_hash_reserve(&stacks->nodes, bytes->n))
		return odb_fail_memory(error, stacks->path);
	for (uint32_t at = 1; at < bytes->n; at++) {
		bool is_image = bytes->sound[at] == STACKS_IMAGE;
		struct op_hash *table = is_image ? &stacks->images : &stacks->nodes;

		if (bytes->sound[at] == STACKS_TEXT)
			continue;
		if (stacks_table_add(table, stacks->units, at))
			return odb_fail_memory(error, stacks->path);
	}
	stacks->n_images = bytes->n_images;
	return 0;
}

static int stacks_open_load(struct stacks *stacks, struct odb_error *error)
{
	struct stacks_bytes bytes = {0};
	int result = stacks_judge(stacks, &bytes, error);

	if (!result)
		result = cut_unnamed(stacks, &bytes, error);
	/* from here on, units are those of the mapping */
	free(bytes.units);
	bytes.units = NULL;
	if (!result) {
		uint64_t least = stacks_length(bytes.n);

		/* a file with holes gets blocks */
		result = stacks_back(stacks, least, error) || stacks_map(stacks, least, error) ? -1
											       : 0;
	}
	if (!result) {
		stacks->used = bytes.n;
		result = make_tables(stacks, &bytes, error);
	}
	stacks_bytes_free(&bytes);
	return result;
}

static int open_once(struct stacks **out, const char *path, uint32_t units_most,
		     struct odb_error *error)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return odb_fail_memory(error, path);
	stacks->fd = -1;
	stacks->units_most = units_most ? units_most : STACKS_UNITS_MOST;
	stacks->path = strdup(path);
	if (!stacks->path) {
		odb_fail_memory(error, path);
		goto err_close;
	}
	stacks->fd = open_locked(path, error);
	if (stacks->fd < 0 || stacks_open_load(stacks, error))
		goto err_close;
	*out = stacks;
	return 0;

err_close:
	/* it was not written to: leave its length alone */
	stacks->used = 0;
	stacks_close(stacks);
	return -1;
}

int stacks_open(struct stacks **out, const char *path, uint32_t units_most, struct odb_error *error)
{
	struct odb_repair repaired;
	struct odb_error ignored;

	if (!error)
		error = &ignored;
	if (!open_once(out, path, units_most, error))
		return 0;
	if (error->code != ESTALE || stacks_repair(path, &repaired, error))
		return -1;
	return open_once(out, path, units_most, error);
}

void stacks_close(struct stacks *stacks)
{
	uint64_t length;

	if (!stacks)
		return;
	length = stacks_length(stacks->used);
	if (stacks->header)
		munmap(stacks->header, stacks->map_length);
	/* If it cannot be cut, it is longer than it needs to be. */
	if (stacks->used && length < stacks->map_length &&
	    odb_file_has(stacks->fd, stacks->map_length) && ftruncate(stacks->fd, (off_t)length))
		length = stacks->map_length;
	if (stacks->fd >= 0)
		close(stacks->fd);
	op_hash_free(&stacks->nodes);
	op_hash_free(&stacks->images);
	free(stacks->before);
	free(stacks->path);
	free(stacks);
}

bool stacks_is_whole(const struct stacks *stacks)
{
	return odb_file_has(stacks->fd, stacks->map_length) &&
	       !page_guard_hit(stacks->header, stacks->map_length);
}

uint64_t stacks_disk_bytes(const struct stacks *stacks)
{
	return odb_file_disk_bytes(stacks->fd);
}

uint64_t stacks_sum(const struct stacks *stacks)
{
	uint64_t sum = stacks->header->unplaced;

	for (uint32_t at = 0; at < stacks->used; at++) {
		const struct stacks_unit *unit = &stacks->units[at];

		if (unit->parent == STACKS_IS_IMAGE)
			at += unit->offset_high;
		else
			sum += unit->count;
	}
	return sum;
}

size_t stacks_memory(const struct stacks *stacks)
{
	return op_hash_memory(&stacks->nodes) + op_hash_memory(&stacks->images) +
	       stacks->before_capacity * sizeof(*stacks->before);
}

void stacks_rest(struct stacks *stacks)
{
	madvise(stacks->header, stacks->map_length, MADV_DONTNEED);
}
