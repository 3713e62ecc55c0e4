// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes unwind tables: see builder.h. */
#include "builder.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"

/* Makes the index reach the page: it has no rows yet. */
static bool reach(struct unwind_builder *builder, uint64_t page)
{
	if (page >= UNWIND_PAGES_MOST || builder->n >= UINT32_MAX ||
	    op_array_fit(builder->index, builder->index_capacity, page + 2))
		return false;
	while (builder->pages <= page)
		builder->index[builder->pages++] = (uint32_t)builder->n;
	return true;
}

static bool unwind_row_is_same(const struct unwind_row *a, const struct unwind_row *b)
{
	return a->cfa_in == b->cfa_in && a->fp_in == b->fp_in && a->cfa == b->cfa && a->fp == b->fp;
}

/* The row from an offset on, whatever follows. */
static void unwind_builder_put(struct unwind_builder *builder, uint64_t offset,
			       const struct unwind_row *row)
{
	struct unwind_row *added;

	if (builder->n && unwind_row_is_same(&builder->rows[builder->n - 1], row))
		return;
	if (!reach(builder, offset >> UNWIND_PAGE_BITS) ||
	    op_array_fit(builder->rows, builder->capacity, builder->n + 1)) {
		builder->failed = true;
		return;
	}
	added = &builder->rows[builder->n++];
	*added = *row;
	added->at = (uint16_t)offset;
	builder->stops += unwind_row_cfa(row) == UNWIND_STOP;
}

void unwind_builder_add(struct unwind_builder *builder, uint64_t start, uint64_t end,
			const struct unwind_row *row)
{
	static const struct unwind_row none = {.cfa_in = UNWIND_NONE};

	if (start < builder->end)
		start = builder->end;
	if (start >= end || builder->failed)
		return;
	if (start > builder->end && builder->n)
		unwind_builder_put(builder, builder->end, &none);
	unwind_builder_put(builder, start, row);
	builder->end = end;
}

struct unwind_table *unwind_builder_finish(struct unwind_builder *builder, uint32_t ranges,
					   uint32_t refused)
{
	static const struct unwind_row none = {.cfa_in = UNWIND_NONE};
	struct unwind_table head = {.magic = UNWIND_MAGIC,
				    .version = UNWIND_VERSION,
				    .ranges = ranges,
				    .refused = refused};
	struct unwind_table *table = NULL;

	if (builder->n)
		unwind_builder_put(builder, builder->end, &none);
	head.pages = (uint32_t)builder->pages;
	head.rows = (uint32_t)builder->n;
	head.stops = builder->stops;
	if (!builder->failed)
		table = malloc(unwind_table_size(&head));
	if (table) {
		*table = head;
		if (builder->n) {
			builder->index[builder->pages] = head.rows;
			memcpy(table->index, builder->index,
			       (builder->pages + 1) * sizeof(*table->index));
			memcpy((void *)unwind_table_rows(table), builder->rows,
			       builder->n * sizeof(*builder->rows));
		} else {
			table->index[0] = 0;
		}
	}
	free(builder->index);
	free(builder->rows);
	*builder = (struct unwind_builder){0};
	return table;
}
