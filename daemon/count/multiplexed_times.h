/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the events of a session were to be counted, and how long they were: less, where
 * there are more events than counters, so that events take turns.  Reports scale by it.
 *
 *	samples/current/stats/events/NAME.COUNT.UNITMASK/{enabled_ns,running_ns}
 *
 * They are sums over all daemons of the session.  A source says them by counter, as lines
 * "counter3/enabled_ns 12345" of source_stats(), counted from when it was opened.
 */
#ifndef DAEMON_TIMES_H
#define DAEMON_TIMES_H

#include <stdint.h>

#include "libop/base/error.h"
#include "libop/events/spec.h"

struct event_time {
	uint64_t enabled_ns, running_ns;
};

/* All by the index of the event. */
struct times {
	const struct op_events *events;
	const int16_t *event_of;   /* by counter: index of its event, or -1 */
	struct event_time *before; /* of the session, from earlier daemons */
	struct event_time *begin;  /* what the source said when this session began */
	struct event_time *now;	   /* what it said last */
	struct event_time *said;   /* what it says at the moment */
};

/**
 * times_open - begin to count for a session
 * @event_of: of OP_COUNTERS_MAX counters; kept, as is @events
 *
 * times_close() frees what it holds.
 *
 * Return: 0, or -1 with @error set when out of memory.
 */
int times_open(struct times *times, const struct op_events *events, const int16_t *event_of,
	       struct op_error *error);
void times_close(struct times *times);

/**
 * times_load - go on in a session
 * @dir: its OP_SAMPLES_STATS directory, which need not exist
 *
 * What was taken so far is not this session's any more, or is in its files.
 */
void times_load(struct times *times, const char *dir);

/* Takes the times in @kernel, as of source_stats(); may be NULL. */
void times_take(struct times *times, const char *kernel);

/**
 * times_save - write the files of all events that have times
 * @dir: as of times_load(); it exists
 *
 * Return: 0, or -1 with @error set.
 */
int times_save(const struct times *times, const char *dir, struct op_error *error);

/* Takes the lines with times out of @kernel, which may be NULL. */
void times_cut(char *kernel);

#endif
