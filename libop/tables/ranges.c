// SPDX-License-Identifier: GPL-2.0-or-later
/* Flat intervals: a sweep with a heap of the intervals that cover the current address. */
#include "ranges.h"

#include <stdbool.h>
#include <stdlib.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/search.h"

struct heap {
	const struct op_interval **items; /* the highest rank is first */
	size_t n, capacity;
};

static int compare_starts(const void *a, const void *b)
{
	const struct op_interval *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return op_compare_u64(left->value, right->value);
}

/* Pointers are into the sorted array. */
static bool wins(const struct op_interval *a, const struct op_interval *b)
{
	return a->rank != b->rank ? a->rank > b->rank : a > b;
}

static void heap_push(struct heap *heap, const struct op_interval *one)
{
	size_t at = heap->n++;

	heap->items = op_grow(heap->items, &heap->capacity, heap->n, sizeof(*heap->items));
	for (; at && wins(one, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
		heap->items[at] = heap->items[(at - 1) / 2];
	heap->items[at] = one;
}

static void pop(struct heap *heap)
{
	const struct op_interval *last = heap->items[--heap->n];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < heap->n) {
		if (child + 1 < heap->n && wins(heap->items[child + 1], heap->items[child]))
			child++;
		if (!wins(heap->items[child], last))
			break;
		heap->items[at] = heap->items[child];
		at = child;
	}
	if (heap->n)
		heap->items[at] = last;
}

struct flat {
	struct op_interval *items;
	size_t n, capacity;
};

static void flat_add(struct flat *flat, uint64_t start, uint64_t end,
		     const struct op_interval *winner)
{
	struct op_interval *last = flat->n ? &flat->items[flat->n - 1] : NULL;

	if (last && last->end == start && last->value == winner->value) {
		last->end = end;
		return;
	}
	flat->items = op_grow(flat->items, &flat->capacity, flat->n + 1, sizeof(*flat->items));
	flat->items[flat->n++] = (struct op_interval){
		.start = start, .end = end, .rank = winner->rank, .value = winner->value};
}

size_t op_intervals_flatten(struct op_interval *intervals, size_t n, struct op_interval **out)
{
	struct heap heap = {0};
	struct flat flat = {0};
	uint64_t at = 0;
	size_t next = 0;

	if (n)
		qsort(intervals, n, sizeof(*intervals), compare_starts);
	while (next < n || heap.n) {
		uint64_t until = next < n ? intervals[next].start : UINT64_MAX;

		if (heap.n) {
			uint64_t end = heap.items[0]->end < until ? heap.items[0]->end : until;

			if (at < end)
				flat_add(&flat, at, end, heap.items[0]);
			at = at > end ? at : end;
		} else {
			at = until;
		}
		while (heap.n && heap.items[0]->end <= at)
			pop(&heap);
		for (; next < n && intervals[next].start <= at; next++)
			if (intervals[next].end > at)
				heap_push(&heap, &intervals[next]);
	}
	free(heap.items);
	*out = flat.items;
	return flat.n;
}

const struct op_interval *op_intervals_find(const struct op_interval *flat, size_t n,
					    uint64_t address)
{
	size_t i = op_first_above(flat, n, end, address);

	return i < n && flat[i].start <= address ? &flat[i] : NULL;
}
