/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of threads (comm): of a session, in its file OP_SAMPLES_THREADS, which oprofile-session(5)
 * describes, and of what runs.
 */
#ifndef LIBOP_SESSION_THREAD_NAMES_H
#define LIBOP_SESSION_THREAD_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/hash.h"

/* Threads that a list has at most; further ones have no name. */
#define OP_THREAD_NAMES_MOST (1 << 16)
/* Bytes of a name, without the end: the kernel's have 15, those of other profilers more. */
#define OP_THREAD_NAME_MOST 255

struct op_thread_name {
	uint32_t tgid, tid;
	char *name; /* "": not known; the list's */
};

/* All zero is an empty list. */
struct op_thread_names {
	struct op_thread_name *items;
	size_t n, capacity;
	struct op_hash by_thread;
};

/**
 * op_thread_names_set - add a thread, or give it another name
 * @name: is copied, cut to OP_THREAD_NAME_MOST bytes, with blanks for newlines; "": not known
 *
 * Return: 1 if the list is another one now, 0 if not, or -1 when out of memory or the list is full.
 */
int op_thread_names_set(struct op_thread_names *names, uint32_t tgid, uint32_t tid,
			const char *name);

/* Return: the name, good until it is set again; NULL if it is not known. */
const char *op_thread_names_find(const struct op_thread_names *names, uint32_t tgid, uint32_t tid);

/**
 * op_thread_names_read - add the threads of a session
 * @samples_dir: SESSION/samples/NAME
 *
 * Malformed lines are skipped; a file that is missing has none.
 */
void op_thread_names_read(struct op_thread_names *names, const char *samples_dir);

/**
 * op_thread_names_save - write those that are known as those of a session
 *
 * Return: 0, or -1 with @error set.
 */
int op_thread_names_save(const struct op_thread_names *names, const char *samples_dir,
			 struct op_error *error);

void op_thread_names_free(struct op_thread_names *names);

/**
 * op_thread_name_of - the name of a running thread
 *
 * Return: the caller frees it; NULL: there is no such thread, or /proc does not show it.
 */
char *op_thread_name_of(uint32_t tgid, uint32_t tid);

#endif
