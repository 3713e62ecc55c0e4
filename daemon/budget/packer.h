/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that packs journals which have ended (libop/pack/parts.h), and measures the session,
 * while the daemon goes on to count.
 */
#ifndef DAEMON_BUDGET_PACKER_H
#define DAEMON_BUDGET_PACKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "budget.h"

struct packer {
	pthread_t thread;
	bool running; /* the thread is to be joined */
	atomic_bool done;
	const char *dir;
	uint64_t last;
	int result;
	struct op_error error;
	bool measured;
	struct budget_usage usage; /* if @measured */
};

/*
 * Packs the journals up to @last in @dir, which stays valid until packer_wait().  One that is at
 * work goes on: the next call packs what it does not.
 */
void packer_start(struct packer *packer, const char *dir, uint64_t last);

/* Whether the thread has ended since it was started.  Then packer_wait() does not wait. */
bool packer_is_done(const struct packer *packer);

/* Waits for the thread, and logs its error.  Return: whether @usage is set. */
bool packer_wait(struct packer *packer);

#endif
