/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's metrics (--metrics): what it has counted since it started, over all sessions, as a
 * file for Prometheus.
 */
#ifndef DAEMON_SERVER_METRICS_H
#define DAEMON_SERVER_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "daemon/files/stats.h"
#include "libop/base/error.h"
#include "libop/session/log.h"

struct metrics {
	const char *path;	    /* NULL: there is no file */
	int timer;		    /* descriptor: readable when it is to be written; -1 */
	uint64_t shown[STAT_COUNT]; /* counters that were written */
	uint64_t sessions_closed;
	struct log_limit log;
};

/* What is not counted but is so now. */
struct metrics_state {
	const struct stats *stats;
	uint64_t session_bytes, session_bytes_most;
	bool is_running;
	time_t started;
};

/**
 * metrics_open - begin to write metrics
 * @path: lives as long; NULL: none
 *
 * Return: 0, or -1 with @error set.
 */
int metrics_open(struct metrics *metrics, const char *path, struct op_error *error);
void metrics_close(struct metrics *metrics);

/* Writes the file, if there is one; an error is logged. */
void metrics_write(struct metrics *metrics, const struct metrics_state *state);

#endif
