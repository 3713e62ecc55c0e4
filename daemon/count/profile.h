/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running profile: takes samples from a source and counts them in the files of a session.
 */
#ifndef DAEMON_COUNT_PROFILE_H
#define DAEMON_COUNT_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "call_chains.h"
#include "config.h"
#include "daemon/files/counted_events.h"
#include "decoder.h"
#include "feed.h"
#include "locator.h"
#include "daemon/files/sample_file.h"
#include "libop/closed/times.h"
#include "session_stats.h"

struct profile {
	struct profile_config config;
	struct source *source;
	char *named_dir;   /* the path samples/current of the session */
	char *current_dir; /* the directory that it was when it was opened, also if it was moved */
	struct counted_events events;
	struct locator locator;
	struct sample_files files;
	struct call_chains chains;
	struct session_stats stats;
	struct decoder decoder;
	struct feed feed;
	uint64_t buffers;   /* decoded so far */
	uint64_t rested;    /* when profile_rest() last worked; seconds, monotonic */
	uint64_t fed;	    /* when the feed was last brought up to date; ms, monotonic */
	uint64_t accounted; /* as many of them when the account was last written */
	uint64_t missing;   /* samples and stacks that were not stored, as profile_dump() said */
};

/**
 * profile_open - prepare to count
 * @profile: filled in, and must not move; profile_close() frees what it holds, not @source
 * @config: copied, without what it points to
 *
 * The directories of the session must exist.
 *
 * Return: 0, or -1 with @error set.
 */
int profile_open(struct profile *profile, const struct profile_config *config,
		 struct source *source, struct op_error *error);
void profile_close(struct profile *profile);

/**
 * profile_run - start or stop sampling
 *
 * Return: 0, or -1 with @error set: ENOTSUP if another program controls the source.
 */
int profile_run(struct profile *profile, bool on, struct op_error *error);

/*
 * Whether samples are being taken.  If another program starts and stops the source, the time of
 * profiling in the statistics is as exact as this is called often.
 */
bool profile_is_running(struct profile *profile);

/**
 * profile_take - count the samples of the next buffer of the source
 * @words: set to its length in words; may be NULL
 *
 * Return: 0, SOURCE_END, or -1 with @error set.
 */
int profile_take(struct profile *profile, size_t *words, struct op_error *error);

/**
 * profile_rest - bring the session up to date now and then
 *
 * Writes call chains and the account, and unmaps files, if the last time is long ago.
 * profile_take() does it, too; the caller does while no samples come.
 * @wait: for how long the caller would wait for samples, in ms; -1: no limit
 *
 * Return: for how long it may wait, so that this is called in time.
 */
int profile_rest(struct profile *profile, int wait);

/**
 * profile_feed - send each sample to a socket as it is counted: libop/session/feed.h
 * @fd: the profile's from now on
 *
 * Return: 0, or -1 with @error set; @fd stays the caller's then.
 */
int profile_feed(struct profile *profile, int fd, struct op_error *error);

/* Whether somebody reads what profile_feed() sends. */
static inline bool profile_is_fed(const struct profile *profile)
{
	return profile->feed.readers;
}

/* How far a live view is behind at most. */
#define PROFILE_FEED_MS 250

/**
 * profile_feed_due - if somebody reads and it is time, count what the source has and would hand
 * over later only, and send it
 * @wait: set to the ms until it is time again; -1: nobody reads
 *
 * Return: 0, SOURCE_END, or -1 with @error set.
 */
int profile_feed_due(struct profile *profile, int *wait, struct op_error *error);

/**
 * profile_dump - count all samples taken before this call
 *
 * On return they and their call chains are in the files of the session, and its account is up to
 * date.
 *
 * Return: 0, SOURCE_END, or -1 with @error set: ENODATA if samples since the last call could not
 * be stored, with the causes.
 */
int profile_dump(struct profile *profile, struct op_error *error);

/**
 * profile_reopen - continue in a session whose samples/current may have been emptied or moved
 *
 * If its statistics are still there, it is the same session, and they continue.
 *
 * Return: 0, or -1 with @error set.
 */
int profile_reopen(struct profile *profile, struct op_error *error);

/**
 * profile_end_session - count all samples taken before, and write when the session has ended
 * @times: set to when its samples were taken
 *
 * The caller moves samples/current, and calls profile_reopen().  What could not be stored is
 * logged, and is in the account.
 *
 * Return: 0, or -1 with @error set: ENODATA if the session has neither samples nor losses, or was
 * moved already; then it goes on.
 */
int profile_end_session(struct profile *profile, struct session_times *times,
			struct op_error *error);

/**
 * profile_pack - pack the samples of a session, whose profile was closed
 *
 * The session's lock must be held.  Files that cannot be packed are logged.  On a file system that
 * does not support it, all files stay loose, which is no error.
 *
 * Return: 0, or -1 with @error set.
 */
int profile_pack(const char *session_dir, struct op_error *error);

/* Writes the call chains in memory to files. */
void profile_flush(struct profile *profile);

/* Writes call chains and statistics to the session; errors are logged. */
void profile_save_stats(struct profile *profile);

/**
 * profile_settle - write call chains and the account, and look for what is missing
 *
 * Return: 0, or -1 with @error set, as profile_dump() does.
 */
int profile_settle(struct profile *profile, struct op_error *error);

/* Writes the statistics to the log. */
void profile_log_stats(const struct profile *profile);

#endif
