// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines and inlined functions that a profile says: see tables.h. */
#include <stdlib.h>

#include "tables.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/search.h"

static int compare_places(const void *a, const void *b)
{
	const struct pp_given_place *left = a, *right = b;

	return op_compare_u64(left->link, right->link);
}

/* The inlined functions of a place; the last one is the symbol's. */
static const struct pp_inlined *given_frames_put(struct pp_inlined *frames,
						 const struct pp_given_line *lines, size_t n,
						 struct op_names *names)
{
	for (size_t i = 0; i + 1 < n; i++) {
		size_t index = op_names_index(names, lines[i].function);

		frames[i] = (struct pp_inlined){
			.name = names->names[index],
			.name_index = index,
			.caller = i + 2 < n ? &frames[i + 1] : NULL,
			.call_file = lines[i + 1].line ? lines[i + 1].file : NULL,
			.call_line = lines[i + 1].file ? lines[i + 1].line : 0,
		};
	}
	return n > 1 ? frames : NULL;
}

void pp_given_table_make(struct pp_given_table *table, const struct pp_symbols *symbols,
			 struct op_names *names)
{
	const struct pp_given_line *lines = symbols->given;

	table->places = op_alloc(symbols->n_given, sizeof(*table->places));
	table->frames = op_alloc(symbols->n_given, sizeof(*table->frames));
	for (size_t i = 0, end; i < symbols->n_given; i = end) {
		bool has_line = lines[i].file && lines[i].line;

		for (end = i + 1; end < symbols->n_given && lines[end].key == lines[i].key;)
			end++;
		/* who knows a name only does not know what is inlined */
		if (!has_line && end == i + 1)
			continue;
		table->places[table->n++] = (struct pp_given_place){
			.link = pp_symbols_link(symbols, pp_symbols_vma(symbols, lines[i].key)),
			.file = has_line ? lines[i].file : NULL,
			.line = has_line ? lines[i].line : 0,
			.inlined = given_frames_put(table->frames + i, lines + i, end - i, names),
		};
	}
	if (table->n)
		qsort(table->places, table->n, sizeof(*table->places), compare_places);
}

const struct pp_given_place *pp_given_table_find(const struct pp_given_table *table, uint64_t link)
{
	size_t behind = op_first_above(table->places, table->n, link, link);

	return behind && table->places[behind - 1].link == link ? &table->places[behind - 1] : NULL;
}

void pp_given_table_free(struct pp_given_table *table)
{
	free(table->places);
	free(table->frames);
}
