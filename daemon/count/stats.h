/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics: samples and frames received, stored, and lost by cause.
 *
 *	samples_received = samples_stored + samples_filtered + all samples_lost
 *	frames_received  = frames_stored + frames_filtered + all frames_lost
 */
#ifndef DAEMON_COUNT_STATS_H
#define DAEMON_COUNT_STATS_H

#include <stdint.h>
#include <stdio.h>

#include "libop/base/error.h"

enum stat_id {
	STAT_BUFFERS,
	STAT_RECEIVED, /* samples in event buffers */
	STAT_STORED,
	STAT_KERNEL,	      /* of the received: kernel code */
	STAT_FILTERED,	      /* not in an image that the filter selects */
	STAT_NO_CONTEXT,      /* lost: mode, task or CPU unknown */
	STAT_NO_KERNEL_IMAGE, /* lost: kernel code in no image */
	STAT_NO_MAPPING,      /* lost: user code in no known mapping */
	STAT_NO_SPACE,	      /* lost, and those up to STAT_NO_SAMPLE_FILE: not to be written: */
	STAT_NO_DESCRIPTOR,   /* the process or the system has no more */
	STAT_NO_MEMORY,
	STAT_IO_ERROR,
	STAT_FILE_LIMIT,     /* RLIMIT_FSIZE, or what the format can hold */
	STAT_LONG_NAME,	     /* the path of the sample file is too long */
	STAT_FILE_CUT,	     /* the sample file was truncated or removed while in use */
	STAT_NO_SAMPLE_FILE, /* other reasons, such as a damaged file */
	STAT_NO_EVENT,	     /* lost: a counter without an event */
	STAT_NO_USER_APP,    /* lost: anonymous memory of an unknown application */
	STAT_KERNEL_NO_APP,  /* stored below the kernel, as the application is unknown */
	STAT_USER_NO_APP,    /* stored below their image, as the application is unknown */
	STAT_OTHER,	     /* stored in the image "{other}": beyond the budget */
	STAT_FRAMES,	     /* frames of call chains, without the leaves */
	STAT_FRAMES_STORED,  /* in stack files */
	STAT_FRAMES_FILTERED,	    /* of samples that the filter does not select */
	STAT_FRAMES_NO_HEAD,	    /* lost: so was the leaf */
	STAT_FRAMES_NO_MAPPING,	    /* lost: in no known mapping; its stack is stored */
	STAT_FRAMES_TOO_DEEP,	    /* lost: the call chain is too long */
	STAT_FRAMES_NO_SAMPLE_FILE, /* lost: the stack file had no room, or could not be written */
	STAT_STACKS,		    /* whole call chains stored */
	STAT_STACKS_MERGED,	    /* stored without their last frames: the file is full */
	STAT_STACKS_LOST,	    /* the stack file could not be written */
	STAT_STACKS_BEYOND,	    /* not stored: the budget has no room for the stack file */
	STAT_BAD_RECORDS,	    /* malformed records */
	STAT_BAD_WORDS,		    /* words skipped because of them */
	STAT_KERNEL_RECORDS,	    /* lost by the kernel: the sum of its counters */
	STAT_COUNT,
};

struct stats {
	uint64_t value[STAT_COUNT];  /* since the daemon started, or since stats_load() */
	uint64_t before[STAT_COUNT]; /* of the session, from earlier daemons */
	uint64_t kernel_seen;	     /* losses that the kernel reported last */
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
 * NUMBER LABEL\n".  Return: a text that the caller frees, or NULL when out of memory. */
char *stats_losses_text(const struct stats *stats, const char *prefix);

/* The same for what was not written, and lost stacks, in one line: "NUMBER LABEL, ...". */
char *stats_causes(const struct stats *stats);

/**
 * stats_load - start for a session
 * @account: the text of its account (libop/session/account.h), or NULL: then numbers are read from
 * @dir: its OP_SAMPLES_STATS directory, which need not exist
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
 * stats_save - write one file for each number, and one for each of the kernel's
 * @dir: is made if it is missing
 * @kernel: as of source_stats(), or NULL
 *
 * Return: 0, or -1 with @error set.
 */
int stats_save(const struct stats *stats, const char *dir, const char *kernel,
	       struct op_error *error);

/* Writes the lines of an account: the sums of the session, and those of the kernel's CPUs. */
void stats_put(const struct stats *stats, const char *kernel, FILE *out);

/* Writes the statistics block to the log. */
void stats_log(const struct stats *stats, const char *kernel);

/* The name of the file of a statistic: "samples_stored". */
const char *stats_name(enum stat_id which);

#endif
