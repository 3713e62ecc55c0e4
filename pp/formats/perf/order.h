/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records in the order of time.
 *
 * A recorder empties the buffers of the CPUs one after the other and writes FINISHED_ROUND when
 * it has been through all: what comes later than one round is younger than all of the round
 * before it.  So records wait for the second FINISHED_ROUND after them.
 *
 * Memory is bounded: when too many wait, the oldest go, and what is older still and comes later
 * is out of order, which is counted.
 */
#ifndef PP_FORMATS_PERF_ORDER_H
#define PP_FORMATS_PERF_ORDER_H

#include "libop/base/error.h"
#include "libop/perf/record.h"

/* Bytes that may wait, and as much again for what they are kept in. */
#define PERF_ORDER_BYTES (32u << 20)

/* Takes a record.  Return: 0, or -1 with @error set. */
typedef int perf_deliver(void *context, const struct perf_raw *raw, struct op_error *error);

struct perf_order;

struct perf_order *perf_order_new(size_t bytes, perf_deliver *deliver, void *context);
void perf_order_free(struct perf_order *order); /* NULL is fine */

/* A record of the given time; its bytes are copied.  Return: 0, or -1 with @error set. */
int perf_order_add(struct perf_order *order, const struct perf_raw *raw, uint64_t time,
		   struct op_error *error);
/* The same of one that comes before its turn: it waits for its time, whatever rounds there are. */
int perf_order_add_early(struct perf_order *order, const struct perf_raw *raw, uint64_t time,
			 struct op_error *error);
/* FINISHED_ROUND.  Return: 0, or -1 with @error set. */
int perf_order_round(struct perf_order *order, struct op_error *error);
/* Delivers all that wait.  Return: 0, or -1 with @error set. */
int perf_order_flush(struct perf_order *order, struct op_error *error);

/* The time of the youngest record that was delivered: what is older is late. */
uint64_t perf_order_delivered(const struct perf_order *order);
/* Records that were delivered behind younger ones. */
uint64_t perf_order_late(const struct perf_order *order);

#endif
