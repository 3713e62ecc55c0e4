// SPDX-License-Identifier: GPL-2.0-or-later
/* What a store has: see sent.h. */
#include "sent.h"

#include <time.h>

#include "libop/base/reader.h"

#define FORGET_SECONDS (24.0 * 3600)
/* Rows that are remembered, of 40 bytes each. */
#define ROWS_MOST ((size_t)1 << 20)

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void forget(struct sent *sent)
{
	sent_free(sent);
	*sent = (struct sent){.since = now_seconds()};
}

/* Tables that are made anew are noted at another time. */
static int identify_store(struct store_http *http, uint64_t *store, struct op_error *error)
{
	struct op_buffer answer = {0};
	int result = store_http_query(http, "q",
				      "SELECT sum(cityHash64(number, toUInt32(applied))) FROM "
				      "(SELECT number, max(applied) AS applied FROM migrations "
				      "GROUP BY number)",
				      NULL, sizeof(*store), &answer, error);
	struct op_reader reader = op_reader_of(answer.bytes, answer.used, op_swap_for(false));

	*store = op_reader_u64(&reader);
	op_buffer_free(&answer);
	return result;
}

int sent_begin(struct sent *sent, struct store_http *http, struct op_error *error)
{
	uint64_t store;
	size_t n = 0;

	if (identify_store(http, &store, error))
		return -1;
	for (size_t i = 0; i < FLEET_SAMPLES; i++)
		n += sent->known[i].n;
	if (sent->store != store || n > ROWS_MOST || now_seconds() - sent->since > FORGET_SECONDS)
		forget(sent);
	sent->store = store;
	return 0;
}

/* What identifies a row stands first in it. */
static void identity_of(enum fleet_table_id table, struct op_reader row, uint64_t identity[2])
{
	identity[0] = op_reader_u64(&row);
	identity[1] = table == FLEET_STACKS ? op_reader_u64(&row) : 0;
}

int sent_filter(const struct sent *sent, enum fleet_table_id table, const void *rows, size_t n,
		struct op_buffer *rest)
{
	struct op_reader reader = op_reader_of(rows, n, op_swap_for(false));

	while (op_reader_left(&reader)) {
		struct op_reader row = reader;
		uint64_t identity[2];

		identity_of(table, row, identity);
		if (!fleet_row_skip(table, &reader))
			return -1;
		if (!op_pair_table_find(&sent->known[table], identity[0], identity[1]))
			op_buffer_put(rest, row.at, (size_t)(reader.at - row.at));
	}
	return 0;
}

void sent_note(struct sent *sent, enum fleet_table_id table, const struct op_buffer *rows)
{
	struct op_reader reader = op_reader_of(rows->bytes, rows->used, op_swap_for(false));

	while (op_reader_left(&reader)) {
		uint64_t identity[2];

		identity_of(table, reader, identity);
		*op_pair_table_get(&sent->known[table], identity[0], identity[1]) = 1;
		if (!fleet_row_skip(table, &reader))
			break;
	}
}

void sent_free(struct sent *sent)
{
	for (size_t i = 0; i < FLEET_SAMPLES; i++)
		op_pair_table_free(&sent->known[i]);
}
