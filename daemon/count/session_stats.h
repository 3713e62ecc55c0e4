/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All statistics of a session: counts of samples, times of multiplexed events, and the cost of
 * profiling.  They are in its account (libop/session/account.h); samples/current/stats has what the
 * account has not: the kernel's numbers of each CPU, and the times of multiplexed events.
 */
#ifndef DAEMON_COUNT_SESSION_STATS_H
#define DAEMON_COUNT_SESSION_STATS_H

#include <stdbool.h>

#include "overhead.h"
#include "daemon/files/stats.h"
#include "libop/session/account.h"
#include "libop/session/log.h"
#include "multiplexed_times.h"

struct source;

struct session_stats {
	const char *named_dir;	 /* the path samples/current of the session */
	const char *samples_dir; /* what it was when the session was opened, also if it was moved */
	char *dir;		 /* OP_SAMPLES_STATS in it */
	struct op_account account;
	int alive;	  /* descriptor of OP_SAMPLES_ALIVE, or -1; 0 before the first session */
	uint64_t noted_ns; /* CLOCK_MONOTONIC: when it was written */
	struct source *source;
	struct stats samples;
	struct multiplexed_times times;
	struct overhead overhead;
	struct log_limit log_files, log_account;
};

/**
 * session_stats_load - go on with the statistics of a session, or begin with a new one
 * @begun: whether a buffer was read.  Before that, the source's statistics are those of an earlier
 *	start of profiling, which were counted then.
 *
 * Return: 0, or -1 with @error set: the session can have no account.
 */
int session_stats_load(struct session_stats *stats, bool begun, struct op_error *error);

/* Whether the session still has the account that was saved last: else it is a new one. */
bool session_stats_exist(const struct session_stats *stats);

/* Whether samples are being taken; accounts the time since the last call. */
bool session_stats_is_running(struct session_stats *stats);

/**
 * session_stats_save - write the account, and the files of CPUs and events
 * @begun: as of session_stats_load()
 *
 * Return: 0, or -1 with @error set: the account is not up to date.  Files that could not be
 * written are only logged.
 */
int session_stats_save(struct session_stats *stats, bool begun, struct op_error *error);

/* Notes each second how long the session was profiled, for the case that the daemon is killed. */
void session_stats_note_time(struct session_stats *stats);

/* Writes the account only.  Return: as session_stats_save(). */
int session_stats_save_account(struct session_stats *stats, bool begun, struct op_error *error);

/* Writes the statistics to the log. */
void session_stats_log(const struct session_stats *stats);

void session_stats_close(struct session_stats *stats);

#endif
