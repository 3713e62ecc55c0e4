// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples of addresses and lines: see sampled_code.h. */
#include "sampled_code.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "pp/formats/model/tree.h"

static struct place *add_place(struct places *places, uint64_t key)
{
	uint32_t i = (uint32_t)places->n++;

	places->items =
		op_grow(places->items, &places->capacity, places->n, sizeof(*places->items));
	places->items[i] = (struct place){.index = i};
	op_hash_add_or_exit(&places->by_key, key, i);
	return &places->items[i];
}

const struct prof_image *sampled_code_image(const struct sampled_code *code,
					    const struct place *place)
{
	return &code->tree->sides[place->side].prof->images[place->frame.image];
}

bool sampled_code_at(const struct sampled_code *code, const struct place *at,
		     struct prof_code_place *place)
{
	return names_code(code->tree->sides[at->side].names, &at->frame, place);
}

/* The symbol at an address, if its image was read. */
static void place_find_code(const struct sampled_code *code, struct place *address)
{
	struct prof_code_place place;
	size_t symbol;

	if (!sampled_code_at(code, address, &place) || !place.path)
		return;
	symbol = pp_symbols_find(place.symbols, place.key);
	if (symbol == place.symbols->n)
		return;
	address->symbol_start = place.symbols->items[symbol].start;
	address->code = place.path;
	address->key = place.key;
}

/* The file of a function's lines.  Builds in directories of their own have files of the same name:
 * that which a newer side names, if it is the only one. */
static const char *file_of(struct sampled_code *code, uint32_t side, uint32_t function,
			   const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *newer = NULL;
	uint64_t key = op_hash_text(function, base);
	size_t n_newer = 0;
	uint32_t i;

	op_hash_for_each_possible (&code->by_file, key, i) {
		const struct source_file *file = &code->files[i];
		const char *other = strrchr(file->path, '/');

		if (file->function != function || strcmp(other ? other + 1 : file->path, base) != 0)
			continue;
		if (!strcmp(file->path, path))
			return file->path;
		if (file->side != side && !n_newer++)
			newer = file->path;
	}
	if (n_newer == 1)
		return newer;
	code->files = op_grow(code->files, &code->files_capacity, code->n_files + 1,
			      sizeof(*code->files));
	code->files[code->n_files] = (struct source_file){function, side, path};
	op_hash_add_or_exit(&code->by_file, key, (uint32_t)code->n_files++);
	return path;
}

/* The place of a line of @function at @address. */
static uint32_t line_at(struct sampled_code *code, const struct place *address, uint32_t function,
			const struct prof_line *line)
{
	struct places *lines = &code->lines;
	const char *file = file_of(code, address->side, function, line->file);
	uint64_t key = op_hash_text(op_hash_mix(function, (uint64_t)line->line), file);
	struct place *place;
	uint32_t i;

	op_hash_for_each_possible (&lines->by_key, key, i) {
		place = &lines->items[i];
		if (place->function == function && place->line == line->line &&
		    !strcmp(place->file, file))
			return i;
	}
	place = add_place(lines, key);
	place->side = address->side;
	place->frame = address->frame;
	place->symbol = address->symbol;
	place->code = address->code;
	place->key = address->key;
	place->symbol_start = address->symbol_start;
	place->function = function;
	place->file = file;
	place->is_file_named = !strcmp(file, line->file);
	place->line = line->line;
	return place->index;
}

/* What the functions at an address are, and the lines of those whose lines are known. */
static void place_name(struct sampled_code *code, struct place *address)
{
	const struct prof_name *name =
		names_at(code->tree->sides[address->side].names, &address->frame);
	uint32_t image = address->frame.image, side = address->side;

	address->symbol = stack_tree_function(code->tree, side, &name->lines[name->n - 1], image);
	address->first_line = code->n_lines_of;
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

/* The address at @frame of a side; NULL: it is not there.  @key: its key. */
static struct place *find_address(const struct sampled_code *code, uint32_t side,
				  const struct prof_frame *frame, uint64_t *key)
{
	uint32_t i;

	*key = op_hash_mix(op_hash_mix(side, frame->image), frame->offset);
	op_hash_for_each_possible (&code->addresses.by_key, *key, i) {
		struct place *place = &code->addresses.items[i];

		if (place->side == side && place->frame.image == frame->image &&
		    place->frame.offset == frame->offset)
			return place;
	}
	return NULL;
}

const struct place *sampled_code_address(const struct sampled_code *code, uint32_t side,
					 const struct prof_frame *frame)
{
	uint64_t key;

	return find_address(code, side, frame, &key);
}

static struct place *address_at(struct sampled_code *code, uint32_t side,
				const struct prof_frame *frame)
{
	uint64_t key;
	struct place *place = find_address(code, side, frame, &key);

	if (place)
		return place;
	place = add_place(&code->addresses, key);
	place->side = side;
	place->frame = *frame;
	place_name(code, place);
	return place;
}

/* A place that is in a call chain more than once counts once. */
static void place_count(const struct sampled_code *code, struct place *place, uint64_t weight,
			bool is_own)
{
	if (place->seen == code->n_samples)
		return;
	place->seen = code->n_samples;
	place->all = tree_add_up(place->all, weight);
	if (is_own)
		place->own = tree_add_up(place->own, weight);
}

/* Frames come innermost first, so that what a place has of its own is seen first. */
static void count_frame(struct sampled_code *code, uint32_t side, const struct prof_frame *frame,
			bool is_innermost, uint64_t weight)
{
	struct place *address = address_at(code, side, frame);

	place_count(code, address, weight, is_innermost);
	for (size_t i = 0; i < address->n_lines; i++) {
		uint32_t line = code->lines_of[address->first_line + i];

		place_count(code, &code->lines.items[line], weight,
			    is_innermost && !i && address->has_own_line);
	}
}

/* What a sample weighs: of the side's first event. */
static uint64_t weight_of(const struct sampled_code *code, uint32_t side,
			  const struct prof_sample *sample)
{
	uint64_t events = 0;

	for (size_t i = 0; i < sample->n_values; i++)
		if (!sample->values[i].event)
			events = tree_add_up(events, sample->values[i].events);
	return stack_tree_weight(code->tree, side, events);
}

static void gather_places(struct sampled_code *code, uint32_t side)
{
	const struct stack_tree_side *of = &code->tree->sides[side];
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	while (prof_next(of->prof, &cursor, &sample)) {
		uint64_t weight = weight_of(code, side, &sample);

		code->n_samples++;
		for (size_t i = 0; i < sample.depth; i++) {
			const struct prof_frame frame = names_place(of->names, &sample, i);

			count_frame(code, side, &frame, !i, weight);
		}
	}
	prof_cursor_free(&cursor);
}

/* Of one line and address, what is the line's own comes first. */
static int compare_links(const void *a, const void *b)
{
	const struct place_link *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return y->is_own - x->is_own;
}

/* Links the lines of an address to it. */
static void link_address(struct sampled_code *code, const struct place *address)
{
	for (size_t i = 0; i < address->n_lines; i++) {
		code->links = op_grow(code->links, &code->links_capacity, code->n_links + 1,
				      sizeof(*code->links));
		code->links[code->n_links++] =
			(struct place_link){code->lines_of[address->first_line + i], address->index,
					    !i && address->has_own_line};
	}
}

/* A line of a function that is inlined in itself is at one address more than once. */
static void sort_links(struct sampled_code *code)
{
	size_t kept = 0;

	if (code->n_links)
		qsort(code->links, code->n_links, sizeof(*code->links), compare_links);
	for (size_t i = 0; i < code->n_links; i++) {
		const struct place_link *link = &code->links[i];

		if (!kept || link->line != code->links[kept - 1].line ||
		    link->address != code->links[kept - 1].address)
			code->links[kept++] = *link;
	}
	code->n_links = kept;
}

/* Finds the addresses of each line. */
static void link_lines(struct sampled_code *code)
{
	size_t n = code->lines.n, at = 0;

	for (size_t i = 0; i < code->addresses.n; i++)
		link_address(code, &code->addresses.items[i]);
	sort_links(code);
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
	*code = (struct sampled_code){.tree = tree};
	for (uint32_t i = (uint32_t)tree->n_sides; i--;)
		gather_places(code, i);
	link_lines(code);
}

void sampled_code_free(struct sampled_code *code)
{
	places_free(&code->addresses);
	places_free(&code->lines);
	free(code->lines_of);
	free(code->files);
	op_hash_free(&code->by_file);
	free(code->links);
	free(code->first_link);
	*code = (struct sampled_code){0};
}
