/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of a session that had samples in memory without a file: OP_SAMPLES_PROCESSES, which
 * oprofile-session(5) describes.  What a process wrote about such memory is found by its pid, which
 * may have been another process's before, and since.
 */
#ifndef LIBOP_SESSION_PROCESSES_H
#define LIBOP_SESSION_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/hash.h"

/* Processes that a list has at most; further ones are not known. */
#define OP_PROCESSES_MOST (1 << 16)

struct op_process {
	uint32_t tgid;
	uint32_t owner;	  /* its user */
	uint64_t started; /* in nanoseconds since 1970 */
	uint32_t inner;	  /* its pid in its own namespace; 0: not known */
	char *dump;	  /* the path of the jitdump that it has mapped, or NULL; the list's */
};

/* All zero is an empty list. */
struct op_process_list {
	struct op_process *items;
	size_t n, capacity;
	struct op_hash by_tgid;
};

/**
 * op_process_list_add - add a process, unless the list has it
 * @process: is copied, with its jitdump
 *
 * Return: 1 if it is new, 0 if it is not, or -1 when out of memory or the list is full.
 */
int op_process_list_add(struct op_process_list *list, const struct op_process *process);

/**
 * op_process_list_find - which process a pid was
 * @found: set to the first of them, if there are any
 *
 * Return: how many processes with this pid the list has.
 */
size_t op_process_list_find(const struct op_process_list *list, uint32_t tgid,
			    struct op_process *found);

/**
 * op_process_list_read - add the processes of a session
 * @samples_dir: SESSION/samples/NAME
 *
 * Malformed lines are skipped; a file that is missing has none.
 */
void op_process_list_read(struct op_process_list *list, const char *samples_dir);

/**
 * op_process_list_save - write a list as that of a session
 *
 * Return: 0, or -1 with @error set.
 */
int op_process_list_save(const struct op_process_list *list, const char *samples_dir,
			 struct op_error *error);

void op_process_list_free(struct op_process_list *list);

/**
 * op_process_list_set_dump - set the jitdump of the process that was added last with this pid
 * @path: is copied; one that is too long, or has a newline, is not taken
 */
void op_process_list_set_dump(struct op_process_list *list, uint32_t tgid, const char *path);

/**
 * op_process_of - look at a running process
 * @process: filled in, but for its jitdump
 *
 * Return: 0, or -1: there is no such process, or /proc does not show it.
 */
int op_process_of(uint32_t tgid, struct op_process *process);

/* Whether both are one process.  Its start is computed anew each time from the time since boot, so
 * it may differ by what the clock was set meanwhile; a pid is not used again as fast. */
bool op_process_is_same(const struct op_process *process, const struct op_process *other);

#endif
