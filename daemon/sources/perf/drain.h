/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that moves records from the rings of all CPUs to queues, so that rings never wait for
 * the unwinding of stacks, or for a disk.  It touches nothing but rings and queues.
 */
#ifndef DAEMON_SOURCES_PERF_DRAIN_H
#define DAEMON_SOURCES_PERF_DRAIN_H

#include <pthread.h>
#include <stdbool.h>

#include "libop/base/error.h"
#include "counters.h"

struct perf_drain {
	struct perf_counters *counters;
	pthread_t thread;
	bool started;
	const struct perf_attr *attr; /* of samples with the stacks of their tasks; else NULL */
	int epoll, stop;	      /* descriptors; -1: none */
	int filled; /* readable when a queue is so full that it is to be read at once */
};

/**
 * perf_drain_start - give each ring a queue, and start the thread
 * @drain: filled in, also on error; perf_drain_stop() ends all
 * @counters: open; not to be closed before perf_drain_stop()
 * @attr: as of perf_queue_new()
 *
 * Signals are to be blocked: the thread takes none.
 *
 * Return: 0, or -1 with @error set.
 */
int perf_drain_start(struct perf_drain *drain, struct perf_counters *counters,
		     const struct perf_attr *attr, struct op_error *error);
void perf_drain_stop(struct perf_drain *drain);

/*
 * While the thread is paused, CPUs may be added to @counters and taken out of them.  Without a
 * thread, also where resuming failed, only the reader's own looks fill the queues.
 */
void perf_drain_pause(struct perf_drain *drain);
int perf_drain_resume(struct perf_drain *drain, struct op_error *error);

/* Gives the ring of one more CPU a queue, while paused.  Return: 0, or -1 and errno. */
int perf_drain_add(struct perf_drain *drain, struct perf_cpu *cpu);

#endif
