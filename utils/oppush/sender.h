/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sends to one destination: its spool, and in a service a thread, so that none waits for the
 * server of another.  The service's own thread takes sessions and looks at the state.
 */
#ifndef UTILS_OPPUSH_SENDER_H
#define UTILS_OPPUSH_SENDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "push.h"
#include "request.h"
#include "spool.h"

struct sender_counts {
	uint64_t sent, bytes;  /* sessions */
	uint64_t rejected;     /* sessions that the server will not have; files that are none */
	uint64_t failures;     /* requests, or what precedes them */
	uint64_t last_sent;    /* seconds since 1970; 0: never */
	double back_off;       /* seconds; 0: the server works */
	double back_off_total; /* seconds that were waited, or will be */
};

struct sender {
	const struct request *request;
	const struct destination *destination;
	struct push_names names;
	struct spool spool;
	struct store_http *http;
	struct sent sent;
	pthread_t thread;
	bool is_running;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	double due; /* by the clock that goes on: when to send what waits */
	bool has_more, is_over;
	struct sender_counts counts;
};

/**
 * sender_open - get ready
 * @request, @destination, @names: must live as long, and @sender must not move
 * @twin: an earlier one of the same format, or NULL
 *
 * Return: 0, or -1 with @error set; sender_close() in any case.
 */
int sender_open(struct sender *sender, const struct request *request,
		const struct destination *destination, const struct push_names *names,
		struct sender *twin, struct op_error *error);
void sender_close(struct sender *sender);

/* Begins its thread.  Return: 0, or -1 with @error set. */
int sender_start(struct sender *sender, struct op_error *error);

/* Has the thread end: a request that runs may go on for some seconds.  sender_join() waits. */
void sender_stop(struct sender *sender);
void sender_join(struct sender *sender);

/**
 * sender_take - take what was closed, and have it sent
 *
 * Return: 0, or -1 with @error set: the spool cannot be written.
 */
int sender_take(struct sender *sender, struct op_error *error);

/**
 * sender_send - send what waits, up to the first failure; for one that was not started
 *
 * Return: 0, or -1 with @error set.
 */
int sender_send(struct sender *sender, struct op_error *error);

/* Seconds that a server is waited for at most. */
#define SENDER_WAIT_MOST 600

/**
 * sender_wait - how long to wait after a failure
 * @back_off: the most, seconds
 * @retry_after: what the server asks for, which is heeded up to SENDER_WAIT_MOST
 * @chance: from 0 to 1
 */
double sender_wait(double back_off, uint64_t retry_after, double chance);

struct sender_counts sender_counts(struct sender *sender);

#endif
