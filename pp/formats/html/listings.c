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

/* An address, or a line of a function in a file, with samples: its own, and with all it calls. */
struct place {
	struct prof_frame frame; /* of a line: the first of its addresses */
	uint32_t function;	 /* the innermost one there; of a line: that of the line */
	uint32_t symbol;	 /* that of the symbol */
	const char *file;	 /* or NULL */
	int64_t line;
	uint64_t symbol_start; /* a key; only if has_code */
	bool has_code;
	size_t values;	   /* n_values() of them, from here on */
	uint64_t seen;	   /* the last sample that was counted for all */
	size_t lines;	   /* of an address: the first of its lines, in listings::lines_of */
	size_t n_lines;	   /* innermost first */
	bool has_own_line; /* the first one is that of the innermost function */
};

struct places {
	struct place *items;
	size_t n, capacity;
	struct op_hash by_key;
};

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
};

struct listings {
	struct stack_tree *tree;
	const struct stack_tree_side *side;
	uint32_t side_number;
	const uint64_t *periods; /* by event of the side: of about_write() */
	struct op_json *json;
	struct places addresses, lines;
	uint32_t *lines_of; /* of each address, see struct place */
	size_t n_lines_of, lines_of_capacity;
	struct prof_value *values;
	size_t n_values, values_capacity;
	/* Of the listing that is being made: */
	struct row *rows;
	size_t n_rows, rows_capacity;
	struct prof_value *counts; /* for each row, as place::values */
	size_t counts_capacity;
};

/* ---- places with samples ---- */

static size_t n_events(const struct listings *listings)
{
	return listings->side->prof->n_events;
}

/* Values of a place or row, each of all of the side's events: its own, those with what is inlined
 * there, and those with what is called there. */
enum { OWN, WITHIN, ALL, KINDS };

static size_t n_values(const struct listings *listings)
{
	return KINDS * n_events(listings);
}

static struct place *add_place(struct listings *listings, struct places *places, uint64_t key)
{
	uint32_t i = (uint32_t)places->n++;

	places->items =
		op_grow(places->items, &places->capacity, places->n, sizeof(*places->items));
	places->items[i] = (struct place){.values = listings->n_values};
	listings->n_values += n_values(listings);
	listings->values = op_grow(listings->values, &listings->values_capacity, listings->n_values,
				   sizeof(*listings->values));
	memset(listings->values + places->items[i].values, 0,
	       n_values(listings) * sizeof(*listings->values));
	op_hash_add_or_exit(&places->by_key, key, i);
	return &places->items[i];
}

static void add_value(struct prof_value *sum, const struct prof_value *value)
{
	sum->count = tree_add_up(sum->count, value->count);
	sum->events = tree_add_up(sum->events, value->events);
}

/* The symbol at an address, if its image was read. */
static void place_find_code(const struct listings *listings, struct place *address)
{
	struct prof_code_place place;
	size_t symbol;

	if (!names_code(listings->side->names, &address->frame, &place) || !place.path)
		return;
	symbol = pp_symbols_find(place.symbols, place.key);
	if (symbol == place.symbols->n)
		return;
	address->symbol_start = place.symbols->items[symbol].start;
	address->has_code = true;
}

/* The place of a line of @function at @address. */
static uint32_t line_at(struct listings *listings, const struct place *address, uint32_t function,
			const struct prof_line *line)
{
	struct places *lines = &listings->lines;
	uint64_t key = op_hash_text(op_hash_mix(function, (uint64_t)line->line), line->file);
	struct place *place;
	uint32_t i;

	op_hash_for_each_possible (&lines->by_key, key, i) {
		place = &lines->items[i];
		if (place->function == function && place->line == line->line &&
		    !strcmp(place->file, line->file))
			return i;
	}
	place = add_place(listings, lines, key);
	place->frame = address->frame;
	place->symbol = address->symbol;
	place->symbol_start = address->symbol_start;
	place->has_code = address->has_code;
	place->function = function;
	place->file = line->file;
	place->line = line->line;
	return (uint32_t)(lines->n - 1);
}

/* What the functions at an address are, and the lines of those whose lines are known. */
static void place_name(struct listings *listings, struct place *address)
{
	const struct prof_name *name = names_at(listings->side->names, &address->frame);
	uint32_t image = address->frame.image, side = listings->side_number;

	address->symbol =
		stack_tree_function(listings->tree, side, &name->lines[name->n - 1], image);
	address->lines = listings->n_lines_of;
	place_find_code(listings, address);
	for (size_t i = 0; i < name->n; i++) {
		const struct prof_line *line = &name->lines[i];
		uint32_t function = stack_tree_function(listings->tree, side, line, image);

		if (!i)
			address->function = function;
		if (line->line <= 0 || !line->file)
			continue;
		listings->lines_of = op_grow(listings->lines_of, &listings->lines_of_capacity,
					     listings->n_lines_of + 1, sizeof(*listings->lines_of));
		listings->lines_of[listings->n_lines_of++] =
			line_at(listings, address, function, line);
		address->n_lines++;
		address->has_own_line |= !i;
	}
}

static struct place *address_at(struct listings *listings, const struct prof_frame *frame)
{
	uint64_t key = op_hash_mix(frame->image, frame->offset);
	struct place *place;
	uint32_t i;

	op_hash_for_each_possible (&listings->addresses.by_key, key, i) {
		place = &listings->addresses.items[i];
		if (place->frame.image == frame->image && place->frame.offset == frame->offset)
			return place;
	}
	place = add_place(listings, &listings->addresses, key);
	place->frame = *frame;
	place_name(listings, place);
	return place;
}

/* @n: of how many of the values, from the last one on, it is; a place that is in a call chain more
 * than once counts once. */
static void place_count(struct listings *listings, struct place *place,
			const struct prof_sample *sample, uint64_t number, size_t n)
{
	if (place->seen == number)
		return;
	place->seen = number;
	for (size_t kind = KINDS - n; kind < KINDS; kind++)
		for (size_t i = 0; i < sample->n_values; i++) {
			size_t at = kind * n_events(listings) + sample->values[i].event;

			add_value(&listings->values[place->values + at], &sample->values[i]);
		}
}

/* Frames come innermost first, so that what a place has of its own is seen first. */
static void count_frame(struct listings *listings, const struct prof_sample *sample, size_t index,
			uint64_t number)
{
	const struct prof_frame frame = names_place(listings->side->names, sample, index);
	struct place *address = address_at(listings, &frame);

	place_count(listings, address, sample, number, index ? 1 : KINDS);
	for (size_t i = 0; i < address->n_lines; i++) {
		struct place *line = &listings->lines.items[listings->lines_of[address->lines + i]];

		bool is_own = !index && !i && address->has_own_line;

		place_count(listings, line, sample, number, is_own ? KINDS : index ? 1 : 2);
	}
}

static void gather_places(struct listings *listings)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	uint64_t number = 0;

	while (prof_next(listings->side->prof, &cursor, &sample)) {
		number++;
		for (size_t i = 0; i < sample.depth; i++)
			count_frame(listings, &sample, i, number);
	}
	prof_cursor_free(&cursor);
}

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
		const struct prof_value *values = &listings->values[place->values];
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
		if (group->total < values[ALL * n_events(listings)].events)
			group->total = values[ALL * n_events(listings)].events;
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
			listings->n_rows * n_values(listings), sizeof(*listings->counts));
	listings->rows[n] = (struct row){.number = number, .text = text};
	memset(listings->counts + n * n_values(listings), 0,
	       n_values(listings) * sizeof(*listings->counts));
	return &listings->rows[n];
}

static void row_count(struct listings *listings, size_t row, const struct place *place)
{
	size_t n = n_values(listings);

	listings->rows[row].is_sampled = true;
	for (size_t i = 0; i < n; i++)
		add_value(&listings->counts[row * n + i], &listings->values[place->values + i]);
}

/* Leaves out rows that are far from those with samples, if there are many. */
static void thin_rows(struct listings *listings)
{
	size_t n = listings->n_rows, kept = 0, last = SIZE_MAX, values = n_values(listings);
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
	const struct prof_value *values = &listings->counts[row * n_values(listings) + event];
	struct op_json *json = listings->json;
	size_t step = n_events(listings);

	if (!values[ALL * step].count && !values[ALL * step].events)
		return;
	op_json_array(json, NULL);
	op_json_number(json, NULL, row);
	for (size_t kind = 0; kind < KINDS; kind++)
		op_json_number(json, NULL, values[kind * step].count);
	for (size_t kind = 0; !listings->periods[event] && kind < KINDS; kind++)
		op_json_number(json, NULL, values[kind * step].events);
	op_json_end(json);
}

static void put_counts(struct listings *listings)
{
	struct op_json *json = listings->json;

	op_json_array(json, "counts");
	for (size_t event = 0; event < n_events(listings); event++) {
		op_json_array(json, NULL);
		for (size_t row = 0; row < listings->n_rows; row++)
			put_count(listings, row, event);
		op_json_end(json);
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
	op_json_end(json);
	for (size_t i = 0; i < listings->n_rows; i++)
		free(listings->rows[i].text);
	listings->n_rows = 0;
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
	    !names_code(listings->side->names, &at->frame, &place))
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

		if (names_code(listings->side->names, &lines[i].frame, &place) && place.debug)
			namer = pp_debug_info_namer(place.debug);
	}
	return namer;
}

/* Rows from the function's beginning to the last line with samples. */
static void put_source(struct listings *listings, const struct group *group)
{
	static const struct op_strings nowhere;
	static const struct pp_source_search search = {&nowhere, &nowhere};
	const struct place *lines = &listings->lines.items[group->first];
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
	const struct place *at = &listings->addresses.items[group->first], *last = at + group->n;
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
	const struct place *at = &listings->addresses.items[group->first];
	struct pp_disassembly *disassembly = NULL;
	struct prof_code_place place;
	struct op_error error;
	const char *trouble = NULL;

	if (!names_code(listings->side->names, &at->frame, &place))
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
	double least = SHARE_LEAST * (double)listings->side->prof->totals[0].events;
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

static void places_free(struct places *places)
{
	op_hash_free(&places->by_key);
	free(places->items);
}

void listings_write(struct stack_tree *tree, const uint64_t *periods, struct op_json *json)
{
	uint32_t number = (uint32_t)tree->n_sides - 1;
	struct listings listings = {.tree = tree,
				    .side = &tree->sides[number],
				    .side_number = number,
				    .periods = periods + tree->sides[number].first_event,
				    .json = json};

	op_json_array(json, "listings");
	gather_places(&listings);
	put_all_of(&listings, &listings.lines, compare_by_source, is_one_source, put_source);
	put_all_of(&listings, &listings.addresses, compare_by_code, is_one_code, put_assembly);
	op_json_end(json);
	places_free(&listings.addresses);
	places_free(&listings.lines);
	free(listings.lines_of);
	free(listings.values);
	free(listings.rows);
	free(listings.counts);
}
