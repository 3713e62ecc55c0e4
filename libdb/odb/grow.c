// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Room for nodes: the file doubles, and what is stored to has blocks on the disk before.
 *
 * A store to a hole of a file on a full disk is a SIGBUS.  So nothing is stored to a hole:
 * blocks for the buckets are taken when the file doubles, blocks for nodes an eighth of the
 * file (or 64 KiB) ahead of their use.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "error.h"
#include "file.h"
#include "handle.h"
#include "torn.h"

#define BACK_LEAST 4096 /* nodes */
#define FEW	   256	/* nodes that are read at once */
#define AHEAD	   16	/* nodes for which memory is fetched before they are linked */

void odb_place(struct odb *db, uint32_t size)
{
	db->descr = (struct odb_descr *)(db->map + ODB_HEADER_LENGTH);
	db->nodes = (struct odb_node *)(db->map + odb_nodes_offset(odb_layout_written));
	db->buckets = (uint32_t *)(db->map + odb_buckets_offset(odb_layout_written, size));
	db->size = size;
}

/* Links all nodes into empty buckets, in their order: the newest comes to the head. */
static void link_all(struct odb *db)
{
	for (uint32_t node = 1; node < db->current_size; node++) {
		uint32_t *bucket = &db->buckets[odb_bucket(db->nodes[node].key, db->size)];

		/* What is behind the last node is a key as well as anything else. */
		if (db->size - node > AHEAD)
			__builtin_prefetch(
				&db->buckets[odb_bucket(db->nodes[node + AHEAD].key, db->size)], 1);
		odb_store(&db->nodes[node].next, *bucket);
		odb_store(bucket, node);
	}
}

/* Gives blocks to a part of the file, which keeps its content. */
static int back(struct odb *db, uint64_t from, uint64_t to, struct odb_error *error)
{
	int code;

	if (from >= to)
		return 0;
	do
		code = posix_fallocate(db->fd, (off_t)from, (off_t)(to - from));
	while (code == EINTR);
	/* A file system that cannot do it: then there is no such promise. */
	if (!code || code == EOPNOTSUPP)
		return 0;
	return odb_fail_code(error, code, db->path, "no room for bytes %llu to %llu",
			     (unsigned long long)from, (unsigned long long)to - 1);
}

static int back_nodes(struct odb *db, uint64_t end, struct odb_error *error)
{
	uint32_t size = db->size;
	uint32_t ahead = size / 8 < BACK_LEAST ? BACK_LEAST : size / 8;
	uint64_t nodes = odb_nodes_offset(odb_layout_written);

	if (end < (uint64_t)db->backed + ahead)
		end = (uint64_t)db->backed + ahead;
	if (end > size)
		end = size;
	if (back(db, nodes + (uint64_t)db->backed * ODB_NODE_LENGTH, nodes + end * ODB_NODE_LENGTH,
		 error))
		return -1;
	db->backed = (uint32_t)end;
	return 0;
}

static int back_buckets(struct odb *db, uint32_t size, struct odb_error *error)
{
	return back(db, odb_buckets_offset(odb_layout_written, size),
		    odb_file_length(odb_layout_written, size), error);
}

/* Allocates blocks for what is in use, in a file that was made with holes. */
static int back_used(struct odb *db, struct odb_error *error)
{
	off_t hole = lseek(db->fd, 0, SEEK_HOLE);

	db->backed = db->size;
	if (hole < 0 || (uint64_t)hole >= odb_file_length(odb_layout_written, db->size))
		return 0;
	db->backed = db->current_size;
	if (back(db, 0,
		 odb_nodes_offset(odb_layout_written) + (uint64_t)db->backed * ODB_NODE_LENGTH,
		 error))
		return -1;
	return back_buckets(db, db->size, error);
}

/* Whether all links are as link_all() makes them; false, too, when out of memory. */
static bool is_linked(const struct odb *db)
{
	uint32_t *heads = calloc(db->size, sizeof(*heads));
	bool linked = heads;

	for (uint32_t node = 1; linked && node < db->current_size; node++) {
		uint32_t *head = &heads[odb_bucket(db->nodes[node].key, db->size)];

		linked = db->nodes[node].next == *head;
		*head = node;
	}
	linked = linked && !memcmp(heads, db->buckets, (size_t)db->size * sizeof(*heads));
	free(heads);
	return linked;
}

/* Empties those of @n nodes from @first on that were written and never named. */
static int clear_few(struct odb *db, uint32_t first, uint32_t n, bool *any)
{
	uint8_t bytes[FEW * ODB_NODE_LENGTH];
	uint64_t offset = odb_nodes_offset(odb_layout_written) + (uint64_t)first * ODB_NODE_LENGTH;
	const size_t length = (size_t)n * ODB_NODE_LENGTH;

	if (odb_file_read(db->fd, bytes, length, offset) != (ssize_t)length)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		if (!odb_torn_unnamed((const uint8_t *)db->nodes, db->current_size,
				      bytes + (size_t)i * ODB_NODE_LENGTH, first + i))
			continue;
		memset(&db->nodes[first + i], 0, sizeof(db->nodes[0]));
		*any = true;
	}
	return 0;
}

/*
 * Empties nodes that were written and never named.  On the disk, too: after the next loss of
 * power they would be there again, and might be named by then.  They are read, for a look at a
 * hole by way of the mapping takes a page, which a full tmpfs has not.
 */
static int clear_unnamed(struct odb *db, struct odb_error *error)
{
	bool any = false;

	for (uint32_t node = db->current_size, n; node < db->size; node += n) {
		n = db->size - node < FEW ? db->size - node : FEW;
		if (clear_few(db, node, n, &any))
			return odb_fail_errno(error, db->path, "cannot read");
	}
	if (any && msync(db->map, db->map_length, MS_SYNC))
		return odb_fail_errno(error, db->path, "cannot write to the disk");
	return 0;
}

/* Cuts the file to its size; on the disk, too, for the same reason. */
static int undo_growth(struct odb *db, struct odb_error *error)
{
	if (ftruncate(db->fd, (off_t)db->map_length) || fdatasync(db->fd))
		return odb_fail_errno(error, db->path, "cannot undo an interrupted growth");
	db->shape.growing = false;
	return 0;
}

int odb_mend(struct odb *db, struct odb_error *error)
{
	if (db->shape.growing && undo_growth(db, error))
		return -1;
	if (back_used(db, error))
		return -1;
	if (db->shape.cut || odb_torn_any((const uint8_t *)db->nodes, db->current_size))
		return odb_fail(error, ESTALE, db->path, "nodes were lost with the power");
	if (clear_unnamed(db, error))
		return -1;
	if (is_linked(db))
		return 0;
	/* A kill here is seen the next time. */
	memset(db->buckets, 0, (size_t)db->size * ODB_BUCKET_LENGTH);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	link_all(db);
	return 0;
}

/* Beyond the limit the kernel would send SIGXFSZ. */
static bool is_beyond_limit(uint64_t length)
{
	struct rlimit limit;

	return length > INT64_MAX || length > SIZE_MAX ||
	       (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
		length > limit.rlim_cur);
}

/* Undoes a lengthening.  If that fails too, the next writer does it: odb_mend(). */
static void shorten(struct odb *db)
{
	if (ftruncate(db->fd, (off_t)db->map_length))
		return;
}

/* Makes the file longer and the mapping with it; undoes what it did on error. */
static int lengthen(struct odb *db, uint32_t size, struct odb_error *error)
{
	uint64_t length = odb_file_length(odb_layout_written, size);
	void *map;

	if (is_beyond_limit(length))
		return odb_fail(error, EFBIG, db->path,
				"cannot grow to %llu bytes: beyond the limit of file size",
				(unsigned long long)length);
	if (ftruncate(db->fd, (off_t)length))
		return odb_fail_errno(error, db->path, "cannot grow");
	if (back_buckets(db, size, error)) {
		shorten(db);
		return -1;
	}
	map = mremap(db->map, db->map_length, length, MREMAP_MAYMOVE);
	if (map == MAP_FAILED) {
		odb_fail_errno(error, db->path, "cannot map");
		shorten(db);
		return -1;
	}
	db->map = map;
	db->map_length = length;
	return 0;
}

static int odb_grow(struct odb *db, struct odb_error *error)
{
	uint32_t old_size = db->size;

	if (lengthen(db, old_size * 2, error))
		return -1;
	odb_place(db, old_size * 2);
	odb_store(&db->descr->size, db->size);
	link_all(db);
	/* What were buckets are nodes now, and have blocks already. */
	if (db->backed == old_size)
		db->backed += old_size / (ODB_NODE_LENGTH / ODB_BUCKET_LENGTH);
	return 0;
}

int odb_make_room(struct odb *db, uint64_t end, struct odb_error *error)
{
	if (end > ODB_SIZE_MAX)
		return odb_fail(error, EFBIG, db->path, "more than %lu nodes would be needed",
				(unsigned long)ODB_SIZE_MAX - 1);
	while (end > db->size) {
		if (odb_grow(db, error))
			return -1;
	}
	return end > db->backed ? back_nodes(db, end, error) : 0;
}
