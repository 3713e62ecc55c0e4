/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How stack files lie on the disk: a header, then units of 16 bytes, of which the header's
 * "used" says how many are valid.  A unit is a node, or the beginning of an image, which takes as
 * many units more as its name needs.  Numbers of nodes are indices of units.
 *
 *	header | root | image | na me .. | node | node | image | n ame .. | node ...
 *
 * All is in the byte order of the machine that wrote it.  A writer stores whole units behind
 * the last valid one and then one word, "used", that makes them valid; later it changes nothing
 * but counts.  So every state that a kill can leave is a valid file.
 */
#ifndef LIBDB_STACKS_LAYOUT_H
#define LIBDB_STACKS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define STACKS_MAGIC	  "OPSTACK\n"
#define STACKS_BYTE_ORDER UINT32_C(0x01020304)

struct stacks_header {
	char magic[8];
	uint32_t byte_order;
	uint32_t version;
	uint32_t header_length; /* bytes; units follow */
	uint32_t unit_length;	/* bytes */
	uint32_t used;		/* units that are valid */
	uint32_t reserved;
	uint64_t merged;   /* samples that were counted at a caller, for want of room */
	uint64_t unplaced; /* samples for which not even the root's count had room: the root's */
	uint32_t zero[4];
};
_Static_assert(sizeof(struct stacks_header) == 64, "the header as in oprofile-stacks(5)");
_Static_assert(offsetof(struct stacks_header, used) == 24, "as in oprofile-stacks(5)");
_Static_assert(offsetof(struct stacks_header, merged) == 32, "as in oprofile-stacks(5)");
_Static_assert(offsetof(struct stacks_header, unplaced) == 40, "as in oprofile-stacks(5)");

/* Units that readers take: 1 GiB; writers stop long before.  A sparse file can say that it has any
 * number of them. */
#define STACKS_UNITS_READ_MOST (UINT32_C(1) << 26)

/* parent of the first unit of an image, and of the root; nodes have less. */
#define STACKS_IS_IMAGE UINT32_C(0xffffffff)
#define STACKS_IS_ROOT	UINT32_C(0xfffffffe)

struct stacks_unit {
	uint32_t parent;
	uint16_t image;	      /* of a node: 0 if in none; of an image: its number, from 1 */
	uint16_t offset_high; /* of a node; of an image: units of its name */
	uint32_t offset_low;  /* of a node; of an image: length of its name, and its flags << 16 */
	uint32_t count;	      /* of a node; of an image: mtime */
};
_Static_assert(sizeof(struct stacks_unit) == 16, "units as in oprofile-stacks(5)");
_Static_assert(offsetof(struct stacks_unit, offset_high) == 6, "as in oprofile-stacks(5)");

/* An offset, of which STACKS_OFFSET_BITS are kept: the upper ones equal the highest of these. */
static inline uint64_t stacks_offset(const struct stacks_unit *unit)
{
	uint64_t low = (uint64_t)unit->offset_high << 32 | unit->offset_low;

	return (uint64_t)((int64_t)(low << 16) >> 16);
}

static inline uint32_t stacks_name_units(size_t length)
{
	return (uint32_t)((length + sizeof(struct stacks_unit) - 1) / sizeof(struct stacks_unit));
}

#endif
