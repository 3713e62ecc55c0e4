// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adding to stack files: see stacks.h, and layout.h for what is stored in which order.
 *
 * The file has no index: the writer makes one in memory when it opens the file, so that a node
 * takes 16 bytes of disk and no order of stores has to keep two things in step.
 */
#include "stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/odb/error.h"
#include "writer.h"

/* ---- images ---- */

static uint32_t find_image(const struct stacks *stacks, const char *name, size_t length,
			   uint64_t key)
{
	uint32_t at;

	op_hash_for_each_possible (&stacks->images, key, at) {
		const struct stacks_unit *unit = &stacks->units[at];

		if ((unit->offset_low & 0xffff) == length && !memcmp(unit + 1, name, length))
			return unit->image;
	}
	return 0;
}

uint32_t stacks_image(struct stacks *stacks, const char *name, uint32_t flags, uint32_t mtime,
		      struct odb_error *error)
{
	bool is_other = !strcmp(name, STACKS_OTHER);
	size_t length = strlen(name);
	uint64_t key = stacks_name_key(name, length);
	uint32_t id = find_image(stacks, name, length, key), units, at = stacks->used;
	struct odb_error ignored;
	struct stacks_unit *unit;

	if (is_other)
		stacks->other = id;
	if (id)
		return id;
	if (!error)
		error = &ignored;
	if (!length || length > STACKS_NAME_MOST || flags > UINT16_MAX) {
		odb_fail(error, EINVAL, stacks->path, "a name of %zu bytes", length);
		return 0;
	}
	if (stacks->n_images + !is_other > STACKS_IMAGES_MOST) {
		odb_fail(error, EFBIG, stacks->path, "%u images is all that it may have",
			 STACKS_IMAGES_MOST - 1);
		return 0;
	}
	units = stacks_name_units(length);
	if (stacks_make_room(stacks, 1 + units, is_other, error))
		return 0;
	if (op_hash_reserve(&stacks->images, stacks->images.n + 1)) {
		odb_fail_memory(error, stacks->path);
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
	op_hash_add(&stacks->images, key, at);
	stacks_publish(stacks, 1 + units);
	if (is_other)
		stacks->other = id;
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
			  uint64_t key, struct odb_error *error)
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
	if (stacks_make_room(stacks, 1, frame->image && frame->image == stacks->other, error))
		return STACKS_NO_NODE;
	if (op_hash_reserve(&stacks->nodes, stacks->nodes.n + 1)) {
		odb_fail_memory(error, stacks->path);
		return STACKS_NO_NODE;
	}
	stacks->units[at] = unit;
	op_hash_add(&stacks->nodes, key, at);
	stacks_publish(stacks, 1);
	return at;
}

uint32_t stacks_node(struct stacks *stacks, uint32_t parent, const struct stacks_frame *frame,
		     struct odb_error *error)
{
	uint64_t key = stacks_frame_key(parent, frame->image, frame->offset);
	uint32_t at;

	op_hash_for_each_possible (&stacks->nodes, key, at)
		if (is_node(&stacks->units[at], parent, frame))
			return at;
	return make_node(stacks, parent, frame, key, error);
}

/* ---- what there is no room for ---- */

/* The node of STACKS_OTHER below @caller, or below the nearest of its callers for which there is
 * room; @missing: callers that are not above it.  Return: @caller if there is none. */
static uint32_t other_node(struct stacks *stacks, uint32_t caller, uint32_t *missing)
{
	struct stacks_frame frame = {0};
	struct odb_error ignored;
	uint32_t node;

	*missing = 1;
	frame.image =
		stacks->other ? stacks->other : stacks_image(stacks, STACKS_OTHER, 0, 0, &ignored);
	/* that of the root first: it is for all */
	if (!frame.image || stacks_node(stacks, STACKS_ROOT, &frame, &ignored) == STACKS_NO_NODE)
		return caller;
	for (*missing = 0;; ++*missing, caller = stacks->units[caller].parent) {
		node = stacks_node(stacks, caller, &frame, &ignored);
		if (node != STACKS_NO_NODE)
			return node;
	}
}

/* ---- counts ---- */

/* Another node like @node whose count has room, or STACKS_NO_NODE. */
static uint32_t find_twin(struct stacks *stacks, uint32_t node, struct odb_error *error)
{
	const struct stacks_unit *unit = &stacks->units[node];
	const struct stacks_frame frame = {unit->image, stacks_offset(unit)};
	uint32_t parent = unit->parent, at;
	uint64_t key;

	if (!node)
		return STACKS_NO_NODE; /* the root has none: see stacks_header::unplaced */
	key = stacks_frame_key(parent, frame.image, frame.offset);
	op_hash_for_each_possible (&stacks->nodes, key, at)
		if (is_node(&stacks->units[at], parent, &frame) &&
		    stacks->units[at].count < UINT32_MAX)
			return at;
	return make_node(stacks, parent, &frame, key, error);
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
				uint32_t *missing, struct odb_error *error)
{
	uint32_t ignored;

	if (cut) {
		add_64(&stacks->header->merged, n);
		node = other_node(stacks, node, missing ? missing : &ignored);
	}
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
	while (level < known &&
	       is_node(&stacks->units[stacks->before[level]], node, &frames[depth - 1 - level]))
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
	return stacks_count(stacks, node, n, level < depth, NULL, error);
}

void stacks_add_merged(struct stacks *stacks, uint64_t n)
{
	add_64(&stacks->header->merged, n);
}
