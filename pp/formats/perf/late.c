// SPDX-License-Identifier: GPL-2.0-or-later
/* See late.h. */
#include "late.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

#define BYTES_MOST (8u << 20)

/* A pass through the file that only orders its records; those that are late leave the order behind
 * younger ones, as they would in the pass that counts. */
struct pass {
	struct perf_late *late;
	struct perf_order *order;
	uint64_t ordinal;
};

/* Whether later samples depend on it. */
static bool is_kept(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_KSYMBOL:
		return true;
	default:
		return false;
	}
}

static void perf_late_keep(struct perf_late *late, const struct perf_raw *raw, uint64_t ordinal,
			   uint64_t time)
{
	size_t size = raw->size - PERF_HEADER_SIZE;
	struct perf_late_record *record;
	uint8_t *bytes;

	if (late->bytes + raw->size > BYTES_MOST)
		return;
	late->bytes += raw->size + sizeof(*record);
	late->items = op_grow(late->items, &late->capacity, late->n + 1, sizeof(*late->items));
	record = &late->items[late->n++];
	*record = (struct perf_late_record){ordinal, time, *raw};
	bytes = op_chunk(size ? size : 1);
	memcpy(bytes, raw->body, size);
	record->raw.body = bytes;
}

static int pass_by(void *context, const struct perf_raw *raw, struct op_error *error)
{
	(void)context;
	(void)raw;
	(void)error;
	return 0;
}

/* Whether it is older than what has left the order before it came. */
static void look_at(struct pass *pass, const struct perf_raw *raw,
		    const struct perf_events *events, bool swap)
{
	uint64_t time, ordinal = pass->ordinal++;
	struct op_error ignored;

	if (raw->type == PERF_TYPE_FINISHED_ROUND)
		perf_order_round(pass->order, &ignored);
	if (raw->type >= PERF_TYPE_FIRST_USER || !perf_type_name(raw->type))
		return;
	time = perf_events_time(events, raw, swap);
	if (!time || time == UINT64_MAX)
		return;
	if (is_kept(raw->type) && time < perf_order_delivered(pass->order))
		perf_late_keep(pass->late, raw, ordinal, time);
	else
		perf_order_add(pass->order, raw, time, &ignored);
}

void perf_late_find(struct perf_late *late, struct perf_stream *stream,
		    const struct perf_events *events)
{
	struct pass pass = {.late = late};
	struct perf_raw raw;
	struct op_error ignored;

	pass.order = perf_order_new(PERF_ORDER_BYTES, pass_by, NULL);
	while (perf_stream_next(stream, &raw, &ignored) > 0)
		look_at(&pass, &raw, events, stream->swap);
	perf_order_free(pass.order);
}

bool perf_late_is_next(struct perf_late *late)
{
	uint64_t ordinal = late->ordinal++;

	if (late->next == late->n || late->items[late->next].ordinal != ordinal)
		return false;
	late->next++;
	return true;
}

void perf_late_free(struct perf_late *late)
{
	for (size_t i = 0; i < late->n; i++)
		free((uint8_t *)late->items[i].raw.body);
	free(late->items);
	*late = (struct perf_late){0};
}
