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

static void add_symbol(struct pp_symbols *symbols, size_t *capacity, const struct pp_code *code,
		       uint64_t start, uint64_t end, const char *name)
{
	if (start >= end)
		return;
	symbols->items =
		pp_grow(symbols->items, capacity, symbols->n + 1, sizeof(struct pp_symbol));
	symbols->items[symbols->n++] = (struct pp_symbol){
		.start = start,
		.end = end,
		.vma = code->vma + (start - code->start),
		.name = name,
	};
}

/* Keeps the names of @raw up to @end that are not @name; equal names are neighbours. */
static void add_aliases(struct pp_symbols *symbols, size_t *capacity,
			const struct pp_raw_symbol *raw, const struct pp_raw_symbol *end,
			const char *name)
{
	for (; raw < end; raw++) {
		if (!strcmp(raw->name, name) || !strcmp(raw->name, raw[-1].name))
			continue;
		symbols->aliases = pp_grow(symbols->aliases, capacity, symbols->n_aliases + 1,
					   sizeof(struct pp_alias));
		symbols->aliases[symbols->n_aliases++] =
			(struct pp_alias){.start = raw->start, .name = raw->name};
	}
}

void pp_symbols_tidy(struct pp_symbols *symbols, struct pp_raw_symbol *raw, size_t n,
		     bool name_gaps)
{
	size_t capacity = 0, alias_capacity = 0, next = 0;

	if (n)
		qsort(raw, n, sizeof(*raw), compare_raw);
	symbols->items = pp_grow(NULL, &capacity, n + symbols->n_code, sizeof(struct pp_symbol));
	for (size_t i = 0; i < symbols->n_code; i++) {
		const struct pp_code *code = &symbols->code[i];
		uint64_t at = code->start; /* end of the named code */

		while (next < n && raw[next].start < code->end) {
			const struct pp_raw_symbol *symbol = &raw[next++];
			uint64_t end;

			if (symbol->start < at) /* an alias, or not in any code */
				continue;
			while (next < n && raw[next].start == symbol->start)
				next++;
			add_aliases(symbols, &alias_capacity, symbol + 1, raw + next, symbol->name);
			end = next < n && raw[next].start < code->end ? raw[next].start : code->end;
			if (symbol->size && symbol->size < end - symbol->start)
				end = symbol->start + symbol->size;
			if (name_gaps && code->name && at == code->start)
				add_symbol(symbols, &capacity, code, at, symbol->start, code->name);
			add_symbol(symbols, &capacity, code, symbol->start, end, symbol->name);
			at = end;
		}
		if (name_gaps && code->name && at == code->start)
			add_symbol(symbols, &capacity, code, at, code->end, code->name);
	}
}

void pp_symbols_free(struct pp_symbols *symbols)
{
	if (symbols->release)
		symbols->release(symbols->owner);
	free(symbols->items);
	free(symbols->aliases);
	free(symbols->code);
	free(symbols->lines);
	free(symbols->debug_path);
	memset(symbols, 0, sizeof(*symbols));
}

size_t pp_symbols_find(const struct pp_symbols *symbols, uint64_t key)
{
	size_t i = op_first_above(symbols->items, symbols->n, end, key);

	return i < symbols->n && symbols->items[i].start <= key ? i : symbols->n;
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
