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
	struct place **places;
	size_t n;
	uint64_t own, all; /* stack_tree_weight(): their own, and the largest with what it calls */
};

struct groups {
	struct place **places; /* sorted */
	struct group *items;
	size_t n, capacity;
};

struct row {
	uint64_t number; /* of a line, or an address */
	char *text;	 /* or NULL */
	int line;	 /* of an instruction */
	bool is_sampled;
	size_t first_link, n_links; /* its places, in listings::links */
};

/* A place whose samples a row has. */
struct row_link {
	uint32_t place; /* its number */
	bool is_own;	/* not of what is inlined there */
};

struct listings {
	struct sampled_code code;
	struct groups sources, assemblies; /* that are shown */
	struct op_json *json;
	/* Of the listing that is being made: */
	struct row *rows;
	size_t n_rows, rows_capacity;
	struct row_link *links;
	size_t n_links, links_capacity;
};

/* ---- groups of them ---- */

/* By function, then by file and line. */
static int compare_by_source(const void *a, const void *b, void *context)
{
	const struct place *x = *(struct place *const *)a, *y = *(struct place *const *)b;
	int order;

	(void)context;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	order = strcmp(x->file, y->file);
	if (order)
		return order;
	return (x->line > y->line) - (x->line < y->line);
}

/* By what tells builds of a file apart. */
static int compare_builds(const struct sampled_code *code, const struct place *x,
			  const struct place *y)
{
	const struct prof_image *a = sampled_code_image(code, x), *b = sampled_code_image(code, y);

	if (a->build_id_length != b->build_id_length)
		return a->build_id_length < b->build_id_length ? -1 : 1;
	return a->build_id_length ? memcmp(a->build_id, b->build_id, a->build_id_length)
				  : strcmp(x->code, y->code);
}

/* Two files without build-ids and code are not known to be one. */
static bool is_one_build(const struct listings *listings, const struct place *x,
			 const struct place *y)
{
	return x->code && y->code && !compare_builds(&listings->code, x, y);
}

/* By file and symbol, then by place. */
static int compare_by_code(const void *a, const void *b, void *context)
{
	const struct listings *listings = context;
	const struct place *x = *(struct place *const *)a, *y = *(struct place *const *)b;
	int order = compare_builds(&listings->code, x, y);

	if (order)
		return order;
	if (x->symbol_start != y->symbol_start)
		return x->symbol_start < y->symbol_start ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static bool is_one_source(const struct listings *listings, const struct place *a,
			  const struct place *b)
{
	(void)listings;
	return a->function == b->function && !strcmp(a->file, b->file);
}

static bool is_one_code(const struct listings *listings, const struct place *a,
			const struct place *b)
{
	return !compare_builds(&listings->code, a, b) && a->symbol_start == b->symbol_start;
}

/* How lines, or addresses, are put into groups. */
struct grouping {
	int (*compare)(const void *a, const void *b, void *listings);
	bool (*is_one)(const struct listings *listings, const struct place *a,
		       const struct place *b);
};

static const struct grouping by_source = {compare_by_source, is_one_source};
static const struct grouping by_code = {compare_by_code, is_one_code};

/* The lines, or the addresses with code, sorted; the caller frees them. */
static struct place **sort_places(struct listings *listings, const struct places *places,
				  const struct grouping *grouping, size_t *n)
{
	struct place **sorted = op_alloc(places->n + 1, sizeof(*sorted));

	*n = 0;
	for (size_t i = 0; i < places->n; i++)
		if (places->items[i].file || places->items[i].code)
			sorted[(*n)++] = &places->items[i];
	if (*n)
		qsort_r(sorted, *n, sizeof(*sorted), grouping->compare, listings);
	return sorted;
}

static void group_places(struct listings *listings, struct groups *groups,
			 const struct places *places, const struct grouping *grouping)
{
	size_t n;

	groups->places = sort_places(listings, places, grouping, &n);
	for (size_t i = 0; i < n; i++) {
		struct place **at = &groups->places[i];
		struct group *group;

		if (!i || !grouping->is_one(listings, at[-1], at[0])) {
			groups->items = op_grow(groups->items, &groups->capacity, groups->n + 1,
						sizeof(*groups->items));
			groups->items[groups->n++] = (struct group){.places = at};
		}
		group = &groups->items[groups->n - 1];
		group->n++;
		group->own = tree_add_up(group->own, at[0]->own);
		if (group->all < at[0]->all)
			group->all = at[0]->all;
	}
}

static int compare_own(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->own != y->own)
		return x->own > y->own ? -1 : 1;
	return (x->places > y->places) - (x->places < y->places);
}

static int compare_all(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->all != y->all)
		return x->all > y->all ? -1 : 1;
	return (x->places > y->places) - (x->places < y->places);
}

/* Keeps those with the most events of their own, and then of the others those with the most of
 * all. */
static void choose_groups(const struct listings *listings, struct groups *groups)
{
	double least = SHARE_LEAST * (double)stack_tree_whole(listings->code.tree);
	struct group *others;
	size_t i = 0, k = 0;

	if (!groups->n)
		return;
	qsort(groups->items, groups->n, sizeof(*groups->items), compare_own);
	while (i < groups->n && i < LISTINGS_MOST && groups->items[i].own &&
	       (double)groups->items[i].own >= least)
		i++;
	others = groups->items + i;
	if (i < groups->n)
		qsort(others, groups->n - i, sizeof(*others), compare_all);
	while (i + k < groups->n && k < LISTINGS_MOST && others[k].all &&
	       (double)others[k].all >= least)
		k++;
	groups->n = i + k;
}

/* A place of the last side, or NULL. */
static const struct place *newest_place(const struct listings *listings, const struct group *group)
{
	for (size_t i = 0; i < group->n; i++)
		if (group->places[i]->side + 1 == listings->code.tree->n_sides)
			return group->places[i];
	return NULL;
}

/* Two builds of a function have different instructions: those of the last side are listed. */
static void leave_out_old_code(const struct listings *listings, struct groups *groups)
{
	size_t kept = 0;

	for (size_t i = 0; i < groups->n; i++)
		if (newest_place(listings, &groups->items[i]))
			groups->items[kept++] = groups->items[i];
	groups->n = kept;
}

/* ---- numbers of places ---- */

/* The links of a line to its addresses, up to @end. */
static const struct place_link *links_of(const struct listings *listings, const struct place *line,
					 const struct place_link **end)
{
	const struct sampled_code *code = &listings->code;

	*end = code->links + code->first_link[line->index + 1];
	return code->links + code->first_link[line->index];
}

static void mark_source(struct listings *listings, const struct group *group)
{
	const struct place_link *end;

	for (size_t i = 0; i < group->n; i++)
		for (const struct place_link *link = links_of(listings, group->places[i], &end);
		     link < end; link++)
			listings->code.addresses.items[link->address].number = 1;
}

/* Numbers the places that are in listings. */
static void number_places(struct listings *listings)
{
	struct places *addresses = &listings->code.addresses;
	uint32_t n = 0;

	for (size_t i = 0; i < listings->sources.n; i++)
		mark_source(listings, &listings->sources.items[i]);
	for (size_t i = 0; i < listings->assemblies.n; i++)
		for (size_t k = 0; k < listings->assemblies.items[i].n; k++)
			listings->assemblies.items[i].places[k]->number = 1;
	for (size_t i = 0; i < addresses->n; i++)
		if (addresses->items[i].number)
			addresses->items[i].number = ++n;
}

struct listings *listings_choose(struct stack_tree *tree)
{
	struct listings *listings = op_alloc(1, sizeof(*listings));

	sampled_code_make(&listings->code, tree);
	group_places(listings, &listings->sources, &listings->code.lines, &by_source);
	group_places(listings, &listings->assemblies, &listings->code.addresses, &by_code);
	leave_out_old_code(listings, &listings->assemblies);
	choose_groups(listings, &listings->sources);
	choose_groups(listings, &listings->assemblies);
	number_places(listings);
	return listings;
}

uint32_t listings_place(const void *listings, uint32_t side, const struct prof_frame *frame)
{
	const struct listings *of = listings;
	const struct place *place = sampled_code_address(&of->code, side, frame);

	return place ? place->number : 0;
}

void listings_free(struct listings *listings)
{
	sampled_code_free(&listings->code);
	free(listings->sources.places);
	free(listings->sources.items);
	free(listings->assemblies.places);
	free(listings->assemblies.items);
	free(listings->rows);
	free(listings->links);
	free(listings);
}

/* ---- rows ---- */

static struct row *add_row(struct listings *listings, uint64_t number, char *text)
{
	size_t n = listings->n_rows++;

	listings->rows = op_grow(listings->rows, &listings->rows_capacity, listings->n_rows,
				 sizeof(*listings->rows));
	listings->rows[n] = (struct row){.number = number, .text = text};
	return &listings->rows[n];
}

static void add_link(struct listings *listings, struct row *row, uint32_t place, bool is_own)
{
	listings->links = op_grow(listings->links, &listings->links_capacity, listings->n_links + 1,
				  sizeof(*listings->links));
	if (!row->n_links++)
		row->first_link = listings->n_links;
	listings->links[listings->n_links++] = (struct row_link){place, is_own};
}

/* Gives a row the places of a line, or that of an address. */
static void row_link(struct listings *listings, struct row *row, const struct place *place)
{
	const struct place_link *end;

	row->is_sampled = true;
	if (!place->file) {
		add_link(listings, row, place->number, true);
		return;
	}
	for (const struct place_link *link = links_of(listings, place, &end); link < end; link++)
		add_link(listings, row, listings->code.addresses.items[link->address].number,
			 link->is_own);
}

/* Leaves out rows that are far from those with samples, if there are many. */
static void thin_rows(struct listings *listings)
{
	size_t n = listings->n_rows, kept = 0, last = SIZE_MAX;
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

static void put_places(struct listings *listings)
{
	struct op_json *json = listings->json;

	op_json_array(json, "places");
	for (size_t i = 0; i < listings->n_rows; i++) {
		const struct row *row = &listings->rows[i];

		for (size_t k = 0; k < row->n_links; k++) {
			const struct row_link *link = &listings->links[row->first_link + k];

			op_json_number(json, NULL, i);
			op_json_number(json, NULL, link->place);
			op_json_number(json, NULL, link->is_own);
		}
	}
	op_json_end(json);
}

/* The functions of the places of a group, each once: of a source, that of its lines first; of
 * instructions, that of the symbol. */
static void put_functions(struct listings *listings, const struct group *group, bool is_source)
{
	struct op_json *json = listings->json;
	struct op_pair_table seen = {0};

	op_json_array(json, "functions");
	for (size_t i = 0; i < group->n; i++) {
		const struct place *place = group->places[i];
		const uint32_t both[] = {is_source ? place->function : place->symbol,
					 is_source ? place->symbol : place->function};

		for (size_t k = 0; k < 2; k++)
			if (!(*op_pair_table_get(&seen, both[k], 0))++)
				op_json_number(json, NULL, both[k]);
	}
	op_json_end(json);
	op_pair_table_free(&seen);
}

/* A place of a side: an address of the group, or of one of its lines; NULL: it has none there. */
static const struct place *place_of_side(const struct listings *listings, const struct group *group,
					 size_t side)
{
	for (size_t i = 0; i < group->n; i++) {
		const struct place_link *link, *end;

		if (!group->places[i]->file) {
			if (group->places[i]->side == side)
				return group->places[i];
			continue;
		}
		for (link = links_of(listings, group->places[i], &end); link < end; link++)
			if (listings->code.addresses.items[link->address].side == side)
				return &listings->code.addresses.items[link->address];
	}
	return NULL;
}

/* Of two sides: which have samples here, and whether these are of one build. */
static void put_sides(struct listings *listings, const struct group *group)
{
	const struct place *of[STACK_TREE_SIDES] = {place_of_side(listings, group, 0),
						    place_of_side(listings, group, 1)};
	struct op_json *json = listings->json;

	op_json_array(json, "sides");
	for (size_t i = 0; i < STACK_TREE_SIDES; i++)
		if (of[i])
			op_json_number(json, NULL, i);
	op_json_end(json);
	op_json_bool(json, "builds_differ",
		     of[0] && of[1] && !is_one_build(listings, of[0], of[1]));
}

static void put_listing(struct listings *listings, const struct group *group, bool is_source,
			const char *name, const char *trouble)
{
	struct op_json *json = listings->json;

	thin_rows(listings);
	op_json_object(json, NULL);
	put_functions(listings, group, is_source);
	op_json_string(json, "kind", is_source ? "source" : "assembly");
	op_json_string(json, "name", name);
	if (trouble)
		op_json_string(json, "trouble", trouble);
	if (listings->code.tree->n_sides == STACK_TREE_SIDES)
		put_sides(listings, group);
	put_rows(listings, is_source);
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
	if (at->function != at->symbol || !at->code ||
	    !sampled_code_at(&listings->code, at, &place))
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

/* Who names the file: ourselves, if debug information of ours does. */
static uid_t namer_of(const struct listings *listings, const struct group *group)
{
	uid_t namer = FOREIGN_NOBODY;

	for (size_t i = 0; i < group->n && namer != FOREIGN_OURSELVES; i++) {
		const struct place *line = group->places[i];
		struct prof_code_place place;

		if (line->is_file_named && sampled_code_at(&listings->code, line, &place) &&
		    place.debug)
			namer = pp_debug_info_namer(place.debug);
	}
	return namer;
}

/* Rows from the function's beginning to the last line with samples. */
static void put_source(struct listings *listings, const struct group *group)
{
	static const struct op_strings nowhere;
	static const struct pp_source_search search = {&nowhere, &nowhere};
	struct place *const *lines = group->places;
	int64_t first = lines[0]->line, line;
	struct pp_source source;
	struct op_error error;
	bool is_missing =
		pp_source_read(&source, &search, lines[0]->file, namer_of(listings, group), &error);

	for (size_t i = 0; i < group->n; i++)
		first = first_line(listings, lines[i], first);
	line = first > 2 ? first - 2 : 1;
	for (size_t i = 0; i < group->n; i++) {
		if (line < lines[i]->line - GAP_MOST || is_missing)
			line = lines[i]->line > line ? lines[i]->line : line;
		for (; line <= lines[i]->line && listings->n_rows < ROWS_MOST; line++) {
			const char *text = pp_source_line(&source, (int)line);

			add_row(listings, (uint64_t)line, text ? op_copy(text) : NULL);
		}
		if (listings->n_rows &&
		    listings->rows[listings->n_rows - 1].number == (uint64_t)lines[i]->line)
			row_link(listings, &listings->rows[listings->n_rows - 1], lines[i]);
	}
	for (int64_t end = line + 2; line < end; line++) {
		const char *text = pp_source_line(&source, (int)line);

		if (text)
			add_row(listings, (uint64_t)line, op_copy(text));
	}
	put_listing(listings, group, true, lines[0]->file, is_missing ? error.text : NULL);
	pp_source_free(&source);
}

/* ---- instructions ---- */

static void add_instructions(struct listings *listings, const struct group *group,
			     const struct prof_code_place *code, struct pp_disassembly *disassembly)
{
	struct place *const *at = group->places, *const *last = at + group->n;
	const struct pp_symbols *symbols = code->symbols;
	uint64_t key = at[0]->symbol_start;
	uint64_t end = symbols->items[pp_symbols_find(symbols, key)].end;
	const char *text;
	size_t n;

	while (key < end && listings->n_rows < ROWS_MOST &&
	       (n = pp_disassembly_next(disassembly, key, end, &text))) {
		uint64_t vma = pp_symbols_vma(symbols, key);
		struct row *row = add_row(listings, vma, op_copy(text));

		pp_debug_info_line(code->debug, pp_symbols_link(symbols, vma), &row->line);
		key += n;
		for (; at < last && at[0]->key < key; at++)
			row_link(listings, row, at[0]);
	}
}

static void put_assembly(struct listings *listings, const struct group *group)
{
	struct pp_disassembly *disassembly = NULL;
	struct prof_code_place code;
	struct op_error error;
	const char *trouble = NULL;

	if (!sampled_code_at(&listings->code, newest_place(listings, group), &code))
		return;
	if (pp_disassembly_open(&disassembly, code.path, code.symbols, NULL, &error))
		trouble = error.text;
	else
		add_instructions(listings, group, &code, disassembly);
	if (!trouble)
		trouble = pp_disassembly_failure(disassembly);
	put_listing(listings, group, false, code.path, trouble);
	pp_disassembly_close(disassembly);
}

void listings_write(struct listings *listings, struct op_json *json)
{
	listings->json = json;
	op_json_array(json, "listings");
	for (size_t i = 0; i < listings->sources.n; i++)
		put_source(listings, &listings->sources.items[i]);
	for (size_t i = 0; i < listings->assemblies.n; i++)
		put_assembly(listings, &listings->assemblies.items[i]);
	op_json_end(json);
}
