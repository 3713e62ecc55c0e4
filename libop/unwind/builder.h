/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes unwind tables of rows.
 */
#ifndef LIBOP_UNWIND_BUILDER_H
#define LIBOP_UNWIND_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table.h"

/* All zero: empty. */
struct unwind_builder {
	struct unwind_row *rows;
	size_t n, capacity;
	uint32_t *index; /* of struct unwind_table; up to the page of the last row */
	size_t pages, index_capacity;
	uint64_t end;	/* of the code of which there are rows */
	uint32_t stops; /* rows of UNWIND_STOP */
	bool failed;	/* out of memory, or an offset is too large */
};

/**
 * unwind_builder_add - add a row
 * @start: offset of the code in the file
 * @end: where it ends
 *
 * What lies below the end of a row that was added earlier is passed over.  Rows that say the same
 * become one.
 */
void unwind_builder_add(struct unwind_builder *builder, uint64_t start, uint64_t end,
			const struct unwind_row *row);

/**
 * unwind_builder_finish - make the table
 * @ranges, @refused: of struct unwind_table
 *
 * The builder is empty then.
 *
 * Return: the table, which free() frees, or NULL if the builder has failed.
 */
struct unwind_table *unwind_builder_finish(struct unwind_builder *builder, uint32_t ranges,
					   uint32_t refused);

#endif
