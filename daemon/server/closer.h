/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Closing the session by the clock: at each multiple of an interval since 1970, so that sessions of
 * all machines begin and end together.  What has samples becomes samples/BEGIN-END
 * (libop/closed/times.h), and the daemon goes on with a new samples/current.
 *
 * A thread of the lowest priority packs what was closed, and removes what is too old, while the
 * daemon goes on to count.  One that is killed leaves closed sessions loose; the next daemon packs
 * those.
 */
#ifndef DAEMON_SERVER_CLOSER_H
#define DAEMON_SERVER_CLOSER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "libop/closed/retention.h"

struct closer_config {
	uint64_t seconds; /* the interval; 0: sessions are not closed */
	struct retention_limits limits;
};

struct closer {
	const struct closer_config *config;
	const char *session_dir; /* lives as long */
	int timer;		 /* descriptor: readable when it is time, or the clock was set */
	struct op_strings loose; /* names of closed sessions that nobody packs */
	/* What the thread works on: */
	struct op_strings packing;
	pthread_t thread;
	bool running; /* it is to be joined */
	atomic_bool done;
};

/**
 * closer_open - begin to watch the clock
 * @closer: closer->timer is -1 if sessions are not closed
 *
 * Return: 0, or -1 with @error set.
 */
int closer_open(struct closer *closer, const struct closer_config *config, const char *session_dir,
		struct op_error *error);

/* Packs sessions that an earlier daemon has left loose; the log is open. */
void closer_begin(struct closer *closer);

/* To be called when the timer's descriptor is readable.  Return: whether a session is to be closed
 * now: not if the clock was set, which only moves the next time. */
bool closer_is_due(struct closer *closer);

/* Has a session packed that was closed: by the thread that works, or a new one. */
void closer_pack(struct closer *closer, const char *name);

/* Waits for the thread, and packs what is left. */
void closer_close(struct closer *closer);

#endif
