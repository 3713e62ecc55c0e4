// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing stack files: see stacks.h, and stacks_layout.h for what is stored in which order.
 *
 * The file has no index: the writer makes one in memory when it opens the file, so that a node
 * takes 16 bytes of disk and no order of stores has to keep two things in step.
 */
#include "stacks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "error.h"
#include "file.h"
#include "stacks_layout.h"
#include "stacks_scan.h"

#define FIRST_LENGTH 4096
#define GROWTH_MOST  (UINT64_C(1) << 20)
#define RETRY	     1024 /* a full disk is tried again after so many units without room */

/* From nodes, or images, to their units: open addressing, 0 is free. */
struct table {
	uint32_t *slot; /* number of a unit; the root, 0, is in no table */
	uint32_t n;
	unsigned int bits;
};

struct stacks {
	struct stacks_header *header; /* in the mapping */
	struct stacks_unit *units;
	size_t map_length; /* of the file, too */
	uint32_t used;	   /* as in the header, which another process could spoil */
	uint32_t room;	   /* units that have blocks on the disk: storing cannot fail */
	uint32_t units_most;
	int fd;
	char *path;
	struct table nodes, images;
	uint32_t n_images; /* the next number */
	struct odb_error full; /* why nothing more can be made; code 0 if it can */
	uint32_t refused;      /* units without room since that was tried */

	/* The nodes of the stack before, root first. */
	uint32_t *before;
	size_t before_depth, before_capacity;
};

/* ---- tables ---- */

static uint64_t mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0xff51afd7ed558ccd); /* of MurmurHash3's finalizer */
	return hash ^ hash >> 32;
}

static uint64_t hash_frame(uint32_t parent, uint32_t image, uint64_t offset)
{
	return mix((uint64_t)parent << 16 | image, offset);
}

static uint64_t hash_name(const char *name, size_t length)
{
	uint64_t hash = length;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3); /* FNV-1a's prime */
	return mix(hash, 0);
}

static uint64_t hash_unit(const struct stacks *stacks, uint32_t at)
{
	const struct stacks_unit *unit = &stacks->units[at];

	if (unit->parent == STACKS_IS_IMAGE)
		return hash_name((const char *)(unit + 1), unit->offset_low & 0xffff);
	return hash_frame(unit->parent, unit->image, stacks_offset(unit));
}

static size_t home(const struct table *table, uint64_t hash)
{
	return (size_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - table->bits));
}

static size_t next(const struct table *table, size_t at)
{
	return (at + 1) & (((size_t)1 << table->bits) - 1);
}

static void put(struct table *table, uint64_t hash, uint32_t unit)
{
	size_t at = home(table, hash);

	while (table->slot[at])
		at = next(table, at);
	table->slot[at] = unit;
}

static int compare_units(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Makes room for one more.  Return: 0, or -1 when out of memory. */
static int widen(struct stacks *stacks, struct table *table)
{
	size_t slots = table->slot ? (size_t)1 << table->bits : 0, n = 0;
	uint32_t *old = table->slot, *larger;

	if ((size_t)(table->n + 1) * 4 <= slots * 3)
		return 0;
	larger = calloc(slots ? slots * 2 : 64, sizeof(*larger));
	if (!larger)
		return -1;
	table->bits = slots ? table->bits + 1 : 6;
	table->slot = larger;
	/* in the order of the file: of equal nodes the first is to be found first */
	for (size_t i = 0; i < slots; i++)
		if (old[i])
			old[n++] = old[i];
	if (n)
		qsort(old, n, sizeof(*old), compare_units);
	for (size_t i = 0; i < n; i++)
		put(table, hash_unit(stacks, old[i]), old[i]);
	free(old);
	return 0;
}

/* ---- room ---- */

static bool is_beyond_limit(uint64_t length)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	       length > limit.rlim_cur;
}

static uint32_t units_in(uint64_t length)
{
	return (uint32_t)((length - sizeof(struct stacks_header)) / sizeof(struct stacks_unit));
}

/* Gives blocks to the whole file.  A store to a hole on a full disk would be a SIGBUS. */
static int back(struct stacks *stacks, uint64_t length, struct odb_error *error)
{
	int code;

	do
		code = posix_fallocate(stacks->fd, 0, (off_t)length);
	while (code == EINTR);
	/* A file system that cannot do it: then there is no such promise. */
	if (!code || code == EOPNOTSUPP)
		return 0;
	return odb_fail(error, code, stacks->path, "no room for %llu bytes: %s",
			(unsigned long long)length, strerror(code));
}

static int map(struct stacks *stacks, uint64_t length, struct odb_error *error)
{
	void *where;

	if (stacks->header)
		where = mremap(stacks->header, stacks->map_length, length, MREMAP_MAYMOVE);
	else
		where = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, stacks->fd, 0);
	if (where == MAP_FAILED)
		return odb_fail_errno(error, stacks->path, "cannot map");
	stacks->header = where;
	stacks->units = (struct stacks_unit *)(stacks->header + 1);
	stacks->map_length = length;
	stacks->room = units_in(length);
	return 0;
}

static int grow(struct stacks *stacks, uint64_t least, struct odb_error *error)
{
	uint64_t length = stacks->map_length;
	uint64_t most = sizeof(struct stacks_header) +
			(uint64_t)stacks->units_most * sizeof(struct stacks_unit);

	while (length < least)
		length += length < GROWTH_MOST ? length : GROWTH_MOST;
	if (length > most)
		length = most;
	if (is_beyond_limit(length))
		return odb_fail(error, EFBIG, stacks->path,
				"cannot grow to %llu bytes: beyond the limit of file size",
				(unsigned long long)length);
	if (ftruncate(stacks->fd, (off_t)length))
		return odb_fail_errno(error, stacks->path, "cannot grow");
	if (!back(stacks, length, error) && !map(stacks, length, error))
		return 0;
	/* If this fails, too, the file is longer than it needs to be. */
	if (ftruncate(stacks->fd, (off_t)stacks->map_length))
		return -1;
	return -1;
}

/* Room for @n more units.  Return: 0, or -1 with @error set. */
static int make_room(struct stacks *stacks, uint32_t n, struct odb_error *error)
{
	uint64_t needed = (uint64_t)stacks->used + n;

	if (needed <= stacks->room)
		return 0;
	if (stacks->full.code && ++stacks->refused < RETRY) {
		*error = stacks->full;
		return -1;
	}
	if (needed > stacks->units_most) {
		odb_fail(error, EFBIG, stacks->path, "%u units is all that it may have",
			 stacks->units_most);
	} else if (!grow(stacks,
			 sizeof(struct stacks_header) + needed * sizeof(struct stacks_unit),
			 error)) {
		stacks->full.code = 0;
		return 0;
	}
	stacks->full = *error;
	stacks->refused = 0;
	return -1;
}

/* Makes the next @n units, which are stored, valid. */
static void publish(struct stacks *stacks, uint32_t n)
{
	stacks->used += n;
	__atomic_store_n(&stacks->header->used, stacks->used, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ---- opening ---- */

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
		if (odb_file_is_at(fd, path))
			return fd;
		close(fd);
	}
	return odb_fail(error, EBUSY, path, "is created and removed again and again");
}

struct first_problem {
	struct odb_problem problem;
	bool any;
};

static void keep_first(void *context, const struct odb_problem *problem)
{
	struct first_problem *first = context;

	if (!first->any)
		first->problem = *problem;
	first->any = true;
}

/* Refuses what it would be wrong to add to. */
static int judge(struct stacks *stacks, struct stacks_bytes *bytes, struct odb_error *error)
{
	struct first_problem first = {.any = false};

	if (stacks_load(bytes, stacks->fd, stacks->path, error))
		return -1;
	if (bytes->swapped)
		return odb_fail(error, ENOTSUP, stacks->path,
				"foreign byte order: can be read, not written");
	if (stacks_scan(bytes, keep_first, &first))
		return odb_fail_problem(error, stacks->path, &first.problem);
	return 0;
}

static int make_tables(struct stacks *stacks, const struct stacks_bytes *bytes,
		       struct odb_error *error)
{
	for (uint32_t at = 1; at < bytes->n; at++) {
		bool is_image = bytes->sound[at] == STACKS_IMAGE;
		struct table *table = is_image ? &stacks->images : &stacks->nodes;

		if (bytes->sound[at] == STACKS_TEXT)
			continue;
		if (widen(stacks, table))
			return odb_fail(error, ENOMEM, stacks->path, "out of memory");
		put(table, hash_unit(stacks, at), at);
		table->n++;
	}
	stacks->n_images = bytes->n_images;
	return 0;
}

static int load(struct stacks *stacks, struct odb_error *error)
{
	struct stacks_bytes bytes = {0};
	int result = judge(stacks, &bytes, error);

	if (!result) {
		uint64_t least = sizeof(struct stacks_header) +
				 (uint64_t)bytes.n * sizeof(struct stacks_unit);

		/* what somebody made with holes gets blocks */
		result = back(stacks, least, error) || map(stacks, least, error) ? -1 : 0;
	}
	if (!result) {
		stacks->used = bytes.n;
		result = make_tables(stacks, &bytes, error);
	}
	stacks_bytes_free(&bytes);
	return result;
}

int stacks_open(struct stacks **out, const char *path, uint32_t units_most,
		struct odb_error *error)
{
	struct odb_error ignored;
	struct stacks *stacks = calloc(1, sizeof(*stacks));

	if (!error)
		error = &ignored;
	if (!stacks)
		return odb_fail(error, ENOMEM, path, "out of memory");
	stacks->fd = -1;
	stacks->units_most = units_most ? units_most : STACKS_UNITS_MOST;
	stacks->path = strdup(path);
	if (!stacks->path) {
		odb_fail(error, ENOMEM, path, "out of memory");
		goto err_close;
	}
	stacks->fd = open_locked(path, error);
	if (stacks->fd < 0 || load(stacks, error))
		goto err_close;
	*out = stacks;
	return 0;

err_close:
	/* it was not written to: leave its length alone */
	stacks->used = 0;
	stacks_close(stacks);
	return -1;
}

void stacks_close(struct stacks *stacks)
{
	uint64_t length;

	if (!stacks)
		return;
	length = sizeof(struct stacks_header) + (uint64_t)stacks->used * sizeof(struct stacks_unit);
	if (stacks->header)
		munmap(stacks->header, stacks->map_length);
	/* If it cannot be cut, it is longer than it needs to be. */
	if (stacks->used && length < stacks->map_length && ftruncate(stacks->fd, (off_t)length))
		length = stacks->map_length;
	if (stacks->fd >= 0)
		close(stacks->fd);
	free(stacks->nodes.slot);
	free(stacks->images.slot);
	free(stacks->before);
	free(stacks->path);
	free(stacks);
}

int stacks_sync(struct stacks *stacks, struct odb_error *error)
{
	if (msync(stacks->header, stacks->map_length, MS_SYNC))
		return odb_fail_errno(error, stacks->path, "cannot write to the disk");
	return 0;
}

static size_t table_memory(const struct table *table)
{
	return table->slot ? sizeof(*table->slot) << table->bits : 0;
}

size_t stacks_memory(const struct stacks *stacks)
{
	return table_memory(&stacks->nodes) + table_memory(&stacks->images) +
	       stacks->before_capacity * sizeof(*stacks->before);
}

void stacks_rest(struct stacks *stacks)
{
	madvise(stacks->header, stacks->map_length, MADV_DONTNEED);
}

/* ---- images ---- */

static uint32_t find_image(const struct stacks *stacks, const char *name, size_t length,
			   uint64_t hash)
{
	const struct table *table = &stacks->images;

	if (!table->slot)
		return 0;
	for (size_t at = home(table, hash); table->slot[at]; at = next(table, at)) {
		const struct stacks_unit *unit = &stacks->units[table->slot[at]];

		if ((unit->offset_low & 0xffff) == length && !memcmp(unit + 1, name, length))
			return unit->image;
	}
	return 0;
}

uint32_t stacks_image(struct stacks *stacks, const char *name, uint32_t flags, uint32_t mtime,
		      struct odb_error *error)
{
	size_t length = strlen(name);
	uint64_t hash = hash_name(name, length);
	uint32_t id = find_image(stacks, name, length, hash), units, at = stacks->used;
	struct odb_error ignored;
	struct stacks_unit *unit;

	if (id)
		return id;
	if (!error)
		error = &ignored;
	if (!length || length > STACKS_NAME_MOST || flags > UINT16_MAX) {
		odb_fail(error, EINVAL, stacks->path, "a name of %zu bytes", length);
		return 0;
	}
	if (stacks->n_images > STACKS_IMAGES_MOST) {
		odb_fail(error, EFBIG, stacks->path, "%u images is all that it may have",
			 STACKS_IMAGES_MOST);
		return 0;
	}
	units = stacks_name_units(length);
	if (make_room(stacks, 1 + units, error))
		return 0;
	if (widen(stacks, &stacks->images)) {
		odb_fail(error, ENOMEM, stacks->path, "out of memory");
		return 0;
	}
	id = stacks->n_images++;
	unit = &stacks->units[at];
	*unit = (struct stacks_unit){
		.parent = STACKS_IS_IMAGE,
		.image = (uint16_t)id,
		.offset_high = (uint16_t)units,
		.offset_low = flags << 16 | (uint32_t)length,
		.count = mtime,
	};
	memset(unit + 1, 0, units * sizeof(*unit));
	memcpy(unit + 1, name, length);
	put(&stacks->images, hash, at);
	stacks->images.n++;
	publish(stacks, 1 + units);
	return id;
}

/* ---- nodes ---- */

static bool is_node(const struct stacks_unit *unit, uint32_t parent,
		    const struct stacks_frame *frame)
{
	return unit->parent == parent && unit->image == frame->image &&
	       stacks_offset(unit) == frame->offset;
}

/* Makes a node.  Return: its number, or STACKS_NO_NODE with @error set. */
static uint32_t make_node(struct stacks *stacks, uint32_t parent, const struct stacks_frame *frame,
			  uint64_t hash, struct odb_error *error)
{
	uint32_t at = stacks->used;
	struct stacks_unit unit = {
		.parent = parent,
		.image = (uint16_t)frame->image,
		.offset_high = (uint16_t)(frame->offset >> 32),
		.offset_low = (uint32_t)frame->offset,
	};

	if (!is_node(&unit, parent, frame) || frame->image >= stacks->n_images) {
		odb_fail(error, EINVAL, stacks->path, "no place for offset %#llx of image %u",
			 (unsigned long long)frame->offset, frame->image);
		return STACKS_NO_NODE;
	}
	if (make_room(stacks, 1, error))
		return STACKS_NO_NODE;
	if (widen(stacks, &stacks->nodes)) {
		odb_fail(error, ENOMEM, stacks->path, "out of memory");
		return STACKS_NO_NODE;
	}
	stacks->units[at] = unit;
	put(&stacks->nodes, hash, at);
	stacks->nodes.n++;
	publish(stacks, 1);
	return at;
}

uint32_t stacks_node(struct stacks *stacks, uint32_t parent, const struct stacks_frame *frame,
		     struct odb_error *error)
{
	const struct table *table = &stacks->nodes;
	uint64_t hash = hash_frame(parent, frame->image, frame->offset);

	if (table->slot)
		for (size_t at = home(table, hash); table->slot[at]; at = next(table, at))
			if (is_node(&stacks->units[table->slot[at]], parent, frame))
				return table->slot[at];
	return make_node(stacks, parent, frame, hash, error);
}

/* ---- counts ---- */

/* Another node like @node whose count has room, or STACKS_NO_NODE. */
static uint32_t find_twin(struct stacks *stacks, uint32_t node, struct odb_error *error)
{
	const struct stacks_unit *unit = &stacks->units[node];
	const struct stacks_frame frame = {unit->image, stacks_offset(unit)};
	const struct table *table = &stacks->nodes;
	uint32_t parent = unit->parent;
	uint64_t hash;

	if (!node)
		return STACKS_NO_NODE; /* the root has none: see stacks_header::unplaced */
	hash = hash_frame(parent, frame.image, frame.offset);
	for (size_t at = home(table, hash); table->slot[at]; at = next(table, at))
		if (is_node(&stacks->units[table->slot[at]], parent, &frame) &&
		    stacks->units[table->slot[at]].count < UINT32_MAX)
			return table->slot[at];
	return make_node(stacks, parent, &frame, hash, error);
}

static void add_64(uint64_t *where, uint64_t n)
{
	__atomic_store_n(where, *where + n, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Adds to the count of a node, or of others like it.  Return: whether it had to go higher up. */
static bool add_count(struct stacks *stacks, uint32_t node, uint64_t n, struct odb_error *error)
{
	bool merged = false;

	while (n) {
		struct stacks_unit *unit = &stacks->units[node];
		uint32_t room = UINT32_MAX - unit->count, part = n < room ? (uint32_t)n : room;
		uint32_t twin;

		if (part) {
			__atomic_store_n(&unit->count, unit->count + part, __ATOMIC_RELEASE);
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
			n -= part;
			continue;
		}
		twin = find_twin(stacks, node, error);
		if (twin != STACKS_NO_NODE) {
			node = twin;
		} else if (node) {
			merged = true;
			add_64(&stacks->header->merged, n);
			node = stacks->units[node].parent;
		} else {
			add_64(&stacks->header->unplaced, n);
			n = 0;
		}
	}
	return merged;
}

enum stacks_result stacks_count(struct stacks *stacks, uint32_t node, uint64_t n, bool cut,
				struct odb_error *error)
{
	if (cut)
		add_64(&stacks->header->merged, n);
	return add_count(stacks, node, n, error) || cut ? STACKS_MERGED : STACKS_ADDED;
}

/* Remembers where the stack is, for the next one; without memory that is only slower. */
static bool remember(struct stacks *stacks, size_t depth)
{
	uint32_t *larger;

	if (depth <= stacks->before_capacity)
		return true;
	larger = reallocarray(stacks->before, depth * 2, sizeof(*larger));
	if (!larger)
		return false;
	stacks->before = larger;
	stacks->before_capacity = depth * 2;
	return true;
}

enum stacks_result stacks_add(struct stacks *stacks, const struct stacks_frame *frames,
			      size_t depth, uint64_t n, struct odb_error *error)
{
	size_t level = 0, known = depth < stacks->before_depth ? depth : stacks->before_depth;
	struct odb_error ignored;
	uint32_t node = 0, child;
	bool remembers;

	if (!error)
		error = &ignored;
	while (level < known && is_node(&stacks->units[stacks->before[level]], node,
					&frames[depth - 1 - level]))
		node = stacks->before[level++];
	remembers = remember(stacks, depth);
	for (; level < depth; level++) {
		child = stacks_node(stacks, node, &frames[depth - 1 - level], error);
		if (child == STACKS_NO_NODE)
			break;
		node = child;
		if (remembers)
			stacks->before[level] = node;
	}
	stacks->before_depth = remembers ? level : 0;
	return stacks_count(stacks, node, n, level < depth, error);
}

void stacks_add_merged(struct stacks *stacks, uint64_t n)
{
	add_64(&stacks->header->merged, n);
}
