// SPDX-License-Identifier: GPL-2.0-or-later
/* Unwind tables: see table.h. */
#include "table.h"

const struct unwind_table *unwind_table_check(const void *bytes, size_t length)
{
	const struct unwind_table *table = bytes;

	if (!unwind_table_has_head(table, length))
		return NULL;
	for (uint32_t page = 0; page < table->pages; page++) {
		if (!unwind_table_has_page(table, page))
			return NULL;
	}
	return table;
}
