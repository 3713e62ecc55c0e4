/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An unwind table of a few rows: on page 0 from 0x100, 0x200 and 0x300 on, and on page 2 from
 * 0x20010 on; page 1 has none of its own.
 */
#ifndef OPROFILE_KUNIT_SMALL_TABLE_H
#define OPROFILE_KUNIT_SMALL_TABLE_H

#include <linux/string.h>

#include "uapi/unwind.h"

#define SMALL_PAGES 3
#define SMALL_ROWS 4

/* struct small_table - as a struct unwind_table */
struct small_table {
	u32 head[8];
	u32 index[SMALL_PAGES + 1];
	struct unwind_row rows[SMALL_ROWS];
};

static inline void small_table_make(struct small_table *table)
{
	static const struct small_table small = {
		.head = { UNWIND_MAGIC, UNWIND_VERSION, SMALL_PAGES, SMALL_ROWS },
		.index = { 0, 3, 3, 4 },
		.rows = {
			{ 0x100, UNWIND_SP, UNWIND_FP_SAME, 2, 0 },
			{ 0x200, UNWIND_FP, UNWIND_FP_AT_CFA, 2, -2 },
			{ 0x300, UNWIND_ROOT, 0, 0, 0 },
			{ 0x10, UNWIND_STOP, 0, 0, 0 },
		},
	};

	memcpy(table, &small, sizeof(*table));
}

#endif
