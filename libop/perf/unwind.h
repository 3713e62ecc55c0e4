/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callers of user code that has no frame pointers: by the call frame information (.eh_frame) of
 * its files, from a copy of the top of its stack and its registers.  For live rings and for
 * recordings.
 *
 * It is compiled into unwind tables (libop/unwind), by which nearly all stacks are walked; libdw
 * does it for those with code whose rules no table can have.
 *
 * The information is kept by file, not by process, so that short lives cost no more than long
 * ones.  Only x86-64 is known.
 */
#ifndef LIBOP_PERF_UNWIND_H
#define LIBOP_PERF_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample.h"

/* perf_event_attr::sample_regs_user: all general registers of x86-64 */
#define PERF_UNWIND_X86_64	UINT64_C(0xff0fff)
#define PERF_UNWIND_FRAMES_MOST 128

/* struct perf_unwind_files - the process and its files, as the user knows them */
struct perf_unwind_files {
	/* Where code is: the number of its file, and the offset in it.  Return: false: in none.
	 * @is_return: behind it, a stack goes on. */
	bool (*place)(void *context, uint64_t address, bool is_return, uint64_t *file,
		      uint64_t *offset);
	/* Opens a file.  @is_in_container: set if anybody may own it, whoever it says.
	 * Return: a descriptor; -1: it cannot be read, or is not what was mapped. */
	int (*open)(void *context, uint64_t file, bool *is_in_container);
};

struct perf_unwind;

/* Return: NULL when out of memory. */
struct perf_unwind *perf_unwind_new(const struct perf_unwind_files *files);
void perf_unwind_free(struct perf_unwind *unwind); /* NULL is fine */

/**
 * perf_unwind_stack - the addresses of a stack
 * @context: for the functions of struct perf_unwind_files
 * @user: registers and stack, in this machine's byte order
 * @registers: which registers there are, by perf_event_attr::sample_regs_user
 * @frame: filled in, the sampled address first, then return addresses; for code that a signal has
 *	interrupted, the address of the instruction + 1: the byte below each is in its function
 *
 * Ends where the copy of the stack ends, or at code without call frame information.
 *
 * Return: their number; 0 if nothing is known of the registers.
 */
size_t perf_unwind_stack(struct perf_unwind *unwind, void *context,
			 const struct perf_user_state *user, uint64_t registers,
			 uint64_t frame[static PERF_UNWIND_FRAMES_MOST]);

/* struct perf_unwind_counts - what was done so far */
struct perf_unwind_counts {
	uint64_t stacks; /* that were walked */
	uint64_t slow;	 /* of these, by libdw */
};

const struct perf_unwind_counts *perf_unwind_count(const struct perf_unwind *unwind);

#endif
