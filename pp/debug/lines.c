// SPDX-License-Identifier: GPL-2.0-or-later
/* The line table of a compilation unit. */
#include <stdbool.h>
#include <stdlib.h>

#include "tables.h"
#include "libop/base/memory.h"
#include "libop/base/search.h"

/* The end of a sequence sorts before an entry at the same address. */
static int compare_entries(const void *a, const void *b)
{
	const struct pp_line_entry *left = a, *right = b;

	if (left->link != right->link)
		return left->link < right->link ? -1 : 1;
	if (!left->file != !right->file)
		return left->file ? 1 : -1;
	return (left->order > right->order) - (left->order < right->order);
}

void pp_line_table_read(struct pp_line_table *table, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	size_t n;

	if (dwarf_getsrclines(unit, &lines, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct pp_line_entry entry = {.order = table->n};
		bool ends = false;
		Dwarf_Addr link;

		if (!line || dwarf_lineaddr(line, &link))
			continue;
		entry.link = link;
		if (!dwarf_lineendsequence(line, &ends) && !ends) {
			entry.file = dwarf_linesrc(line, NULL, NULL);
			dwarf_lineno(line, &entry.line);
		}
		table->entries =
			pp_grow(table->entries, &table->capacity, table->n + 1, sizeof(entry));
		table->entries[table->n++] = entry;
	}
	if (table->n)
		qsort(table->entries, table->n, sizeof(*table->entries), compare_entries);
}

const struct pp_line_entry *pp_line_table_find(const struct pp_line_table *table, uint64_t link)
{
	size_t behind = op_first_above(table->entries, table->n, link, link);

	return behind && table->entries[behind - 1].file ? &table->entries[behind - 1] : NULL;
}
