/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads of processes.
 */
#ifndef LIBOP_THREADS_H
#define LIBOP_THREADS_H

#include <stddef.h>
#include <sys/types.h>

#include "error.h"

/**
 * op_threads_add - add the threads of a process to a list
 * @threads: grown by realloc(3); the caller frees it
 *
 * Return: 0, or -1 with @error set: ESRCH if there is no such process.
 */
int op_threads_add(pid_t process, pid_t **threads, size_t *count, struct op_error *error);

#endif
