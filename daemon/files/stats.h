/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the daemon counts of the statistics of a session (libop/session/statistics.h), and what its
 * source reports.
 */
#ifndef DAEMON_FILES_STATS_H
#define DAEMON_FILES_STATS_H

#include <stdint.h>
#include <stdio.h>

#include "libop/base/error.h"
#include "libop/session/statistics.h"

struct stats {
	/* Those of OP_STAT_OF_DAEMON: */
	uint64_t value[STAT_COUNT];   /* since the daemon started, or since stats_load() */
	uint64_t before[STAT_COUNT];  /* of the session, from earlier daemons */
	uint64_t earlier[STAT_COUNT]; /* of this daemon, until the last stats_load() */
	uint64_t kernel_seen;	      /* losses that the kernel reported last */
};

/* The statistic for samples whose file cannot be opened or written, by an errno value. */
enum stat_id stats_of_failure(int code);

/* Counts @n samples of one statistic in another one, those of earlier daemons last. */
void stats_move(struct stats *stats, enum stat_id from, enum stat_id to, uint64_t n);

/* What was received and, for reasons of STAT_NO_SPACE to STAT_NO_SAMPLE_FILE, not stored. */
uint64_t stats_not_written(const struct stats *stats);

/* All losses, without those of the kernel. */
uint64_t stats_lost(const struct stats *stats);

/* Since the daemon started or stats_load(): a line for each loss of samples that is not 0, "PREFIX
 * NUMBER TEXT\n".  Return: a text that the caller frees, or NULL when out of memory. */
char *stats_losses_text(const struct stats *stats, const char *prefix);

/* The same for what was not written, and lost stacks, in one line: "NUMBER TEXT, ...". */
char *stats_causes(const struct stats *stats);

/**
 * stats_load - start for a session, or for the first one if all is zero
 * @account: the text of its account (libop/session/account.h), or NULL: then numbers are read from
 * @dir: its OP_SAMPLES_STATS directory, as sessions without an account have it; it need not exist
 * @kernel: the kernel's statistics at this time, as of source_stats(), if they count from a
 *	start of profiling that belongs to this daemon; else NULL
 */
void stats_load(struct stats *stats, const char *account, const char *dir, const char *kernel);

/**
 * stats_take_kernel - count the losses of the kernel since the last call
 * @kernel: as of source_stats(), or NULL
 *
 * The kernel restarts its counters with each start of profiling, which is detected by losses that
 * have become less.
 */
void stats_take_kernel(struct stats *stats, const char *kernel);

/**
 * stats_save_cpus - write a file for each number of a CPU: the account has sums only
 * @dir: its directories cpuN are made if they are missing
 * @kernel: as of source_stats(), or NULL
 *
 * Return: 0, or -1 with @error set.
 */
int stats_save_cpus(const char *dir, const char *kernel, struct op_error *error);

/* Writes the lines of an account: the sums of the session, and those of the kernel's CPUs. */
void stats_put(const struct stats *stats, const char *kernel, FILE *out);

/* Writes the statistics block to the log. */
void stats_log(const struct stats *stats, const char *kernel);

#endif
