// SPDX-License-Identifier: GPL-2.0-or-later
/* Stack files after a loss of power: see torn.h. */
#include "torn.h"

#include <stdlib.h>
#include <string.h>

#include "libdb/odb/error.h"

#define PAGE 4096 /* those of other sizes are multiples */

struct torn {
	struct stacks_bytes *bytes;
	uint32_t first_hole;  /* the unit where it begins */
	uint16_t *number_now; /* by number of an image in the file; 0: it is not there */
	bool *is_node;	      /* by unit */
	uint16_t images;      /* that are there */
	uint16_t last;	      /* number of the one before, in the file */
	bool renumbered;
	uint32_t cleared;      /* units */
};

bool stacks_torn_is_zero(const struct stacks_unit *unit)
{
	static const struct stacks_unit zeros;

	return !memcmp(unit, &zeros, sizeof(zeros));
}

/* Whether units up to @end are up to the end of a page, or of what is valid. */
static bool ends_page(const struct stacks_bytes *bytes, uint32_t end)
{
	uint64_t offset = sizeof(struct stacks_header) + (uint64_t)end * sizeof(*bytes->units);

	return end == bytes->n || !(offset % PAGE);
}

/* Return: where the first hole begins, or the number of units.  *@zeros: units of zeros. */
static uint32_t find_hole(const struct stacks_bytes *bytes, uint32_t *zeros)
{
	uint32_t first = bytes->n, begin = bytes->n;

	*zeros = 0;
	for (uint32_t at = 1; at < bytes->n; at++) {
		if (!stacks_torn_is_zero(&bytes->units[at])) {
			begin = bytes->n;
			continue;
		}
		++*zeros;
		if (begin == bytes->n)
			begin = at;
		if (begin < first && ends_page(bytes, at + 1))
			first = begin;
	}
	return first;
}

static void clear(struct torn *torn, uint32_t at, uint32_t n)
{
	memset(&torn->bytes->units[at], 0, n * sizeof(*torn->bytes->units));
	memset(&torn->is_node[at], true, n);
	torn->cleared += n;
}

/* Units that an image takes, some of which may not be there; 1 if that cannot be told. */
static uint32_t units_of(const struct stacks_unit *unit)
{
	uint32_t units = unit->offset_high;

	return units == stacks_name_units(unit->offset_low & 0xffff) ? 1 + units : 1;
}

static bool is_whole(const struct stacks_bytes *bytes, uint32_t at)
{
	size_t length;
	const char *name = stacks_name_at(bytes, at, &length);
	uint32_t units = units_of(&bytes->units[at]);

	return units > 1 && units <= bytes->n - at && !memchr(name, '\0', length);
}

/* Whether an image has the number after the one before, or images between them were in a hole. */
static bool is_next(const struct torn *torn, uint32_t at)
{
	uint16_t number = torn->bytes->units[at].image;

	return torn->first_hole < at ? number > torn->last : number == torn->last + 1;
}

/* Return: how many units it takes. */
static uint32_t torn_take_image(struct torn *torn, uint32_t at)
{
	struct stacks_unit *unit = &torn->bytes->units[at];
	uint32_t units = units_of(unit), rest = torn->bytes->n - at;
	bool is_torn = torn->first_hole < at + units;

	units = units < rest ? units : rest;
	if (is_whole(torn->bytes, at) && is_next(torn, at)) {
		torn->last = unit->image;
		torn->renumbered |= torn->last != ++torn->images;
		unit->image = torn->number_now[torn->last] = torn->images;
	} else if (is_torn) {
		clear(torn, at, units);
	}
	return units;
}

static void take_node(struct torn *torn, uint32_t at)
{
	struct stacks_unit *unit = &torn->bytes->units[at];
	uint16_t now = torn->number_now[unit->image];

	torn->is_node[at] = true;
	if (unit->parent < at && torn->is_node[unit->parent] && (now || !unit->image))
		unit->image = now;
	else if (torn->first_hole < at)
		clear(torn, at, 1);
}

/* Without a hole nothing is changed: what is wrong then, is damage. */
static int clear_all(struct torn *torn)
{
	struct stacks_bytes *bytes = torn->bytes;
	int result = -1;

	torn->number_now = calloc((size_t)UINT16_MAX + 1, sizeof(*torn->number_now));
	torn->is_node = calloc(bytes->n, sizeof(*torn->is_node));
	if (torn->number_now && torn->is_node) {
		torn->is_node[0] = true;
		for (uint32_t at = 1; at < bytes->n;) {
			if (bytes->units[at].parent == STACKS_IS_IMAGE)
				at += torn_take_image(torn, at);
			else
				take_node(torn, at++);
		}
		result = 0;
	}
	free(torn->number_now);
	free(torn->is_node);
	return result;
}

/* Return: 0, or -1 when out of memory. */
static int clear_torn(struct stacks_bytes *bytes)
{
	struct torn torn = {.bytes = bytes};
	uint64_t rest = bytes->length - sizeof(bytes->header);
	uint32_t zeros;

	/* a cut within a unit is no length that the file ever had */
	if (bytes->n && bytes->n < bytes->header.used && !(rest % sizeof(*bytes->units))) {
		bytes->header.used = bytes->n;
		bytes->torn = true;
	}
	torn.first_hole = find_hole(bytes, &zeros);
	if (torn.first_hole == bytes->n && !bytes->torn)
		return 0;
	if (clear_all(&torn))
		return -1;
	/* there is one such node at most */
	bytes->torn |= torn.cleared || torn.renumbered || zeros > 1;
	return 0;
}

int stacks_torn_load(struct stacks_bytes *bytes, int fd, const char *path, struct odb_error *error)
{
	if (stacks_load(bytes, fd, path, error))
		return -1;
	if (!clear_torn(bytes))
		return 0;
	stacks_bytes_free(bytes);
	return odb_fail_memory(error, path);
}
