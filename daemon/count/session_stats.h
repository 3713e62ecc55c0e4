/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All statistics of a session, in samples/current/stats: counts of samples, times of multiplexed
 * events, and the cost of profiling.
 */
#ifndef DAEMON_COUNT_SESSION_STATS_H
#define DAEMON_COUNT_SESSION_STATS_H

#include <stdbool.h>

#include "overhead.h"
#include "stats.h"
#include "multiplexed_times.h"

struct source;

struct session_stats {
	char *dir;
	struct source *source;
	struct stats samples;
	struct multiplexed_times times;
	struct overhead overhead;
};

/**
 * session_stats_load - go on with the statistics of a session, or begin with a new one
 * @begun: whether a buffer was read.  Before that, the source's statistics are those of an earlier
 *	start of profiling, which were counted then.
 */
void session_stats_load(struct session_stats *stats, bool begun);

/* Whether the session still has the files that were saved last: else it is a new one. */
bool session_stats_exist(const struct session_stats *stats);

/* Whether samples are being taken; accounts the time since the last call. */
bool session_stats_is_running(struct session_stats *stats);

/* Writes the files; errors are logged.  @begun: as of session_stats_load(). */
void session_stats_save(struct session_stats *stats, bool begun);

/* Writes the statistics to the log. */
void session_stats_log(const struct session_stats *stats);

#endif
