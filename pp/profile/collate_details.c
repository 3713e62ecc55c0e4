// SPDX-License-Identifier: GPL-2.0-or-later
/* Details of symbols with samples: addresses, callers of inlined functions, lines. */
#include "collate_reading.h"

#include <stdlib.h>

#include "libop/base/number.h"

/* ---- details ---- */

static int compare_hits(const void *a, const void *b)
{
	const struct hit *left = a, *right = b;

	if (left->row != right->row)
		return left->row < right->row ? -1 : 1;
	return op_compare_u64(left->vma, right->vma);
}

static size_t count_vmas(const struct hit *hits, size_t n)
{
	size_t vmas = 0;

	for (size_t i = 0; i < n; i++)
		vmas += !i || hits[i].vma != hits[i - 1].vma;
	return vmas;
}

/* @hits are those of one row, by vma. */
static void make_details(struct pp_profile *profile, const struct hit *hits, size_t n)
{
	size_t n_details = count_vmas(hits, n), n_columns = profile->classes->columns;
	struct pp_row *row = hits->row;
	struct pp_detail *detail;
	uint64_t *counts;

	row->details = pp_profile_keep(profile, n_details * sizeof(*detail));
	row->n_details = n_details;
	counts = pp_profile_keep(profile, n_details * n_columns * sizeof(*counts));
	detail = row->details - 1;
	for (size_t i = 0; i < n; i++) {
		if (!i || hits[i].vma != hits[i - 1].vma) {
			detail++;
			detail->place.vma = hits[i].vma;
			detail->counts = counts;
			counts += n_columns;
		}
		detail->counts[hits[i].class] += hits[i].count;
	}
}

void pp_collate_finish_details(struct reading *reading)
{
	struct hit *hits = reading->hits;
	size_t n = reading->n_hits;

	if (n)
		qsort(hits, n, sizeof(*hits), compare_hits);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && hits[end].row == hits[i].row;)
			end++;
		make_details(reading->collation->profile, hits + i, end - i);
	}
	reading->n_hits = 0;
}

/* ---- inlined functions ---- */

/* The name of a caller in a report. */
static const char *shown_caller(struct reading *reading, const char *name, bool is_inlined)
{
	char *demangled = pp_demangle(name, reading->collation->request->demangle);
	const char *kept = pp_collate_keep_name(reading, demangled ? demangled : name, is_inlined);

	free(demangled);
	return kept;
}

/* What the function at @vma is inlined into, up to the symbol. */
static const char *const *find_callers(struct reading *reading, uint64_t vma)
{
	const struct pp_inlined *inlined = pp_collate_inlined_at(reading, vma), *caller;
	const struct pp_symbols *symbols = &reading->content.symbols;
	const char **callers;
	size_t n = 0, symbol = symbols->n;
	uint64_t key;

	if (!inlined)
		return NULL;
	for (caller = inlined->caller; caller; caller = caller->caller)
		n++;
	callers = pp_profile_keep(reading->collation->profile, (n + 2) * sizeof(*callers));
	n = 0;
	for (caller = inlined->caller; caller; caller = caller->caller)
		callers[n++] = shown_caller(reading, caller->name, true);
	if (pp_symbols_key(symbols, vma, &key))
		symbol = pp_symbols_find(symbols, key);
	if (symbol < symbols->n)
		callers[n] = shown_caller(reading, symbols->items[symbol].name, false);
	return callers;
}

void pp_collate_find_all_callers(struct reading *reading)
{
	struct pp_profile *profile = reading->collation->profile;

	for (size_t i = reading->first_row; i < profile->n_rows; i++) {
		struct pp_row *row = profile->rows[i];

		for (size_t k = 0; row->is_inlined && k < row->n_details; k++)
			row->details[k].callers = find_callers(reading, row->details[k].place.vma);
	}
}

/* ---- lines ---- */

static void collate_details_find_place(struct reading *reading, struct pp_place *place)
{
	uint64_t link = pp_symbols_link(&reading->content.symbols, place->vma);
	const char *file = pp_debug_info_line(reading->debug, link, &place->line);

	if (file && file != reading->last_file) {
		reading->last_file = file;
		reading->kept_file = pp_profile_keep_text(reading->collation->profile, file);
	}
	place->file = file ? reading->kept_file : NULL;
	place->namer = pp_debug_info_namer(reading->debug);
}

void pp_collate_find_lines(struct reading *reading)
{
	struct pp_profile *profile = reading->collation->profile;

	for (size_t i = reading->first_row; reading->debug && i < profile->n_rows; i++) {
		struct pp_row *row = profile->rows[i];

		collate_details_find_place(reading, &row->place);
		for (size_t k = 0; k < row->n_details; k++)
			collate_details_find_place(reading, &row->details[k].place);
	}
}
