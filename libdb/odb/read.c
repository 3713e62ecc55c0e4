// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading all entries, of any version and byte order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "file.h"
#include "handle.h"
#include "torn.h"

/* A file that is open for writing: it has no other writer. */
static ptrdiff_t copy_mapped(const struct odb *db, struct odb_entry **out, struct odb_error *error)
{
	uint32_t count = db->current_size - 1;
	struct odb_entry *entries = NULL;

	if (count) {
		entries = malloc(count * sizeof(*entries));
		if (!entries)
			return odb_fail(error, ENOMEM, db->path, "no memory for %u entries", count);
	}
	for (uint32_t i = 0; i < count; i++)
		entries[i] = (struct odb_entry){.key = db->nodes[i + 1].key,
						.count = db->nodes[i + 1].value};
	*out = entries;
	return count;
}

/* How many nodes the file has now; a writer may have added some since it was opened. */
static int64_t current_size(const struct odb *db, struct odb_error *error)
{
	struct odb_problem problem;
	uint8_t head[ODB_HEAD_MAX];
	struct odb_shape shape;
	uint64_t length;

	if (odb_file_probe(db->fd, head, &length, &shape, &problem)) {
		if (errno)
			return odb_fail(error, errno, db->path, "%s", problem.text);
		return odb_fail_problem(error, db->path, &problem);
	}
	if (shape.layout != db->shape.layout || shape.swapped != db->shape.swapped)
		return odb_fail(error, EINVAL, db->path, "its header was changed meanwhile");
	return shape.current_size;
}

/*
 * A count is copied whole although its writer may be storing it: the bytes are read to memory
 * that is aligned as they are in the file's pages, so the kernel copies words, never halves.
 */
static ptrdiff_t odb_read_file(const struct odb *db, struct odb_entry **out,
			       struct odb_error *error)
{
	uint64_t nodes = odb_nodes_offset(db->shape.layout);
	int64_t size = current_size(db, error);
	size_t start, length;
	uint8_t *bytes;
	ssize_t got;

	if (size < 0)
		return -1;
	if (size == 1) {
		*out = NULL;
		return 0;
	}
	/* Entries are as long as nodes, and take their place in the same memory. */
	_Static_assert(sizeof(struct odb_entry) == ODB_NODE_LENGTH, "entry in place of node");
	start = nodes + ODB_NODE_LENGTH;
	length = nodes + (size_t)size * ODB_NODE_LENGTH;
	bytes = malloc(length);
	if (!bytes)
		return odb_fail(error, ENOMEM, db->path, "no memory for %lld entries",
				(long long)size - 1);
	got = odb_file_read(db->fd, bytes, length, 0);
	if (got < 0) {
		odb_fail_errno(error, db->path, "cannot read");
		goto err_free;
	}
	if ((size_t)got < length) {
		odb_fail(error, EINVAL, db->path, "byte %zd: the file was cut while it was read",
			 got);
		goto err_free;
	}
	odb_torn_clear(bytes + nodes, (uint32_t)size, db->shape.swapped);
	for (int64_t i = 0; i < size - 1; i++) {
		const uint8_t *node = bytes + start + i * ODB_NODE_LENGTH;
		struct odb_entry entry = {.key = odb_get64(node, db->shape.swapped),
					  .count = odb_get32(node + 8, db->shape.swapped)};

		memcpy(bytes + i * ODB_NODE_LENGTH, &entry, sizeof(entry));
	}
	*out = (struct odb_entry *)bytes;
	return (ptrdiff_t)size - 1;

err_free:
	free(bytes);
	return -1;
}

ptrdiff_t odb_entries(const struct odb *db, struct odb_entry **out, struct odb_error *error)
{
	return db->writable ? copy_mapped(db, out, error) : odb_read_file(db, out, error);
}

static void sort_few(struct odb_entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct odb_entry moving = entries[i];
		size_t at = i;

		for (; at && entries[at - 1].key > moving.key; at--)
			entries[at] = entries[at - 1];
		entries[at] = moving;
	}
}

/*
 * Radix sort, byte by byte from the lowest; bytes that all keys share cost nothing, and
 * offsets in an image share five of eight.
 * Return: which of the two arrays holds the result.
 */
static struct odb_entry *sort_many(struct odb_entry *entries, struct odb_entry *spare, size_t count)
{
	size_t places[8][256] = {{0}};

	for (size_t i = 0; i < count; i++) {
		for (int byte = 0; byte < 8; byte++)
			places[byte][entries[i].key >> (8 * byte) & 0xff]++;
	}
	for (int byte = 0; byte < 8; byte++) {
		struct odb_entry *from = entries;
		size_t place = 0;

		if (places[byte][entries[0].key >> (8 * byte) & 0xff] == count)
			continue;
		for (int digit = 0; digit < 256; digit++) {
			size_t digits = places[byte][digit];

			places[byte][digit] = place;
			place += digits;
		}
		for (size_t i = 0; i < count; i++)
			spare[places[byte][from[i].key >> (8 * byte) & 0xff]++] = from[i];
		entries = spare;
		spare = from;
	}
	return entries;
}

ptrdiff_t odb_entries_by_key(const struct odb *db, struct odb_entry **out, struct odb_error *error)
{
	struct odb_entry *entries, *spare, *sorted;
	ptrdiff_t count = odb_entries(db, &entries, error), last = 0;

	if (count <= 0) {
		if (!count)
			*out = NULL;
		return count;
	}
	if (count < 64) {
		sort_few(entries, (size_t)count);
	} else {
		spare = malloc((size_t)count * sizeof(*spare));
		if (!spare) {
			free(entries);
			return odb_fail(error, ENOMEM, db->path, "no memory for %td entries",
					count);
		}
		sorted = sort_many(entries, spare, (size_t)count);
		free(sorted == entries ? spare : entries);
		entries = sorted;
	}
	for (ptrdiff_t i = 1; i < count; i++) {
		if (entries[i].key == entries[last].key)
			entries[last].count += entries[i].count;
		else
			entries[++last] = entries[i];
	}
	*out = entries;
	return last + 1;
}
