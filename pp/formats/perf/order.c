// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See order.h.  Waiting records are a heap by time, then by when they came; their bytes
 * stand in chunks, which are used again when the last record in them is gone.
 */
#include "order.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

#define CHUNK_BYTES (256u << 10)

struct chunk {
	struct chunk *next; /* of the free ones */
	uint32_t waiting;   /* records in it */
	uint32_t used;	    /* bytes */
	uint8_t bytes[CHUNK_BYTES];
};

struct waiting {
	uint64_t time, sequence;
	struct chunk *chunk;
	uint32_t at; /* in it */
	uint16_t misc, size;
	uint32_t type;
	uint64_t offset;
	const void *origin;
};

struct perf_order {
	perf_deliver *deliver;
	void *context;

	struct waiting *heap;
	size_t n, capacity;
	uint64_t sequence;

	struct chunk *current, *unused;
	size_t chunks, chunks_most; /* with records in them */
	size_t waiting_most;

	uint64_t youngest;	 /* of all that came */
	uint64_t round_youngest; /* of those before the last FINISHED_ROUND */
	uint64_t delivered;	 /* the youngest of them */
	uint64_t late;
};

struct perf_order *perf_order_new(size_t bytes, perf_deliver *deliver, void *context)
{
	struct perf_order *order = op_alloc(1, sizeof(*order));

	order->deliver = deliver;
	order->context = context;
	order->chunks_most = bytes / CHUNK_BYTES > 2 ? bytes / CHUNK_BYTES : 2;
	order->waiting_most = bytes / sizeof(struct waiting);
	return order;
}

void perf_order_free(struct perf_order *order)
{
	struct chunk *chunk;

	if (!order)
		return;
	for (size_t i = 0; i < order->n; i++) {
		chunk = order->heap[i].chunk;
		if (!--chunk->waiting && chunk != order->current)
			free(chunk);
	}
	while (order->unused) {
		chunk = order->unused;
		order->unused = chunk->next;
		free(chunk);
	}
	free(order->current);
	free(order->heap);
	free(order);
}

/* ---- heap ---- */

static bool is_before(const struct waiting *a, const struct waiting *b)
{
	return a->time < b->time || (a->time == b->time && a->sequence < b->sequence);
}

static void perf_order_push(struct perf_order *order, const struct waiting *record)
{
	size_t at = order->n++, above;

	order->heap = op_grow(order->heap, &order->capacity, order->n, sizeof(*order->heap));
	for (; at; at = above) {
		above = (at - 1) / 2;
		if (!is_before(record, &order->heap[above]))
			break;
		order->heap[at] = order->heap[above];
	}
	order->heap[at] = *record;
}

static struct waiting pop(struct perf_order *order)
{
	struct waiting *heap = order->heap, first = heap[0];
	const struct waiting *moved = &heap[--order->n];
	size_t at = 0, below;

	while ((below = 2 * at + 1) < order->n) {
		if (below + 1 < order->n && is_before(&heap[below + 1], &heap[below]))
			below++;
		if (!is_before(&heap[below], moved))
			break;
		heap[at] = heap[below];
		at = below;
	}
	heap[at] = *moved;
	return first;
}

/* ---- chunks ---- */

static struct chunk *take_chunk(struct perf_order *order)
{
	struct chunk *chunk = order->unused;

	if (chunk)
		order->unused = chunk->next;
	else
		chunk = op_chunk(sizeof(*chunk));
	chunk->next = NULL;
	chunk->waiting = 0;
	chunk->used = 0;
	return chunk;
}

/* The chunk whose turn it is, with room for @size bytes. */
static struct chunk *chunk_with_room(struct perf_order *order, size_t size)
{
	struct chunk *full = order->current;

	if (full && CHUNK_BYTES - full->used >= size)
		return full;
	if (full && !full->waiting) {
		full->used = 0;
		return full;
	}
	order->current = take_chunk(order);
	order->chunks++;
	return order->current;
}

static void leave_chunk(struct perf_order *order, struct chunk *chunk)
{
	if (--chunk->waiting || chunk == order->current)
		return;
	chunk->next = order->unused;
	order->unused = chunk;
	order->chunks--;
}

/* ---- delivery ---- */

static int deliver_first(struct perf_order *order, struct op_error *error)
{
	struct waiting first = pop(order);
	struct perf_raw raw = {
		.type = first.type,
		.misc = first.misc,
		.size = first.size,
		.body = first.chunk->bytes + first.at,
		.offset = first.offset,
		.origin = first.origin,
	};
	int result;

	if (first.time < order->delivered)
		order->late++;
	else
		order->delivered = first.time;
	result = order->deliver(order->context, &raw, error);
	leave_chunk(order, first.chunk);
	return result;
}

static int deliver_until(struct perf_order *order, uint64_t time, struct op_error *error)
{
	while (order->n && order->heap[0].time <= time)
		if (deliver_first(order, error) < 0)
			return -1;
	return 0;
}

/* Whether the records that wait take more than 1/@part of what they may. */
static bool is_full(const struct perf_order *order, size_t part)
{
	return order->n &&
	       (order->chunks > order->chunks_most / part || order->n > order->waiting_most / part);
}

static int perf_order_make_room(struct perf_order *order, struct op_error *error)
{
	while (is_full(order, 2))
		if (deliver_first(order, error) < 0)
			return -1;
	return 0;
}

int perf_order_add_early(struct perf_order *order, const struct perf_raw *raw, uint64_t time,
			 struct op_error *error)
{
	size_t size = raw->size - PERF_HEADER_SIZE;
	struct waiting record = {
		.time = time,
		.sequence = order->sequence++,
		.misc = raw->misc,
		.size = raw->size,
		.type = raw->type,
		.offset = raw->offset,
		.origin = raw->origin,
	};

	record.chunk = chunk_with_room(order, size);
	record.at = record.chunk->used;
	memcpy(record.chunk->bytes + record.at, raw->body, size);
	record.chunk->used += (uint32_t)size;
	record.chunk->waiting++;
	perf_order_push(order, &record);
	return is_full(order, 1) ? perf_order_make_room(order, error) : 0;
}

int perf_order_add(struct perf_order *order, const struct perf_raw *raw, uint64_t time,
		   struct op_error *error)
{
	if (time > order->youngest)
		order->youngest = time;
	return perf_order_add_early(order, raw, time, error);
}

int perf_order_round(struct perf_order *order, struct op_error *error)
{
	int result = deliver_until(order, order->round_youngest, error);

	order->round_youngest = order->youngest;
	return result;
}

int perf_order_flush(struct perf_order *order, struct op_error *error)
{
	return deliver_until(order, UINT64_MAX, error);
}

uint64_t perf_order_delivered(const struct perf_order *order)
{
	return order->delivered;
}

uint64_t perf_order_late(const struct perf_order *order)
{
	return order->late;
}
