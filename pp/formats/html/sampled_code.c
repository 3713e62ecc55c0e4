// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples of addresses and lines: see sampled_code.h. */
#include "sampled_code.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "pp/formats/model/tree.h"

static struct place *add_place(struct sampled_code *code, struct places *places, uint64_t key)
{
	uint32_t i = (uint32_t)places->n++;

	places->items =
		op_grow(places->items, &places->capacity, places->n, sizeof(*places->items));
	places->items[i] = (struct place){.values = code->n_values};
	code->n_values += sampled_n_values(code);
	code->values = op_grow(code->values, &code->values_capacity, code->n_values,
			       sizeof(*code->values));
	memset(code->values + places->items[i].values, 0,
	       sampled_n_values(code) * sizeof(*code->values));
	op_hash_add_or_exit(&places->by_key, key, i);
	return &places->items[i];
}

void sampled_add(struct prof_value *sum, const struct prof_value *value)
{
	sum->count = tree_add_up(sum->count, value->count);
	sum->events = tree_add_up(sum->events, value->events);
}

/* The symbol at an address, if its image was read. */
static void place_find_code(const struct sampled_code *code, struct place *address)
{
	struct prof_code_place place;
	size_t symbol;

	if (!names_code(code->side->names, &address->frame, &place) || !place.path)
		return;
	symbol = pp_symbols_find(place.symbols, place.key);
	if (symbol == place.symbols->n)
		return;
	address->symbol_start = place.symbols->items[symbol].start;
	address->has_code = true;
}

/* The place of a line of @function at @address. */
static uint32_t line_at(struct sampled_code *code, const struct place *address, uint32_t function,
			const struct prof_line *line)
{
	struct places *lines = &code->lines;
	uint64_t key = op_hash_text(op_hash_mix(function, (uint64_t)line->line), line->file);
	struct place *place;
	uint32_t i;

	op_hash_for_each_possible (&lines->by_key, key, i) {
		place = &lines->items[i];
		if (place->function == function && place->line == line->line &&
		    !strcmp(place->file, line->file))
			return i;
	}
	place = add_place(code, lines, key);
	place->frame = address->frame;
	place->symbol = address->symbol;
	place->symbol_start = address->symbol_start;
	place->has_code = address->has_code;
	place->function = function;
	place->file = line->file;
	place->line = line->line;
	place->number = (uint32_t)(lines->n - 1);
	return place->number;
}

/* What the functions at an address are, and the lines of those whose lines are known. */
static void place_name(struct sampled_code *code, struct place *address)
{
	const struct prof_name *name = names_at(code->side->names, &address->frame);
	uint32_t image = address->frame.image, side = code->side_number;

	address->symbol = stack_tree_function(code->tree, side, &name->lines[name->n - 1], image);
	address->lines = code->n_lines_of;
	place_find_code(code, address);
	for (size_t i = 0; i < name->n; i++) {
		const struct prof_line *line = &name->lines[i];
		uint32_t function = stack_tree_function(code->tree, side, line, image);

		if (!i)
			address->function = function;
		if (line->line <= 0 || !line->file)
			continue;
		code->lines_of = op_grow(code->lines_of, &code->lines_of_capacity,
					 code->n_lines_of + 1, sizeof(*code->lines_of));
		code->lines_of[code->n_lines_of++] = line_at(code, address, function, line);
		address->n_lines++;
		address->has_own_line |= !i;
	}
}

static struct place *address_at(struct sampled_code *code, const struct prof_frame *frame)
{
	uint64_t key = op_hash_mix(frame->image, frame->offset);
	struct place *place;
	uint32_t i;

	op_hash_for_each_possible (&code->addresses.by_key, key, i) {
		place = &code->addresses.items[i];
		if (place->frame.image == frame->image && place->frame.offset == frame->offset)
			return place;
	}
	place = add_place(code, &code->addresses, key);
	place->frame = *frame;
	place->number = stack_tree_place(code->tree, frame);
	place_name(code, place);
	return place;
}

/* @n: of how many of the values, from the last one on, it is; a place that is in a call chain more
 * than once counts once. */
static void place_count(struct sampled_code *code, struct place *place,
			const struct prof_sample *sample, uint64_t number, size_t n)
{
	if (place->seen == number)
		return;
	place->seen = number;
	for (size_t kind = SAMPLED_KINDS - n; kind < SAMPLED_KINDS; kind++)
		for (size_t i = 0; i < sample->n_values; i++) {
			size_t at = kind * sampled_n_events(code) + sample->values[i].event;

			sampled_add(&code->values[place->values + at], &sample->values[i]);
		}
}

/* Frames come innermost first, so that what a place has of its own is seen first. */
static void count_frame(struct sampled_code *code, const struct prof_sample *sample, size_t index,
			uint64_t number)
{
	const struct prof_frame frame = names_place(code->side->names, sample, index);
	struct place *address = address_at(code, &frame);

	place_count(code, address, sample, number, index ? 1 : SAMPLED_KINDS);
	for (size_t i = 0; i < address->n_lines; i++) {
		struct place *line = &code->lines.items[code->lines_of[address->lines + i]];

		bool is_own = !index && !i && address->has_own_line;

		place_count(code, line, sample, number, is_own ? SAMPLED_KINDS : index ? 1 : 2);
	}
}

static void gather_places(struct sampled_code *code)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	uint64_t number = 0;

	while (prof_next(code->side->prof, &cursor, &sample)) {
		number++;
		for (size_t i = 0; i < sample.depth; i++)
			count_frame(code, &sample, i, number);
	}
	prof_cursor_free(&cursor);
}

static int compare_links(const void *a, const void *b)
{
	const struct place_link *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Links the lines of an address to it. */
static void link_address(struct sampled_code *code, const struct place *address)
{
	for (size_t i = 0; address->number && i < address->n_lines; i++) {
		code->links = op_grow(code->links, &code->links_capacity, code->n_links + 1,
				      sizeof(*code->links));
		code->links[code->n_links++] =
			(struct place_link){code->lines_of[address->lines + i], address->number,
					    !i && address->has_own_line};
	}
}

/* Finds the places of each line; before these are sorted. */
static void link_lines(struct sampled_code *code)
{
	size_t n = code->lines.n, at = 0;

	for (size_t i = 0; i < code->addresses.n; i++)
		link_address(code, &code->addresses.items[i]);
	if (code->n_links)
		qsort(code->links, code->n_links, sizeof(*code->links), compare_links);
	code->first_link = op_alloc(n + 1, sizeof(*code->first_link));
	for (size_t line = 0; line <= n; line++) {
		while (at < code->n_links && code->links[at].line < line)
			at++;
		code->first_link[line] = (uint32_t)at;
	}
}

static void places_free(struct places *places)
{
	op_hash_free(&places->by_key);
	free(places->items);
}

void sampled_code_make(struct sampled_code *code, struct stack_tree *tree)
{
	uint32_t number = (uint32_t)tree->n_sides - 1;

	*code = (struct sampled_code){
		.tree = tree, .side = &tree->sides[number], .side_number = number};
	gather_places(code);
	link_lines(code);
}

void sampled_code_free(struct sampled_code *code)
{
	places_free(&code->addresses);
	places_free(&code->lines);
	free(code->lines_of);
	free(code->links);
	free(code->first_link);
	free(code->values);
	*code = (struct sampled_code){0};
}
