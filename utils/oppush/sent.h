/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a store has from this process of what rows mean: events, images, frames, stacks, sets of
 * labels.  Sessions have nearly all of them in common, and they are most of what there is to send.
 *
 * It is forgotten each day, and when the tables are not those that they were: a store that was put
 * back to what it was some time ago lacks names for a day at most.
 */
#ifndef UTILS_OPPUSH_SENT_H
#define UTILS_OPPUSH_SENT_H

#include "libop/base/buffer.h"
#include "libop/base/error.h"
#include "libop/tables/pair_table.h"
#include "pp/formats/store/http.h"
#include "pp/formats/store/tables.h"

/* All zero: nothing was sent. */
struct sent {
	struct op_pair_table known[FLEET_SAMPLES];
	uint64_t store; /* which one it is */
	double since;	/* CLOCK_BOOTTIME, seconds; 0: never */
};

/**
 * sent_begin - before a session is sent
 *
 * Return: 0, or -1 with @error set: as store_http_query().
 */
int sent_begin(struct sent *sent, struct store_http *http, struct op_error *error);

/* Rows that are not known, one after the other, appended to @rest; -1: a row is cut off. */
int sent_filter(const struct sent *sent, enum fleet_table_id table, const void *rows, size_t n,
		struct op_buffer *rest);

/* The store has these rows now. */
void sent_note(struct sent *sent, enum fleet_table_id table, const struct op_buffer *rows);

void sent_free(struct sent *sent);

#endif
