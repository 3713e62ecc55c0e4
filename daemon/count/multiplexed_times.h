/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time for which each event of a session was enabled, and for which it was counted.  The latter
 * is less if events are multiplexed; reports scale by the ratio.  And how long the kernel paused an
 * event that took too many samples, and how many it took, for the period that would not be paused.
 *
 *	samples/current/stats/events/NAME.COUNT.UNITMASK/{enabled_ns,running_ns,...}
 *
 * They are sums over all daemons of the session.  A source reports them by counter, as lines
 * "counter3/enabled_ns 12345" of source_stats(), counted from when it was opened.
 */
#ifndef DAEMON_COUNT_MULTIPLEXED_TIMES_H
#define DAEMON_COUNT_MULTIPLEXED_TIMES_H

#include <stdint.h>

#include "libop/base/error.h"
#include "libop/events/spec.h"

struct event_time {
	uint64_t enabled_ns, running_ns;
	uint64_t paused_ns; /* of the latter: the kernel had paused it for too many samples */
	uint64_t taken;	    /* samples */
	/* Of a clock: counted, in threads that ran for too short a time to be sampled. */
	uint64_t unsampled_ns;
	uint64_t missing_ns; /* not counted: of programs that the kernel let nobody profile */
};

/* Each array has one element per event of @events. */
struct multiplexed_times {
	const struct op_events *events;
	const int16_t *event_of;     /* by counter: index of its event, or -1 */
	struct event_time *previous; /* of earlier daemons in this session */
	struct event_time *start;    /* reported at the start of this session */
	struct event_time *latest;   /* the latest report */
	struct event_time *parsed;   /* the report that is being parsed */
};

/**
 * multiplexed_times_open - allocate the times of a session
 * @event_of: of OP_COUNTERS_MAX counters; must stay valid, as @events
 *
 * multiplexed_times_close() frees the memory.
 *
 * Return: 0, or -1 with @error set when out of memory.
 */
int multiplexed_times_open(struct multiplexed_times *times, const struct op_events *events,
			   const int16_t *event_of, struct op_error *error);
void multiplexed_times_close(struct multiplexed_times *times);

/**
 * multiplexed_times_load - continue in a session
 * @dir: its OP_SAMPLES_STATS directory, which need not exist
 *
 * Times reported before the call are not counted again: they belong to another session, or are
 * in the files of this one.
 */
void multiplexed_times_load(struct multiplexed_times *times, const char *dir);

/* Updates the times from @kernel, the text of source_stats(); NULL: none. */
void multiplexed_times_update(struct multiplexed_times *times, const char *kernel);

/**
 * multiplexed_times_save - write the files of all events that have times
 * @dir: as of multiplexed_times_load(); it exists
 *
 * Return: 0, or -1 with @error set.
 */
int multiplexed_times_save(const struct multiplexed_times *times, const char *dir,
			   struct op_error *error);

/* Removes the lines with times from @kernel, which may be NULL. */
void multiplexed_times_remove_lines(char *kernel);

#endif
