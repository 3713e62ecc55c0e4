// SPDX-License-Identifier: GPL-2.0-or-later
/* Source and instructions: see listings.h. */
#include "listings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "libop/tables/pair_table.h"
#include "pp/annotate/disassembly.h"
#include "pp/debug/source_file.h"
#include "pp/formats/model/tree.h"
#include "sampled_code.h"

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

/* Places next to each other that go into one listing. */
struct group {
	size_t first, n;
	uint64_t weight; /* own events */
	uint64_t total;	 /* the largest of a place with all it calls */
};

struct row {
	uint64_t number; /* of a line, or an address */
	char *text;	 /* or NULL */
	int line;	 /* of an instruction */
	bool is_sampled;
	size_t first_link, n_links; /* its places, in listings::links */
};

struct listings {
	struct sampled_code code;
	const uint64_t *periods; /* by event of the side: of about_write() */
	struct op_json *json;
	/* Of the listing that is being made: */
	struct row *rows;
	size_t n_rows, rows_capacity;
	struct prof_value *counts; /* for each row, as place::values */
	size_t counts_capacity;
	struct place_link *links;
	size_t n_links, links_capacity;
};

/* ---- groups of them ---- */

/* By function, then by file and line. */
static int compare_by_source(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	order = strcmp(x->file, y->file);
	if (order)
		return order;
	return (x->line > y->line) - (x->line < y->line);
}

/* By image and symbol, then by place; those without code first. */
static int compare_by_code(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->has_code != y->has_code)
		return x->has_code ? 1 : -1;
	if (x->frame.image != y->frame.image)
		return x->frame.image < y->frame.image ? -1 : 1;
	if (x->symbol_start != y->symbol_start)
		return x->symbol_start < y->symbol_start ? -1 : 1;
	return (x->frame.offset > y->frame.offset) - (x->frame.offset < y->frame.offset);
}

static bool is_one_source(const struct place *a, const struct place *b)
{
	return a->function == b->function && !strcmp(a->file, b->file);
}

static bool is_one_code(const struct place *a, const struct place *b)
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

/* The groups of sorted places, the heaviest first; the caller frees them. */
static struct group *group_places(const struct listings *listings, const struct places *places,
				  bool (*is_one)(const struct place *a, const struct place *b),
				  size_t *n)
{
	struct group *groups = NULL;
	size_t capacity = 0;

	*n = 0;
	for (size_t i = 0; i < places->n; i++) {
		const struct place *place = &places->items[i];
		const struct prof_value *values = &listings->code.values[place->values];
		struct group *group;

		if (!place->file && !place->has_code)
			continue;
		if (!*n || !is_one(place - 1, place)) {
			groups = op_grow(groups, &capacity, *n + 1, sizeof(*groups));
			groups[(*n)++] = (struct group){.first = i};
		}
		group = &groups[*n - 1];
		group->n++;
		group->weight = tree_add_up(group->weight, values[0].events);
		if (group->total < values[SAMPLED_ALL * sampled_n_events(&listings->code)].events)
			group->total =
				values[SAMPLED_ALL * sampled_n_events(&listings->code)].events;
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
	listings->counts = op_grow(listings->counts, &listings->counts_capacity,
				   listings->n_rows * sampled_n_values(&listings->code),
				   sizeof(*listings->counts));
	listings->rows[n] = (struct row){.number = number, .text = text};
	memset(listings->counts + n * sampled_n_values(&listings->code), 0,
	       sampled_n_values(&listings->code) * sizeof(*listings->counts));
	return &listings->rows[n];
}

static void add_link(struct listings *listings, struct row *row, const struct place_link *link)
{
	listings->links = op_grow(listings->links, &listings->links_capacity, listings->n_links + 1,
				  sizeof(*listings->links));
	if (!row->n_links++)
		row->first_link = listings->n_links;
	listings->links[listings->n_links++] = *link;
}

/* The places of a line, or that of an address. */
static void row_link(struct listings *listings, struct row *row, const struct place *place)
{
	uint32_t number = place->number;

	if (!place->file) {
		if (number)
			add_link(listings, row,
				 &(struct place_link){.place = number, .is_own = true});
		return;
	}
	for (uint32_t i = listings->code.first_link[number];
	     i < listings->code.first_link[number + 1]; i++)
		add_link(listings, row, &listings->code.links[i]);
}

static void row_count(struct listings *listings, size_t row, const struct place *place)
{
	size_t n = sampled_n_values(&listings->code);

	row_link(listings, &listings->rows[row], place);
	listings->rows[row].is_sampled = true;
	for (size_t i = 0; i < n; i++)
		sampled_add(&listings->counts[row * n + i],
			    &listings->code.values[place->values + i]);
}

/* Leaves out rows that are far from those with samples, if there are many. */
static void thin_rows(struct listings *listings)
{
	size_t n = listings->n_rows, kept = 0, last = SIZE_MAX,
	       values = sampled_n_values(&listings->code);
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
		memmove(listings->counts + kept * values, listings->counts + i * values,
			values * sizeof(*listings->counts));
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

static void put_count(struct listings *listings, size_t row, size_t event)
{
	const struct prof_value *values =
		&listings->counts[row * sampled_n_values(&listings->code) + event];
	struct op_json *json = listings->json;
	size_t step = sampled_n_events(&listings->code);

	if (!values[SAMPLED_ALL * step].count && !values[SAMPLED_ALL * step].events)
		return;
	op_json_array(json, NULL);
	op_json_number(json, NULL, row);
	for (size_t kind = 0; kind < SAMPLED_KINDS; kind++)
		op_json_number(json, NULL, values[kind * step].count);
	for (size_t kind = 0; !listings->periods[event] && kind < SAMPLED_KINDS; kind++)
		op_json_number(json, NULL, values[kind * step].events);
	op_json_end(json);
}

static void put_counts(struct listings *listings)
{
	struct op_json *json = listings->json;

	op_json_array(json, "counts");
	for (size_t event = 0; event < sampled_n_events(&listings->code); event++) {
		op_json_array(json, NULL);
		for (size_t row = 0; row < listings->n_rows; row++)
			put_count(listings, row, event);
		op_json_end(json);
	}
	op_json_end(json);
}

static void put_places(struct listings *listings)
{
	struct op_json *json = listings->json;

	op_json_array(json, "places");
	for (size_t i = 0; i < listings->n_rows; i++) {
		const struct row *row = &listings->rows[i];

		for (size_t k = 0; k < row->n_links; k++) {
			const struct place_link *link = &listings->links[row->first_link + k];

			op_json_number(json, NULL, i);
			op_json_number(json, NULL, link->place);
			op_json_number(json, NULL, link->is_own);
		}
	}
	op_json_end(json);
}

/* The functions of the places of a group, each once: of a source, that of its lines first; of
 * instructions, that of the symbol. */
static void put_functions(struct listings *listings, const struct place *places, size_t n,
			  bool is_source)
{
	struct op_json *json = listings->json;
	struct op_pair_table seen = {0};

	op_json_array(json, "functions");
	for (size_t i = 0; i < n; i++) {
		const uint32_t both[] = {is_source ? places[i].function : places[i].symbol,
					 is_source ? places[i].symbol : places[i].function};

		for (size_t k = 0; k < 2; k++)
			if (!(*op_pair_table_get(&seen, both[k], 0))++)
				op_json_number(json, NULL, both[k]);
	}
	op_json_end(json);
	op_pair_table_free(&seen);
}

static void put_listing(struct listings *listings, const struct place *places, size_t n,
			bool is_source, const char *name, const char *trouble)
{
	struct op_json *json = listings->json;

	thin_rows(listings);
	op_json_object(json, NULL);
	put_functions(listings, places, n, is_source);
	op_json_string(json, "kind", is_source ? "source" : "assembly");
	op_json_string(json, "name", name);
	if (trouble)
		op_json_string(json, "trouble", trouble);
	put_rows(listings, is_source);
	put_counts(listings);
	put_places(listings);
	op_json_end(json);
	for (size_t i = 0; i < listings->n_rows; i++)
		free(listings->rows[i].text);
	listings->n_rows = listings->n_links = 0;
}

/* ---- source ---- */

/* The line where the function begins, if that is near what was sampled; else @line. */
static int64_t first_line(const struct listings *listings, const struct place *at, int64_t line)
{
	struct prof_code_place place;
	const char *file;
	int begin = 0;

	/* an inlined function has no beginning of its own */
	if (at->function != at->symbol || !at->has_code ||
	    !names_code(listings->code.side->names, &at->frame, &place))
		return line;
	file = pp_debug_info_line(
		place.debug,
		pp_symbols_link(place.symbols, pp_symbols_vma(place.symbols, at->symbol_start)),
		&begin);
	if (!file || strcmp(file, at->file) || begin <= 0 || begin > line ||
	    line - begin > GAP_MOST)
		return line;
	return begin;
}

/* Who names the file: ourselves, if anything of ours does. */
static uid_t namer_of(const struct listings *listings, const struct place *lines, size_t n)
{
	uid_t namer = FOREIGN_NOBODY;

	for (size_t i = 0; i < n && namer != FOREIGN_OURSELVES; i++) {
		struct prof_code_place place;

		if (names_code(listings->code.side->names, &lines[i].frame, &place) && place.debug)
			namer = pp_debug_info_namer(place.debug);
	}
	return namer;
}

/* Rows from the function's beginning to the last line with samples. */
static void put_source(struct listings *listings, const struct group *group)
{
	static const struct op_strings nowhere;
	static const struct pp_source_search search = {&nowhere, &nowhere};
	const struct place *lines = &listings->code.lines.items[group->first];
	int64_t first = lines[0].line, line;
	struct pp_source source;
	struct op_error error;
	bool is_missing = pp_source_read(&source, &search, lines[0].file,
					 namer_of(listings, lines, group->n), &error);

	for (size_t i = 0; i < group->n; i++)
		first = first_line(listings, &lines[i], first);
	line = first > 2 ? first - 2 : 1;
	for (size_t i = 0; i < group->n; i++) {
		if (line < lines[i].line - GAP_MOST || is_missing)
			line = lines[i].line > line ? lines[i].line : line;
		for (; line <= lines[i].line && listings->n_rows < ROWS_MOST; line++) {
			const char *text = pp_source_line(&source, (int)line);

			add_row(listings, (uint64_t)line, text ? op_copy(text) : NULL);
		}
		if (listings->n_rows &&
		    listings->rows[listings->n_rows - 1].number == (uint64_t)lines[i].line)
			row_count(listings, listings->n_rows - 1, &lines[i]);
	}
	for (int64_t end = line + 2; line < end; line++) {
		const char *text = pp_source_line(&source, (int)line);

		if (text)
			add_row(listings, (uint64_t)line, op_copy(text));
	}
	put_listing(listings, lines, group->n, true, lines[0].file, is_missing ? error.text : NULL);
	pp_source_free(&source);
}

/* ---- instructions ---- */

static void add_instructions(struct listings *listings, const struct group *group,
			     const struct prof_code_place *place,
			     struct pp_disassembly *disassembly)
{
	const struct place *at = &listings->code.addresses.items[group->first],
			   *last = at + group->n;
	const struct pp_symbols *symbols = place->symbols;
	uint64_t key = at->symbol_start, bias = place->key - at->frame.offset;
	uint64_t end = symbols->items[pp_symbols_find(symbols, key)].end;
	const char *text;
	size_t n;

	while (key < end && listings->n_rows < ROWS_MOST &&
	       (n = pp_disassembly_next(disassembly, key, end, &text))) {
		uint64_t vma = pp_symbols_vma(symbols, key);
		struct row *row = add_row(listings, vma, op_copy(text));

		pp_debug_info_line(place->debug, pp_symbols_link(symbols, vma), &row->line);
		key += n;
		for (; at < last && at->frame.offset + bias < key; at++)
			row_count(listings, listings->n_rows - 1, at);
	}
}

static void put_assembly(struct listings *listings, const struct group *group)
{
	const struct place *at = &listings->code.addresses.items[group->first];
	struct pp_disassembly *disassembly = NULL;
	struct prof_code_place place;
	struct op_error error;
	const char *trouble = NULL;

	if (!names_code(listings->code.side->names, &at->frame, &place))
		return;
	if (pp_disassembly_open(&disassembly, place.path, place.symbols, NULL, &error))
		trouble = error.text;
	else
		add_instructions(listings, group, &place, disassembly);
	if (!trouble)
		trouble = pp_disassembly_failure(disassembly);
	put_listing(listings, at, group->n, false, place.path, trouble);
	pp_disassembly_close(disassembly);
}

/* ---- all of them ---- */

static int compare_totals(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* Those with the most events of their own, and then of the others those with the most of all. */
static void put_groups(struct listings *listings, struct group *groups, size_t n,
		       void (*put)(struct listings *listings, const struct group *group))
{
	double least = SHARE_LEAST * (double)listings->code.side->prof->totals[0].events;
	size_t i = 0;

	for (; i < n && i < LISTINGS_MOST && groups[i].weight && (double)groups[i].weight >= least;
	     i++)
		put(listings, &groups[i]);
	groups += i;
	n -= i;
	if (n)
		qsort(groups, n, sizeof(*groups), compare_totals);
	for (i = 0;
	     i < n && i < LISTINGS_MOST && groups[i].total && (double)groups[i].total >= least; i++)
		put(listings, &groups[i]);
}

static void put_all_of(struct listings *listings, struct places *places,
		       int (*compare)(const void *a, const void *b),
		       bool (*is_one)(const struct place *a, const struct place *b),
		       void (*put)(struct listings *listings, const struct group *group))
{
	struct group *groups;
	size_t n;

	if (!places->n)
		return;
	qsort(places->items, places->n, sizeof(*places->items), compare);
	groups = group_places(listings, places, is_one, &n);
	put_groups(listings, groups, n, put);
	free(groups);
}

void listings_write(struct stack_tree *tree, const uint64_t *periods, struct op_json *json)
{
	struct listings listings = {.json = json};
	struct sampled_code *code = &listings.code;

	sampled_code_make(code, tree);
	listings.periods = periods + code->side->first_event;
	op_json_array(json, "listings");
	put_all_of(&listings, &code->lines, compare_by_source, is_one_source, put_source);
	put_all_of(&listings, &code->addresses, compare_by_code, is_one_code, put_assembly);
	op_json_end(json);
	sampled_code_free(code);
	free(listings.rows);
	free(listings.links);
	free(listings.counts);
}
