/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads of processes.
 */
#ifndef LIBOP_PERF_THREADS_H
#define LIBOP_PERF_THREADS_H

#include <stddef.h>
#include <sys/types.h>

#include "libop/base/error.h"

/* How often to list threads and open their events, before those that began meanwhile are let go. */
#define OP_THREADS_ATTEMPTS 3

/**
 * op_threads_list - all threads of some processes, in ascending order
 * @threads: an array that the caller frees; NULL on error
 *
 * Return: 0, or -1 with @error set: ESRCH if there is no such process.
 */
int op_threads_list(const pid_t *processes, size_t n, pid_t **threads, size_t *count,
		    struct op_error *error);

/**
 * op_threads_new - whether processes have threads that began after they were listed
 * @threads: as op_threads_list() gave them
 *
 * An event is inherited by threads that begin once it is open.  One that began before, but after
 * its process was listed, would be missed; as the two cannot be distinguished, all events
 * must be opened again if there are new threads.  A process that has ended has none.
 *
 * Return: 1 or 0, or -1 with @error set.
 */
int op_threads_new(const pid_t *processes, size_t n, const pid_t *threads, size_t count,
		   struct op_error *error);

#endif
