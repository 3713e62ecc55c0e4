/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects samples until the profiled processes end, a signal arrives, or the time is over.
 */
#ifndef DAEMON_OPERF_COLLECT_H
#define DAEMON_OPERF_COLLECT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "daemon/count/profile.h"
#include "libop/base/error.h"

struct collect {
	struct profile *profile;
	pid_t command;		/* 0: none.  Collecting ends with it */
	const pid_t *processes; /* collecting ends when all of them have */
	size_t count;
	uint64_t seconds;	     /* collecting ends after them; 0: no limit */
	void (*tick)(void *context); /* called each second; NULL: nothing is */
	void *tick_context;
	bool feeds; /* what is counted is sent on; collecting ends when nobody reads that */

	int status;	    /* exit status of the command, once it has ended */
	struct rusage used; /* by it and what it waited for; 0 before it has ended */
	bool incomplete;    /* not all samples could be stored: collect_run() has set its @error */
	int signal;	    /* the signal that ended collecting; 0: none */
};

/* The signals that collect_run() takes, and to block them. */
void collect_signals(sigset_t *set);
void collect_block_signals(void);

/* Dequeues a pending one of them.  Return: its number, or 0. */
int collect_pending_signal(void);

/**
 * collect_run - collect until the end
 *
 * The first signal is passed on to the command, which may handle it; a second one ends collecting.
 *
 * Return: 0, or -1 with @error set; @profile has what was collected before.
 */
int collect_run(struct collect *collect, struct op_error *error);

#endif
