/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics: what came, what was stored, and what was lost, by cause.
 *
 *	samples_received = samples_stored + samples_filtered + all samples_lost
 *	frames_received  = arcs_stored + frames_apart + frames_filtered + all frames_lost
 */
#ifndef DAEMON_STATS_H
#define DAEMON_STATS_H

#include <stdint.h>

#include "libop/base/error.h"

enum stat_id {
	STAT_BUFFERS,
	STAT_RECEIVED, /* samples that the stream held */
	STAT_STORED,
	STAT_KERNEL,	      /* of the received: kernel code */
	STAT_FILTERED,	      /* not in an image that was asked for */
	STAT_NO_CONTEXT,      /* lost: neither kernel nor user, or no task, or no CPU known */
	STAT_NO_KERNEL_IMAGE, /* lost: kernel code that belongs to nothing */
	STAT_NO_MAPPING,      /* lost: user code in no file and no memory that is known */
	STAT_NO_SAMPLE_FILE,  /* lost: the sample file could not be written */
	STAT_NO_EVENT,	      /* lost: a counter without an event */
	STAT_NO_USER_APP,     /* lost: anonymous memory of an unknown application */
	STAT_KERNEL_NO_APP, /* stored: their application is unknown, so the kernel stands for it */
	STAT_USER_NO_APP,   /* stored: their application is unknown, so the image stands for it */
	STAT_FRAMES,	    /* frames of backtraces, without the samples at their heads */
	STAT_ARCS,	    /* frames stored, as an arc from caller to callee */
	STAT_FRAMES_APART,  /* no arc: kernel and user code on the two sides of it */
	STAT_FRAMES_FILTERED,
	STAT_FRAMES_NO_HEAD,	    /* lost: so was the sample at the head */
	STAT_FRAMES_NO_MAPPING,	    /* lost: the frame, or the one before, is in nothing known */
	STAT_FRAMES_TOO_DEEP,	    /* lost: so many frames has no real stack */
	STAT_FRAMES_NO_SAMPLE_FILE, /* lost: the sample file could not be written */
	STAT_STACKS,		    /* whole stacks stored, of samples with a backtrace */
	STAT_STACKS_MERGED,	    /* stored, but cut at the leaf's end for want of room */
	STAT_STACKS_LOST,	    /* the stack file could not be written */
	STAT_BAD_RECORDS,	    /* records of the stream that make no sense */
	STAT_BAD_WORDS,		    /* words passed over because of them */
	STAT_KERNEL_RECORDS,	    /* lost by the kernel: the sum of what its files say */
	STAT_COUNT,
};

struct stats {
	uint64_t value[STAT_COUNT];  /* since the daemon started, or since stats_load() */
	uint64_t before[STAT_COUNT]; /* of the session, from earlier daemons */
	uint64_t kernel_seen;	     /* what the kernel said it has lost when it was last asked */
};

/**
 * stats_load - begin counting for a session
 * @dir: its OP_SAMPLES_STATS directory, which need not exist
 * @kernel: the kernel's statistics at this time, as of source_stats(), if they count from a
 *	start of profiling that belongs to this daemon; else NULL
 */
void stats_load(struct stats *stats, const char *dir, const char *kernel);

/**
 * stats_take_kernel - count what the kernel has lost since it was last asked
 * @kernel: as of source_stats(), or NULL
 *
 * The kernel begins anew with each start of profiling, which is noticed when its losses are
 * less than they were.
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

/* Writes the statistics block to the log. */
void stats_log(const struct stats *stats, const char *kernel);

/* The name of a number's file: "samples_stored". */
const char *stats_name(enum stat_id which);

#endif
