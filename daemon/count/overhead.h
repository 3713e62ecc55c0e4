/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What profiling cost: the CPU time of the process that takes the samples, and how long samples
 * were taken.  Reports put one in relation to the other.
 *
 *	samples/current/stats/{daemon_cpu_ms,profiling_ms}
 *
 * They are sums over all daemons of the session.  A session in which no time was spent
 * profiling, such as one replayed from a recording, has neither.
 */
#ifndef DAEMON_OVERHEAD_H
#define DAEMON_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"

/* struct overhead_time - both count from any moment, and never go back */
struct overhead_time {
	uint64_t cpu_ns;  /* used by this process, in user and kernel code */
	uint64_t wall_ns; /* CLOCK_MONOTONIC */
};

struct overhead {
	uint64_t cpu_ms_before, profiling_ms_before; /* of the session, from earlier daemons */
	uint64_t cpu_ns, profiling_ns;		     /* of this one */
	struct overhead_time last;		     /* of overhead_look() */
	bool running;				     /* at that time */
};

/* The time now, of this process. */
struct overhead_time overhead_now(void);

/**
 * overhead_load - begin to count for a session
 * @dir: its OP_SAMPLES_STATS directory, which need not exist
 * @running: whether samples are taken at this time
 */
void overhead_load(struct overhead *overhead, const char *dir, struct overhead_time now,
		   bool running);

/**
 * overhead_look - count the time since the last look
 * @running: whether samples are taken at this time
 *
 * It was spent profiling if samples were taken at the last look: so look at each start and stop.
 * CPU time counts in any case, since samples are processed after a stop as well.
 */
void overhead_look(struct overhead *overhead, struct overhead_time now, bool running);

/**
 * overhead_save - write the files, if there is anything to say
 * @dir: as of overhead_load()
 *
 * Return: 0, or -1 with @error set.
 */
int overhead_save(const struct overhead *overhead, const char *dir, struct op_error *error);

#endif
