/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of profiling: the CPU time of the process that takes the samples, and the time for which
 * samples were taken.  Reports show their ratio.
 *
 * They are STAT_DAEMON_CPU_MS and STAT_PROFILING_MS of the account, sums over all daemons of the
 * session.  A session in which no time was spent profiling, such as one replayed from a recording,
 * has neither.
 */
#ifndef DAEMON_COUNT_OVERHEAD_H
#define DAEMON_COUNT_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libop/base/error.h"
#include "libop/session/alive.h"

/* struct overhead_time - monotonic clocks with any start */
struct overhead_time {
	uint64_t cpu_ns;  /* used by this process, in user and kernel code */
	uint64_t wall_ns; /* CLOCK_MONOTONIC */
};

struct overhead {
	uint64_t cpu_ms_before, profiling_ms_before; /* of the session, from earlier daemons */
	uint64_t cpu_ns, profiling_ns;		     /* of this one */
	struct overhead_time last;		     /* at the last overhead_look() */
	bool running;				     /* then */
};

/* The time now, of this process. */
struct overhead_time overhead_now(void);

/**
 * overhead_load - start for a session
 * @account: the text of its account (libop/session/account.h), or NULL: then numbers are read from
 * @dir: its OP_SAMPLES_STATS directory, as sessions without an account have it; it need not exist
 * @running: whether samples are taken at this time
 */
void overhead_load(struct overhead *overhead, const char *account, const char *dir,
		   struct overhead_time now, bool running);

/* Times of the session that are less than those that were noted (libop/session/alive.h) become
 * these. */
void overhead_raise(struct overhead *overhead, const struct op_alive_times *noted);

/* The times of the session, as of the last look. */
struct op_alive_times overhead_times(const struct overhead *overhead);

/**
 * overhead_look - count the time since the last look
 * @running: whether samples are taken at this time
 *
 * It was spent profiling if samples were taken at the last look: so call this at each start and
 * stop.  CPU time counts in any case, since samples are processed after a stop as well.
 */
void overhead_look(struct overhead *overhead, struct overhead_time now, bool running);

/* Writes lines of an account, unless no time was spent profiling. */
void overhead_put(const struct overhead *overhead, FILE *out);

#endif
