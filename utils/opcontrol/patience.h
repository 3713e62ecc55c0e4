/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a daemon is waited for: as long as it works, for a time at most.
 *
 * On a busy machine or disk, what a daemon has to write takes as long as it takes.  A daemon that
 * neither computes nor waits for a disk hangs, or was stopped.
 */
#ifndef UTILS_OPCONTROL_PATIENCE_H
#define UTILS_OPCONTROL_PATIENCE_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/* struct patience - with one daemon; patience_begin() fills it in */
struct patience {
	pid_t daemon;
	unsigned int idle_most;	       /* seconds that it may do nothing */
	unsigned int all_most;	       /* seconds in all */
	struct timespec begun, worked; /* by CLOCK_MONOTONIC */
	clockid_t clock;	       /* of what it computes */
	struct timespec computed;
	bool is_told; /* that it still works */
};

/* Begins to wait.  @daemon: 0 if its work cannot be seen: it never works then. */
void patience_begin(struct patience *patience, pid_t daemon, unsigned int idle_most,
		    unsigned int all_most);

/**
 * patience_ends - whether the daemon has done nothing for too long, or took too long
 *
 * To be called once a second: it compares with what it saw the last time.  A warning says once
 * that a daemon still works.
 */
bool patience_ends(struct patience *patience);

/* Whole seconds since it began. */
unsigned int patience_seconds(const struct patience *patience);

#endif
