// SPDX-License-Identifier: GPL-2.0-or-later
/* Source and instructions: see listings.h. */
#include "listings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "libop/tables/pair_table.h"
#include "pp/annotate/disassembly.h"
#include "pp/debug/source_file.h"
#include "pp/formats/model/tree.h"

/* Listings of each kind, and the least part of all samples that makes a function worth one. */
#define LISTINGS_MOST 30
#define SHARE_LEAST   0.002

/* A function of more rows is shown where it was sampled, with so many rows around. */
#define ROWS_WHOLE  200
#define ROWS_AROUND 12
/* What is further from the line before is in no listing: a macro, or another function. */
#define GAP_MOST 2000
/* Rows that are looked at. */
#define ROWS_MOST 65536

/* Samples at one place. */
struct leaf {
	struct prof_frame frame;
	uint32_t function; /* the innermost one there */
	uint32_t symbol;   /* that of the symbol */
	const char *file;  /* or NULL */
	int64_t line;
	uint64_t symbol_start; /* a key; only if has_code */
	bool has_code;
	size_t values; /* the first of the side's events */
};

/* Leaves next to each other that go into one listing. */
struct group {
	size_t first, n;
	uint64_t weight;
};

struct row {
	uint64_t number; /* of a line, or an address */
	char *text;	 /* or NULL */
	int line;	 /* of an instruction */
	bool is_sampled;
};

struct listings {
	struct stack_tree *tree;
	const struct stack_tree_side *side;
	uint32_t side_number;
	const bool *weighted; /* by event of the side */
	struct op_json *json;
	struct leaf *leaves;
	size_t n, capacity;
	struct prof_value *values;
	size_t n_values, values_capacity;
	struct op_hash by_frame;
	/* Of the listing that is being made: */
	struct row *rows;
	size_t n_rows, rows_capacity;
	struct prof_value *counts; /* for each row, those of each event */
	size_t counts_capacity;
};

/* ---- places with samples ---- */

static size_t n_events(const struct listings *listings)
{
	return listings->side->prof->n_events;
}

static struct leaf *leaf_at(struct listings *listings, const struct prof_frame *frame)
{
	uint64_t key = op_hash_mix(frame->image, frame->offset);
	uint32_t i;

	op_hash_for_each_possible (&listings->by_frame, key, i) {
		struct leaf *leaf = &listings->leaves[i];

		if (leaf->frame.image == frame->image && leaf->frame.offset == frame->offset)
			return leaf;
	}
	i = (uint32_t)listings->n++;
	listings->leaves = op_grow(listings->leaves, &listings->capacity, listings->n,
				   sizeof(*listings->leaves));
	listings->leaves[i] = (struct leaf){.frame = *frame, .values = listings->n_values};
	listings->n_values += n_events(listings);
	listings->values = op_grow(listings->values, &listings->values_capacity, listings->n_values,
				   sizeof(*listings->values));
	memset(listings->values + listings->leaves[i].values, 0,
	       n_events(listings) * sizeof(*listings->values));
	op_hash_add_or_exit(&listings->by_frame, key, i);
	return &listings->leaves[i];
}

static void add_value(struct prof_value *sum, const struct prof_value *value)
{
	sum->count = tree_add_up(sum->count, value->count);
	sum->events = tree_add_up(sum->events, value->events);
}

static void gather_leaves(struct listings *listings)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	while (prof_next(listings->side->prof, &cursor, &sample)) {
		const struct leaf *leaf;

		if (!sample.depth)
			continue;
		leaf = leaf_at(listings, &sample.frames[0]);
		for (size_t i = 0; i < sample.n_values; i++)
			add_value(&listings->values[leaf->values + sample.values[i].event],
				  &sample.values[i]);
	}
	prof_cursor_free(&cursor);
}

static void name_leaf(struct listings *listings, struct leaf *leaf)
{
	const struct prof_name *name = names_at(listings->side->names, &leaf->frame);
	const struct prof_line *inner = &name->lines[0], *outer = &name->lines[name->n - 1];
	struct prof_code_place place;
	size_t symbol;

	leaf->function = stack_tree_function(listings->tree, listings->side_number, inner,
					     leaf->frame.image);
	leaf->symbol = stack_tree_function(listings->tree, listings->side_number, outer,
					   leaf->frame.image);
	if (inner->line > 0) {
		leaf->file = inner->file;
		leaf->line = inner->line;
	}
	if (!names_code(listings->side->names, &leaf->frame, &place) || !place.path)
		return;
	symbol = pp_symbols_find(place.symbols, place.key);
	if (symbol == place.symbols->n)
		return;
	leaf->symbol_start = place.symbols->items[symbol].start;
	leaf->has_code = true;
}

/* ---- groups of them ---- */

/* By function, then by file and line; those without a file first. */
static int compare_by_source(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;
	int order;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (!x->file || !y->file)
		return !!x->file - !!y->file;
	order = strcmp(x->file, y->file);
	if (order)
		return order;
	return (x->line > y->line) - (x->line < y->line);
}

/* By image and symbol, then by place; those without code first. */
static int compare_by_code(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;

	if (x->has_code != y->has_code)
		return x->has_code ? 1 : -1;
	if (x->frame.image != y->frame.image)
		return x->frame.image < y->frame.image ? -1 : 1;
	if (x->symbol_start != y->symbol_start)
		return x->symbol_start < y->symbol_start ? -1 : 1;
	return (x->frame.offset > y->frame.offset) - (x->frame.offset < y->frame.offset);
}

static bool is_of_source(const struct leaf *leaf)
{
	return leaf->file;
}

static bool is_of_code(const struct leaf *leaf)
{
	return leaf->has_code;
}

static bool is_one_source(const struct leaf *a, const struct leaf *b)
{
	return a->function == b->function && !strcmp(a->file, b->file);
}

static bool is_one_code(const struct leaf *a, const struct leaf *b)
{
	return a->frame.image == b->frame.image && a->symbol_start == b->symbol_start;
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* The groups of sorted leaves, the heaviest first; the caller frees them. */
static struct group *group_leaves(const struct listings *listings,
				  bool (*is_wanted)(const struct leaf *leaf),
				  bool (*is_one)(const struct leaf *a, const struct leaf *b),
				  size_t *n)
{
	struct group *groups = NULL;
	size_t capacity = 0;

	*n = 0;
	for (size_t i = 0; i < listings->n; i++) {
		const struct leaf *leaf = &listings->leaves[i];

		if (!is_wanted(leaf))
			continue;
		if (!*n || !is_one(leaf - 1, leaf)) {
			groups = op_grow(groups, &capacity, *n + 1, sizeof(*groups));
			groups[(*n)++] = (struct group){.first = i};
		}
		groups[*n - 1].n++;
		groups[*n - 1].weight =
			tree_add_up(groups[*n - 1].weight, listings->values[leaf->values].events);
	}
	if (*n)
		qsort(groups, *n, sizeof(*groups), compare_groups);
	return groups;
}

/* ---- rows ---- */

static struct row *add_row(struct listings *listings, uint64_t number, char *text)
{
	size_t n = listings->n_rows++;

	listings->rows = op_grow(listings->rows, &listings->rows_capacity, listings->n_rows,
				 sizeof(*listings->rows));
	listings->counts =
		op_grow(listings->counts, &listings->counts_capacity,
			listings->n_rows * n_events(listings), sizeof(*listings->counts));
	listings->rows[n] = (struct row){.number = number, .text = text};
	memset(listings->counts + n * n_events(listings), 0,
	       n_events(listings) * sizeof(*listings->counts));
	return &listings->rows[n];
}

static void count_leaf(struct listings *listings, size_t row, const struct leaf *leaf)
{
	listings->rows[row].is_sampled = true;
	for (size_t i = 0; i < n_events(listings); i++)
		add_value(&listings->counts[row * n_events(listings) + i],
			  &listings->values[leaf->values + i]);
}

/* Leaves out rows that are far from those with samples, if there are many. */
static void thin_rows(struct listings *listings)
{
	size_t n = listings->n_rows, kept = 0, last = SIZE_MAX, events = n_events(listings);
	bool *keep = op_alloc(n + 1, sizeof(*keep));

	for (size_t i = 0; i < n; i++) {
		last = listings->rows[i].is_sampled ? i : last;
		keep[i] = n <= ROWS_WHOLE || (last != SIZE_MAX && i - last <= ROWS_AROUND);
	}
	last = SIZE_MAX;
	for (size_t i = n; i--;) {
		last = listings->rows[i].is_sampled ? i : last;
		keep[i] |= last != SIZE_MAX && last - i <= ROWS_AROUND;
	}
	for (size_t i = 0; i < n; i++) {
		if (!keep[i]) {
			free(listings->rows[i].text);
			continue;
		}
		memmove(listings->counts + kept * events, listings->counts + i * events,
			events * sizeof(*listings->counts));
		listings->rows[kept++] = listings->rows[i];
	}
	listings->n_rows = kept;
	free(keep);
}

static void put_rows(struct listings *listings, bool is_source)
{
	struct op_json *json = listings->json;

	op_json_array(json, "rows");
	for (size_t i = 0; i < listings->n_rows; i++) {
		const struct row *row = &listings->rows[i];

		op_json_array(json, NULL);
		if (is_source)
			op_json_number(json, NULL, row->number);
		else
			op_json_raw(json, NULL, "\"%" PRIx64 "\"", row->number);
		op_json_string(json, NULL, row->text ? row->text : "");
		if (!is_source)
			op_json_number(json, NULL, row->line > 0 ? (uint64_t)row->line : 0);
		op_json_end(json);
	}
	op_json_end(json);
}

static void put_counts(struct listings *listings)
{
	struct op_json *json = listings->json;

	op_json_array(json, "counts");
	for (size_t event = 0; event < n_events(listings); event++) {
		op_json_array(json, NULL);
		for (size_t i = 0; i < listings->n_rows; i++) {
			const struct prof_value *value =
				&listings->counts[i * n_events(listings) + event];

			if (!value->count && !value->events)
				continue;
			op_json_array(json, NULL);
			op_json_number(json, NULL, i);
			op_json_number(json, NULL, value->count);
			if (listings->weighted[event])
				op_json_number(json, NULL, value->events);
			op_json_end(json);
		}
		op_json_end(json);
	}
	op_json_end(json);
}

/* The functions of the leaves of a group, each once; that of the symbol first, if it is wanted. */
static void put_functions(struct listings *listings, const struct group *group, bool want_symbol)
{
	const struct leaf *leaves = &listings->leaves[group->first];
	struct op_json *json = listings->json;
	struct op_pair_table seen = {0};

	op_json_array(json, "functions");
	for (size_t i = 0; i < group->n; i++) {
		const uint32_t both[] = {leaves[i].symbol, leaves[i].function};

		for (size_t k = !want_symbol; k < 2; k++)
			if (!(*op_pair_table_get(&seen, both[k], 0))++)
				op_json_number(json, NULL, both[k]);
	}
	op_json_end(json);
	op_pair_table_free(&seen);
}

static void put_listing(struct listings *listings, const struct group *group, bool is_source,
			const char *name, const char *trouble)
{
	struct op_json *json = listings->json;

	thin_rows(listings);
	op_json_object(json, NULL);
	put_functions(listings, group, !is_source);
	op_json_string(json, "kind", is_source ? "source" : "assembly");
	op_json_string(json, "name", name);
	if (trouble)
		op_json_string(json, "trouble", trouble);
	put_rows(listings, is_source);
	put_counts(listings);
	op_json_end(json);
	for (size_t i = 0; i < listings->n_rows; i++)
		free(listings->rows[i].text);
	listings->n_rows = 0;
}

/* ---- source ---- */

/* The line where the function begins, if that is near what was sampled; else @line. */
static int64_t first_line(const struct listings *listings, const struct leaf *leaf, int64_t line)
{
	struct prof_code_place place;
	const char *file;
	int begin = 0;

	/* an inlined function has no beginning of its own */
	if (leaf->function != leaf->symbol || !leaf->has_code ||
	    !names_code(listings->side->names, &leaf->frame, &place))
		return line;
	file = pp_debug_info_line(
		place.debug,
		pp_symbols_link(place.symbols, pp_symbols_vma(place.symbols, leaf->symbol_start)),
		&begin);
	if (!file || strcmp(file, leaf->file) || begin <= 0 || begin > line ||
	    line - begin > GAP_MOST)
		return line;
	return begin;
}

/* Who names the file: ourselves, if anything of ours does. */
static uid_t namer_of(const struct listings *listings, const struct group *group)
{
	uid_t namer = FOREIGN_NOBODY;

	for (size_t i = 0; i < group->n && namer != FOREIGN_OURSELVES; i++) {
		const struct leaf *leaf = &listings->leaves[group->first + i];
		struct prof_code_place place;

		if (names_code(listings->side->names, &leaf->frame, &place) && place.debug)
			namer = pp_debug_info_namer(place.debug);
	}
	return namer;
}

/* Rows from the function's beginning to the last line with samples. */
static void put_source(struct listings *listings, const struct group *group)
{
	static const struct op_strings nowhere;
	static const struct pp_source_search search = {&nowhere, &nowhere};
	const struct leaf *leaves = &listings->leaves[group->first];
	int64_t first = leaves[0].line, line;
	struct pp_source source;
	struct op_error error;
	bool is_missing = pp_source_read(&source, &search, leaves[0].file,
					  namer_of(listings, group), &error);

	for (size_t i = 0; i < group->n; i++)
		first = first_line(listings, &leaves[i], first);
	line = first > 2 ? first - 2 : 1;
	for (size_t i = 0; i < group->n; i++) {
		if (line < leaves[i].line - GAP_MOST || is_missing)
			line = leaves[i].line > line ? leaves[i].line : line;
		for (; line <= leaves[i].line && listings->n_rows < ROWS_MOST; line++) {
			const char *text = pp_source_line(&source, (int)line);

			add_row(listings, (uint64_t)line, text ? op_copy(text) : NULL);
		}
		if (listings->n_rows &&
		    listings->rows[listings->n_rows - 1].number == (uint64_t)leaves[i].line)
			count_leaf(listings, listings->n_rows - 1, &leaves[i]);
	}
	for (int64_t end = line + 2; line < end; line++) {
		const char *text = pp_source_line(&source, (int)line);

		if (text)
			add_row(listings, (uint64_t)line, op_copy(text));
	}
	put_listing(listings, group, true, leaves[0].file, is_missing ? error.text : NULL);
	pp_source_free(&source);
}

/* ---- instructions ---- */

static void add_instructions(struct listings *listings, const struct group *group,
			     const struct prof_code_place *place,
			     struct pp_disassembly *disassembly)
{
	const struct leaf *leaf = &listings->leaves[group->first], *last = leaf + group->n;
	const struct pp_symbols *symbols = place->symbols;
	uint64_t key = leaf->symbol_start, bias = place->key - leaf->frame.offset;
	uint64_t end = symbols->items[pp_symbols_find(symbols, key)].end;
	const char *text;
	size_t n;

	while (key < end && listings->n_rows < ROWS_MOST &&
	       (n = pp_disassembly_next(disassembly, key, end, &text))) {
		uint64_t vma = pp_symbols_vma(symbols, key);
		struct row *row = add_row(listings, vma, op_copy(text));

		pp_debug_info_line(place->debug, pp_symbols_link(symbols, vma), &row->line);
		key += n;
		for (; leaf < last && leaf->frame.offset + bias < key; leaf++)
			count_leaf(listings, listings->n_rows - 1, leaf);
	}
}

static void put_assembly(struct listings *listings, const struct group *group)
{
	const struct leaf *leaf = &listings->leaves[group->first];
	struct pp_disassembly *disassembly = NULL;
	struct prof_code_place place;
	struct op_error error;
	const char *trouble = NULL;

	if (!names_code(listings->side->names, &leaf->frame, &place))
		return;
	if (pp_disassembly_open(&disassembly, place.path, place.symbols, NULL, &error))
		trouble = error.text;
	else
		add_instructions(listings, group, &place, disassembly);
	if (!trouble)
		trouble = pp_disassembly_failure(disassembly);
	put_listing(listings, group, false, place.path, trouble);
	pp_disassembly_close(disassembly);
}

/* ---- all of them ---- */

static void put_groups(struct listings *listings, const struct group *groups, size_t n,
		       void (*put)(struct listings *listings, const struct group *group))
{
	double all = (double)listings->side->prof->totals[0].events;

	for (size_t i = 0; i < n && i < LISTINGS_MOST; i++)
		if ((double)groups[i].weight >= SHARE_LEAST * all && groups[i].weight)
			put(listings, &groups[i]);
}

static void listings_put_all(struct listings *listings)
{
	struct group *groups;
	size_t n;

	gather_leaves(listings);
	for (size_t i = 0; i < listings->n; i++)
		name_leaf(listings, &listings->leaves[i]);
	if (!listings->n)
		return;
	qsort(listings->leaves, listings->n, sizeof(*listings->leaves), compare_by_source);
	groups = group_leaves(listings, is_of_source, is_one_source, &n);
	put_groups(listings, groups, n, put_source);
	free(groups);
	qsort(listings->leaves, listings->n, sizeof(*listings->leaves), compare_by_code);
	groups = group_leaves(listings, is_of_code, is_one_code, &n);
	put_groups(listings, groups, n, put_assembly);
	free(groups);
}

void listings_write(struct stack_tree *tree, const bool *weighted, struct op_json *json)
{
	uint32_t number = (uint32_t)tree->n_sides - 1;
	struct listings listings = {.tree = tree,
				    .side = &tree->sides[number],
				    .side_number = number,
				    .weighted = weighted + tree->sides[number].first_event,
				    .json = json};

	op_json_array(json, "listings");
	listings_put_all(&listings);
	op_json_end(json);
	op_hash_free(&listings.by_frame);
	free(listings.leaves);
	free(listings.values);
	free(listings.rows);
	free(listings.counts);
}
