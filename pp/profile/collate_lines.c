// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of source lines.
 *
 * Code at an address is of a line of the innermost function that was inlined there; the lines that
 * call it, and those that call these, are in the call chain of a sample there.  A function that was
 * inlined into several others has its lines once an image.
 */
#include "collate_reading.h"

#include <stdlib.h>

#include "libop/base/memory.h"

/* A line of a function. */
struct place {
	const char *file; /* of the debug information */
	int line;
	const struct pp_inlined *inlined; /* the function, or NULL: that of the symbol */
	size_t symbol;
	uint64_t vma;
};

/* The number of a file, and its name in the profile. */
static size_t number_file(struct reading *reading, const char *file)
{
	struct pp_line_rows *lines = &reading->line_rows;
	size_t number = op_names_index(&lines->files, file);

	if (number < lines->n_kept)
		return number;
	lines->kept = op_grow(lines->kept, &lines->capacity, number + 1, sizeof(*lines->kept));
	lines->kept[number] = pp_profile_keep_text(reading->collation->profile, file);
	lines->n_kept = number + 1;
	return number;
}

/* Symbols are even, names of inlined functions are odd. */
static uint64_t function_key(const struct reading *reading, const struct place *place)
{
	if (place->inlined)
		return 2 * (uint64_t)place->inlined->name_index + 1;
	return 2 * (uint64_t)(reading->first_of ? reading->first_of[place->symbol] : place->symbol);
}

static struct pp_row *row_of_place(struct reading *reading, const struct place *place)
{
	struct pp_line_rows *lines = &reading->line_rows;
	size_t file = place->file ? number_file(reading, place->file) + 1 : 0;
	uint64_t *found =
		op_pair_table_get(&lines->rows, (uint64_t)file << 32 | (uint32_t)place->line,
				  function_key(reading, place));
	struct pp_row *row = (struct pp_row *)(uintptr_t)*found;

	if (!row) {
		row = place->inlined ? pp_collate_add_inlined_row(reading, place->inlined->name)
				     : pp_collate_add_symbol_row(reading, place->symbol);
		*found = (uintptr_t)row;
		row->place = (struct pp_place){.vma = place->vma,
					       .file = file ? lines->kept[file - 1] : NULL,
					       .line = place->line};
		if (reading->debug)
			row->place.namer = pp_debug_info_namer(reading->debug);
	}
	if (place->vma < row->place.vma)
		row->place.vma = place->vma;
	return row;
}

struct pp_row *pp_collate_line_row(struct reading *reading, uint64_t vma, size_t symbol)
{
	uint64_t link = pp_symbols_link(&reading->content.symbols, vma);
	struct place place = {.symbol = symbol, .vma = vma};

	place.file = pp_debug_info_line(reading->debug, link, &place.line);
	if (!place.file)
		place.line = 0;
	place.inlined = pp_debug_info_inlined(reading->debug, link);
	return row_of_place(reading, &place);
}

static bool is_listed(struct pp_row *const *rows, size_t n, const struct pp_row *row)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i] == row)
			return true;
	return false;
}

static struct pp_row **make_outer_rows(struct reading *reading, const struct pp_inlined *first,
				       uint64_t vma, size_t symbol)
{
	const struct pp_inlined *inlined;
	struct pp_row **rows;
	size_t n = 0;

	for (inlined = first; inlined; inlined = inlined->caller)
		n++;
	rows = pp_profile_keep(reading->collation->profile, (n + 1) * sizeof(*rows));
	n = 0;
	for (inlined = first; inlined; inlined = inlined->caller) {
		const struct place place = {.file = inlined->call_file,
					    .line = inlined->call_line,
					    .inlined = inlined->caller,
					    .symbol = symbol,
					    .vma = vma};
		struct pp_row *outer = row_of_place(reading, &place);

		if (!is_listed(rows, n, outer))
			rows[n++] = outer;
	}
	return rows;
}

/* An image may have samples at a million addresses, and calls that are inlined 256 levels deep: the
 * rows of each call are found once. */
struct pp_row **pp_collate_outer_rows(struct reading *reading, uint64_t vma, size_t symbol)
{
	const struct pp_inlined *first = pp_collate_inlined_at(reading, vma);
	struct op_pair_table *known = &reading->line_rows.outer;
	const uint64_t *found;
	struct pp_row **rows;

	if (!first)
		return NULL;
	found = op_pair_table_find(known, (uintptr_t)first, symbol);
	if (found)
		return (struct pp_row **)(uintptr_t)*found;
	rows = make_outer_rows(reading, first, vma, symbol);
	*op_pair_table_get(known, (uintptr_t)first, symbol) = (uintptr_t)rows;
	return rows;
}

void pp_collate_line_rows_clear(struct pp_line_rows *lines)
{
	op_pair_table_clear(&lines->rows);
	op_pair_table_clear(&lines->outer);
}

void pp_collate_line_rows_free(struct pp_line_rows *lines)
{
	op_names_free(&lines->files);
	op_pair_table_free(&lines->rows);
	op_pair_table_free(&lines->outer);
	free(lines->kept);
}
