// SPDX-License-Identifier: GPL-2.0-or-later
/* The array of symbols of an image. */
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/search.h"

/* Aliases sort by rank, then by name, so that every run gives the same result. */
static int compare_raw(const void *a, const void *b)
{
	const struct pp_raw_symbol *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return strcmp(left->name, right->name);
}

/* Keeps the names of @raw up to @end that are not @name; equal names are neighbours. */
static void add_aliases(struct pp_symbols *symbols, size_t *capacity,
			const struct pp_raw_symbol *raw, const struct pp_raw_symbol *end,
			const char *name)
{
	for (; raw < end; raw++) {
		if (!strcmp(raw->name, name) || !strcmp(raw->name, raw[-1].name))
			continue;
		symbols->aliases = op_grow(symbols->aliases, capacity, symbols->n_aliases + 1,
					   sizeof(struct pp_alias));
		symbols->aliases[symbols->n_aliases++] =
			(struct pp_alias){.start = raw->start, .name = raw->name};
	}
}

/* struct open_symbol - one whose end is still ahead */
struct open_symbol {
	const struct pp_raw_symbol *raw;
	uint64_t end;
};

/* struct sweep - a walk over the code, from symbol to symbol */
struct sweep {
	struct pp_symbols *symbols;
	const struct pp_code *code; /* that is walked over */
	uint64_t at;		    /* where it is */
	size_t capacity, alias_capacity;
	struct open_symbol *open; /* the one that is nested deepest is the last */
	size_t n_open, open_capacity;
};

/* Code up to @end is of @name, which begins at @first. */
static void add_symbol(struct sweep *sweep, uint64_t end, uint64_t first, const char *name)
{
	struct pp_symbols *symbols = sweep->symbols;
	const struct pp_code *code = sweep->code;

	if (sweep->at < end) {
		symbols->items = op_grow(symbols->items, &sweep->capacity, symbols->n + 1,
					 sizeof(struct pp_symbol));
		symbols->items[symbols->n++] = (struct pp_symbol){
			.start = sweep->at,
			.end = end,
			.vma = code->vma + (sweep->at - code->start),
			.skipped = sweep->at - first,
			.name = name,
		};
	}
	sweep->at = end;
}

/* Code up to @end is of the symbols that are open, or of none. */
static void sweep_to(struct sweep *sweep, uint64_t end)
{
	while (sweep->n_open) {
		const struct open_symbol *last = &sweep->open[sweep->n_open - 1];
		uint64_t until = last->end < end ? last->end : end;

		if (sweep->at < until)
			add_symbol(sweep, until, last->raw->start, last->raw->name);
		if (last->end > end)
			return;
		sweep->n_open--;
	}
	sweep->at = end;
}

/* The first of the symbols at @raw->start has their name, the largest their size.  Return: how many
 * they are. */
static size_t join_raw(struct pp_raw_symbol *raw, const struct pp_raw_symbol *end)
{
	struct pp_raw_symbol *next = raw + 1;

	for (; next < end && next->start == raw->start; next++)
		if (next->size > raw->size)
			raw->size = next->size;
	return (size_t)(next - raw);
}

/* Where a symbol without a size ends at the latest, if @end is where the next one begins. */
static uint64_t next_start(const struct pp_starts *starts, uint64_t start, uint64_t end)
{
	size_t low = 0, high = starts->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (starts->keys[middle] > start)
			high = middle;
		else
			low = middle + 1;
	}
	return low < starts->n && starts->keys[low] < end ? starts->keys[low] : end;
}

/* Names the code of one section.  Return: the first raw symbol behind it. */
static struct pp_raw_symbol *sweep_code(struct sweep *sweep, struct pp_raw_symbol *raw,
					const struct pp_raw_symbol *last,
					const struct pp_starts *starts, bool name_gaps)
{
	const struct pp_code *code = sweep->code;
	bool is_first = true;

	sweep->at = code->start;
	while (raw < last && raw->start < code->end) {
		size_t n = join_raw(raw, last);
		uint64_t end =
			raw + n < last && raw[n].start < code->end ? raw[n].start : code->end;
		const struct pp_raw_symbol *symbol = raw;

		raw += n;
		if (symbol->start < sweep->at) /* not in any code */
			continue;
		if (is_first && name_gaps && code->name)
			add_symbol(sweep, symbol->start, sweep->at, code->name);
		is_first = false;
		sweep_to(sweep, symbol->start);
		if (!symbol->size && sweep->n_open) /* a label */
			continue;
		if (!symbol->size)
			end = next_start(starts, symbol->start, end);
		else if (symbol->size < code->end - symbol->start)
			end = symbol->start + symbol->size;
		else
			end = code->end;
		add_aliases(sweep->symbols, &sweep->alias_capacity, symbol + 1, raw, symbol->name);
		sweep->open = op_grow(sweep->open, &sweep->open_capacity, sweep->n_open + 1,
				      sizeof(*sweep->open));
		sweep->open[sweep->n_open++] = (struct open_symbol){symbol, end};
	}
	sweep_to(sweep, code->end);
	if (is_first && name_gaps && code->name) {
		sweep->at = code->start;
		add_symbol(sweep, code->end, code->start, code->name);
	}
	return raw;
}

void pp_symbols_tidy(struct pp_symbols *symbols, struct pp_raw_symbol *raw, size_t n,
		     const struct pp_starts *starts, bool name_gaps)
{
	struct sweep sweep = {.symbols = symbols};
	const struct pp_raw_symbol *last = raw + n;

	if (n)
		qsort(raw, n, sizeof(*raw), compare_raw);
	symbols->items =
		op_grow(NULL, &sweep.capacity, n + symbols->n_code, sizeof(struct pp_symbol));
	for (size_t i = 0; i < symbols->n_code; i++) {
		sweep.code = &symbols->code[i];
		raw = sweep_code(&sweep, raw, last, starts, name_gaps);
	}
	free(sweep.open);
}

void pp_symbols_free(struct pp_symbols *symbols)
{
	if (symbols->release)
		symbols->release(symbols->owner);
	free(symbols->items);
	free(symbols->aliases);
	free(symbols->code);
	free(symbols->lines);
	free(symbols->given);
	free(symbols->debug_path);
	foreign_kept_free(&symbols->kept);
	memset(symbols, 0, sizeof(*symbols));
}

size_t pp_symbols_find(const struct pp_symbols *symbols, uint64_t key)
{
	size_t i = op_first_above(symbols->items, symbols->n, end, key);

	return i < symbols->n && symbols->items[i].start <= key ? i : symbols->n;
}

bool pp_symbols_is_before_entry(const struct pp_symbols *symbols, uint64_t key)
{
	size_t i = op_first_above(symbols->items, symbols->n, end, key);

	return i < symbols->n && symbols->items[i].start == key + 1 && !symbols->items[i].skipped;
}

const struct pp_alias *pp_symbols_aliases(const struct pp_symbols *symbols, uint64_t start,
					  size_t *n)
{
	size_t low = 0, high = op_first_above(symbols->aliases, symbols->n_aliases, start, start);

	if (start)
		low = op_first_above(symbols->aliases, high, start, start - 1);
	*n = high - low;
	return symbols->aliases + low;
}

const struct pp_code *pp_symbols_code(const struct pp_symbols *symbols, uint64_t key)
{
	for (size_t i = 0; i < symbols->n_code; i++)
		if (key >= symbols->code[i].start && key < symbols->code[i].end)
			return &symbols->code[i];
	return NULL;
}

uint64_t pp_symbols_vma(const struct pp_symbols *symbols, uint64_t key)
{
	const struct pp_code *code = pp_symbols_code(symbols, key);

	return code ? code->vma + (key - code->start) : key;
}

uint64_t pp_symbols_link(const struct pp_symbols *symbols, uint64_t vma)
{
	for (size_t i = 0; i < symbols->n_code; i++) {
		const struct pp_code *code = &symbols->code[i];

		if (vma - code->vma < code->end - code->start)
			return code->link + (vma - code->vma);
	}
	return vma;
}

bool pp_symbols_key(const struct pp_symbols *symbols, uint64_t vma, uint64_t *key)
{
	for (size_t i = 0; i < symbols->n_code; i++) {
		const struct pp_code *code = &symbols->code[i];

		if (vma - code->vma < code->end - code->start) {
			*key = code->start + (vma - code->vma);
			return true;
		}
	}
	return false;
}
