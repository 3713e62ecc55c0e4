// SPDX-License-Identifier: GPL-2.0-or-later
/* Handles: open, create, close. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "file.h"
#include "handle.h"
#include "libop/base/page_guard.h"

static uint32_t no_buckets[1];
static const uint8_t zeros[ODB_FIRST_SIZE * (ODB_NODE_LENGTH + ODB_BUCKET_LENGTH)];

/*
 * Makes the file, complete, and gives it its name.
 * Return: a locked descriptor, or -1 with @error set; its code is EAGAIN if another process
 * made the file meanwhile, or took the unfinished file for one that was left.
 */
static int create(const char *path, const struct odb_header *header, bool replace,
		  struct odb_error *error)
{
	uint8_t head[ODB_HEAD_MAX];
	char *temporary;
	int fd = odb_file_new(path, &temporary, error);

	if (fd < 0)
		return -1;
	odb_header_encode(odb_layout_written, header, head);
	/* Written, not made as a hole: storing to a hole can fail. */
	if (odb_file_write(fd, head, ODB_HEADER_LENGTH + ODB_DESCR_LENGTH) ||
	    odb_file_write(fd, zeros, sizeof(zeros))) {
		odb_fail_errno(error, path, "cannot write");
		goto err_unlink;
	}
	if (odb_file_publish(temporary, path, replace, error)) {
		if (error->code == EEXIST || error->code == ENOENT)
			error->code = EAGAIN;
		goto err_unlink;
	}
	free(temporary);
	return fd;

err_unlink:
	unlink(temporary);
	free(temporary);
	close(fd);
	return -1;
}

/* OProfile's daemon leaves an empty file when it is killed, a loss of power one of zeros. */
static bool is_empty(int fd)
{
	uint8_t head[ODB_HEAD_MAX] = {0};
	struct stat status;

	return !fstat(fd, &status) && odb_file_read(fd, head, sizeof(head), 0) >= 0 &&
	       odb_is_blank(head, (uint64_t)status.st_size);
}

/* Opens and locks the file that is at @path when this returns, which may take some goes. */
static int open_writable(const char *path, const struct odb_header *fresh, struct odb_error *error)
{
	for (int attempt = 0; attempt < 64; attempt++) {
		int fd = odb_file_open(path, O_RDWR, error);

		if (fd < 0) {
			if (error->code != ENOENT || !fresh)
				return -1;
			fd = create(path, fresh, false, error);
			if (fd >= 0 || error->code != EAGAIN)
				return fd;
			continue;
		}
		if (odb_file_lock(fd, path, error)) {
			close(fd);
			return -1;
		}
		if (odb_file_is_at(fd, path)) {
			int created;

			if (!fresh || !is_empty(fd))
				return fd;
			created = create(path, fresh, true, error);
			close(fd);
			return created;
		}
		close(fd);
	}
	return odb_fail(error, EBUSY, path, "is created and removed again and again");
}

static int map(struct odb *db, struct odb_error *error)
{
	uint64_t length = odb_file_length(db->shape.layout, db->shape.size);

	if (db->shape.layout != odb_layout_written || db->shape.swapped)
		return odb_fail(error, ENOTSUP, db->path,
				"version 0x%x, %s, %s byte order: can be read, not written",
				db->shape.layout->version, db->shape.layout->abi,
				db->shape.swapped ? "foreign" : "native");
	if (length > SIZE_MAX)
		return odb_fail(error, EFBIG, db->path, "too large to be mapped");
	db->map = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, db->fd, 0);
	if (db->map == MAP_FAILED) {
		db->map = NULL;
		return odb_fail_errno(error, db->path, "cannot map");
	}
	db->map_length = length;
	odb_place(db, db->shape.size);
	db->current_size = db->shape.current_size;
	db->writable = true;
	return odb_mend(db, error);
}

static int open_once(struct odb **out, const char *path, enum odb_mode mode,
		     const struct odb_header *fresh, struct odb_error *error)
{
	uint8_t head[ODB_HEAD_MAX];
	struct odb_problem problem;
	uint64_t length;
	struct odb *db;

	db = calloc(1, sizeof(*db));
	if (!db)
		return odb_fail_memory(error, path);
	db->buckets = no_buckets;
	db->size = 1;
	db->current_size = 1;
	db->fd = -1;
	db->path = strdup(path);
	if (!db->path) {
		odb_fail_memory(error, path);
		goto err_close;
	}
	db->fd = mode == ODB_READ ? odb_file_open(path, O_RDONLY, error)
				  : open_writable(path, mode == ODB_CREATE ? fresh : NULL, error);
	if (db->fd < 0)
		goto err_close;
	if (odb_file_probe(db->fd, head, &length, &db->shape, &problem)) {
		if (errno)
			odb_fail(error, errno, path, "%s", problem.text);
		else
			odb_fail_problem(error, path, &problem);
		goto err_close;
	}
	odb_header_decode(head, &db->shape, &db->header);
	if (mode != ODB_READ && map(db, error))
		goto err_close;
	*out = db;
	return 0;

err_close:
	odb_close(db);
	return -1;
}

int odb_open(struct odb **out, const char *path, enum odb_mode mode, const struct odb_header *fresh,
	     struct odb_error *error)
{
	struct odb_repair repaired;
	struct odb_error ignored;

	if (!error)
		error = &ignored;
	if (mode == ODB_CREATE && !fresh)
		return odb_fail(error, EINVAL, path, "no header given for a file to be created");
	if (!open_once(out, path, mode, fresh, error))
		return 0;
	/* Nodes were lost with the power.  A writer that is faster has repaired the file. */
	if (error->code != ESTALE || odb_repair(path, &repaired, error))
		return -1;
	return open_once(out, path, mode, fresh, error);
}

void odb_close(struct odb *db)
{
	if (!db)
		return;
	odb_deep_free(&db->deep);
	if (db->map)
		munmap(db->map, db->map_length);
	if (db->fd >= 0)
		close(db->fd);
	free(db->path);
	free(db);
}

const struct odb_header *odb_header(const struct odb *db)
{
	return &db->header;
}

struct odb_format odb_format(const struct odb *db)
{
	const struct odb_shape *shape = &db->shape;
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint32_t size = db->writable ? db->size : shape->size;

	return (struct odb_format){
		.abi = shape->layout->abi,
		.big_endian = big != shape->swapped,
		.header_length = shape->layout->length,
		.size = size,
		.current_size = db->writable ? db->current_size : shape->current_size,
		.length = db->writable ? odb_file_length(shape->layout, size) : shape->length,
	};
}

int odb_sync(struct odb *db, struct odb_error *error)
{
	if (!db->writable)
		return odb_fail(error, EBADF, db->path, "not open for writing");
	if (msync(db->map, db->map_length, MS_SYNC))
		return odb_fail_errno(error, db->path, "cannot write to the disk");
	return 0;
}

void odb_rest(struct odb *db)
{
	if (db->map)
		madvise(db->map, db->map_length, MADV_DONTNEED);
}

bool odb_is_whole(const struct odb *db)
{
	return odb_file_has(db->fd, db->map_length) && !page_guard_hit(db->map, db->map_length);
}

uint64_t odb_disk_bytes(const struct odb *db)
{
	return odb_file_disk_bytes(db->fd);
}

uint64_t odb_sum(const struct odb *db)
{
	uint64_t sum = 0;

	for (uint32_t node = 1; node < db->current_size; node++)
		sum += db->nodes[node].value;
	return sum;
}
