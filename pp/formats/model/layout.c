// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A layout: one address space for all images of a profile, for formats that have no other.
 */
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "flat.h"
#include "tree.h"
#include "libop/base/memory.h"
#include "pp/symbols/elf_file.h"

#define PAGE	     UINT64_C(4096)
#define USER_FIRST   UINT64_C(0x100000000000) /* images without a place go up from here */
#define USER_END     UINT64_C(0x800000000000)
#define KERNEL_FIRST UINT64_C(0xffffffff81000000) /* where x86-64 kernels are linked to */
#define MODULE_FIRST UINT64_C(0xffffffffc0000000)
#define TOP	     UINT64_C(0xfffffffffffff000) - 1

/* The offsets that occur in an image. */
struct span {
	uint64_t low, high;
	bool is_used;
};

static void widen(struct span *span, uint64_t offset)
{
	if (!span->is_used || offset < span->low)
		span->low = offset;
	if (!span->is_used || offset > span->high)
		span->high = offset;
	span->is_used = true;
}

static struct span *spans_of(const struct prof *prof)
{
	struct span *spans = op_alloc(prof->n_images, sizeof(*spans));

	for (size_t i = 1; i < prof->tree->n_nodes; i++)
		widen(&spans[prof->tree->nodes[i].image], prof->tree->nodes[i].offset);
	for (size_t i = 0; i < prof->flats->n; i++) {
		const struct prof_flat *column = &prof->flats->columns[i];

		if (!column->n)
			continue;
		widen(&spans[column->image], column->places[0].offset);
		widen(&spans[column->image], column->places[column->n - 1].offset);
	}
	for (size_t i = 0; i < prof->n_branches; i++) {
		widen(&spans[prof->branches[i].from.image], prof->branches[i].from.offset);
		widen(&spans[prof->branches[i].to.image], prof->branches[i].to.offset);
	}
	return spans;
}

static uint64_t page_of(uint64_t address)
{
	return address & ~(PAGE - 1);
}

/* Where its program headers want the code of a file; false: anywhere. */
static bool linked_place(const struct prof_image *image, const struct span *span,
			 struct prof_image *place)
{
	struct pp_segments segments;
	bool found = false;

	if (image->kind != PROF_FILE || !pp_segments_read(&segments, image->path))
		return false;
	for (size_t i = 0; segments.is_fixed && i < segments.n && !found; i++) {
		const struct pp_segment *s = &segments.items[i];

		if (span->low < page_of(s->offset) || span->high >= s->offset + s->size)
			continue;
		place->offset = page_of(s->offset);
		place->start = s->address - (s->offset - place->offset);
		place->end = page_of(s->address + s->size + PAGE - 1);
		found = place->end > place->start;
	}
	free(segments.items);
	return found;
}

/* ---- room ---- */

struct taken {
	uint64_t start, end;
};

struct room {
	struct taken *taken; /* by start */
	size_t n, capacity;
};

/* Takes start..end unless something is there. */
static bool room_take(struct room *room, uint64_t start, uint64_t end)
{
	size_t at = room->n;

	while (at && room->taken[at - 1].start >= end)
		at--;
	if (at && room->taken[at - 1].end > start)
		return false;
	room->taken = op_grow(room->taken, &room->capacity, room->n + 1, sizeof(*room->taken));
	memmove(room->taken + at + 1, room->taken + at, (room->n - at) * sizeof(*room->taken));
	room->taken[at] = (struct taken){start, end};
	room->n++;
	return true;
}

/* The first free place of @size bytes from @from on, which is taken; 0: there is none. */
static uint64_t take_anywhere(struct room *room, uint64_t from, uint64_t size, uint64_t limit)
{
	for (size_t i = 0; i < room->n; i++)
		if (room->taken[i].end > from && room->taken[i].start < from + size)
			from = page_of(room->taken[i].end + PAGE - 1);
	if (from + size < from || from + size > limit || !room_take(room, from, from + size))
		return 0;
	return from;
}

/* ---- placing ---- */

static bool is_inside(const struct prof_image *image, const struct span *span)
{
	return image->end > image->start && (image->start >> 63) == image->is_kernel &&
	       span->low >= image->offset && span->high - image->offset < image->end - image->start;
}

static void place_anywhere(struct room *room, struct prof_image *image, const struct span *span)
{
	uint64_t offset = page_of(span->low), size = page_of(span->high) - offset + PAGE, from;
	uint64_t limit = image->is_kernel ? TOP : USER_END;

	if (image->kind == PROF_KERNEL)
		from = KERNEL_FIRST;
	else
		from = image->is_kernel ? MODULE_FIRST : USER_FIRST;
	/* the start of the file, so that it can be told where it was loaded */
	if (offset < UINT64_C(1) << 32) {
		size += offset;
		offset = 0;
	}
	image->start = take_anywhere(room, from, size, limit);
	image->offset = offset;
	image->end = image->start + size;
}

void prof_layout(struct prof *prof)
{
	struct span *spans = spans_of(prof);
	struct room room = {0};
	bool *is_placed = op_alloc(prof->n_images, sizeof(*is_placed));

	/* what has no image is where it is */
	for (size_t i = PROF_NO_IMAGE; i <= PROF_NO_KERNEL_IMAGE; i++) {
		struct prof_image *image = &prof->images[i];

		image->start = image->offset = page_of(spans[i].low);
		image->end = page_of(spans[i].high) + PAGE;
		is_placed[i] = true;
	}
	for (size_t i = PROF_NO_KERNEL_IMAGE + 1; i < prof->n_images; i++) {
		struct prof_image place = prof->images[i];

		if (linked_place(&place, &spans[i], &place) &&
		    room_take(&room, place.start, place.end)) {
			prof->images[i] = place;
			is_placed[i] = true;
		}
	}
	for (size_t i = 0; i < prof->n_images; i++)
		if (!is_placed[i] && spans[i].is_used && is_inside(&prof->images[i], &spans[i]))
			is_placed[i] = room_take(&room, prof->images[i].start, prof->images[i].end);
	for (size_t i = 0; i < prof->n_images; i++)
		if (!is_placed[i])
			place_anywhere(&room, &prof->images[i], &spans[i]);
	free(spans);
	free(is_placed);
	free(room.taken);
}

uint64_t prof_mapped_address(const struct prof *prof, const struct prof_frame *frame, bool is_named)
{
	const struct prof_image *image = &prof->images[frame->image];

	if (is_named && image->kind == PROF_UNKNOWN && frame->image > PROF_NO_KERNEL_IMAGE)
		return 0;
	/* one may be before its mapping, which was found for return addresses */
	if (frame->offset < image->offset)
		return image->start;
	return prof_address(prof, frame);
}
