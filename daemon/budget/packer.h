/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that packs, while the daemon goes on to count: journals which have ended, and files that
 * are not in use any more (libop/pack/parts.h, idle.h).  It measures the session, too.
 *
 * It has the lowest priority, and a bounded amount to do; what is left is for the next time.
 */
#ifndef DAEMON_BUDGET_PACKER_H
#define DAEMON_BUDGET_PACKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "budget.h"

/* Idle files that are packed at a time. */
#define PACKER_FILES_MOST 4096

struct packer {
	pthread_t thread;
	bool running; /* the thread is to be joined */
	atomic_bool done;
	atomic_bool stop;	     /* it is to end soon: what it has not done is left to others */
	const struct budget *budget; /* for budget_measure() */
	const char *dir;
	uint64_t last, idle;
	int result;
	struct op_error error;
	bool measured;
	struct budget_usage usage; /* if @measured */
	size_t moved;		   /* idle files */
	bool more;		   /* there may be more of them */
};

/**
 * packer_start - pack in @dir, and measure it
 * @budget: of the session; it and @dir stay valid until packer_wait()
 * @last: the journals and idle files up to this number
 * @idle: the number of a part for files that are idle, not more than @last; 0: they stay
 *
 * One that is at work goes on: the next call packs what it does not.
 */
void packer_start(struct packer *packer, const struct budget *budget, const char *dir,
		  uint64_t last, uint64_t idle);

/* Whether the thread has ended since it was started.  Then packer_wait() does not wait. */
bool packer_is_done(const struct packer *packer);

/* Waits for the thread, and logs its error.  Return: whether @usage is set. */
bool packer_wait(struct packer *packer);

/* The same, without the rest of its work. */
void packer_stop(struct packer *packer);

#endif
