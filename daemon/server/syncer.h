/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the session's file system to its disk while the daemon goes on to count: a thread waits.
 *
 * One sync runs at a time.  Who asks gets the number of a sync that begins after that: if one is at
 * work, which may have passed by what was just stored, that is the next one, for all who ask
 * meanwhile.
 */
#ifndef DAEMON_SERVER_SYNCER_H
#define DAEMON_SERVER_SYNCER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"

struct syncer {
	int fd;		/* of an eventfd: readable when the sync has ended */
	int next;	/* that of the next sync, or -1: none is asked for */
	bool running;	/* the thread is to be joined */
	uint64_t number; /* of the sync that runs, or ran last */
	pthread_t thread;
};

/* Return: 0, or -1 with @error set. */
int syncer_open(struct syncer *syncer, struct op_error *error);

/**
 * syncer_ask - have the file system of a directory synced
 * @number: set to the number of the sync that has all that was stored before this call
 *
 * Return: 0, or -1 with @error set.
 */
int syncer_ask(struct syncer *syncer, const char *directory, uint64_t *number,
	       struct op_error *error);

/**
 * syncer_take - take the result of a sync whose event was seen, and begin the next
 * @number: set to its number
 *
 * Return: whether one has ended; then @code is 0 or its errno value.
 */
bool syncer_take(struct syncer *syncer, uint64_t *number, int *code);

/* Waits for the sync that runs, at most so long.  Return: whether none runs any more. */
bool syncer_wait(struct syncer *syncer, unsigned int seconds);

/* Closes it.  A sync that still runs is left to itself. */
void syncer_close(struct syncer *syncer);

#endif
