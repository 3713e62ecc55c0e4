/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callers of user code that has no frame pointers: by the call frame information (.eh_frame) of
 * its files, from a copy of the top of its stack and its registers.  For live rings and for
 * recordings.
 *
 * It is compiled into unwind tables (libop/unwind), by which nearly all stacks are walked; libdw
 * does it for those with code whose rules no table can have.  Of code without any, such as what is
 * made at run time, its own instructions up to its return say the rule (libop/unwind/code.h), or
 * else the frame pointer leads on, if it leads to code.
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

/* What is mapped where code is, or may be. */
enum perf_unwind_place {
	PERF_UNWIND_NOWHERE, /* nothing that can be executed */
	PERF_UNWIND_FILE,
	PERF_UNWIND_MEMORY, /* memory without a file */
};

/* struct perf_unwind_files - the process and its files, as the user knows them */
struct perf_unwind_files {
	/* Where code is: of a file, sets its number, and the offset in it.
	 * @is_return: behind it, a stack goes on. */
	enum perf_unwind_place (*place)(void *context, uint64_t address, bool is_return,
					uint64_t *file, uint64_t *offset);
	/* Opens a file.  @is_in_container: set if anybody may own it, whoever it says.
	 * Return: a descriptor; -1: it cannot be read, or is not what was mapped. */
	int (*open)(void *context, uint64_t file, bool *is_in_container);
	/* Reads code of memory without a file, from an address on.  NULL: it is not known.
	 * Return: bytes; 0: it is not known. */
	size_t (*code)(void *context, uint64_t address, uint8_t *bytes, size_t most);
};

struct perf_unwind;

/* Return: NULL when out of memory. */
struct perf_unwind *perf_unwind_new(const struct perf_unwind_files *files);
void perf_unwind_free(struct perf_unwind *unwind); /* NULL is fine */

/*
 * perf_unwind_rest - close all files, until they are needed again
 *
 * What is known of them stays.  An open file keeps what it is on from being unmounted.
 */
void perf_unwind_rest(struct perf_unwind *unwind);

/**
 * perf_unwind_stack - the addresses of a stack
 * @context: for the functions of struct perf_unwind_files
 * @user: registers and stack, in this machine's byte order
 * @registers: which registers there are, by perf_event_attr::sample_regs_user
 * @frame: filled in, the sampled address first, then return addresses; for code that a signal has
 *	interrupted, the address of the instruction + 1: the byte below each is in its function
 *
 * Ends where the copy of the stack ends, or at code of which it is not known how it returns.
 *
 * Return: their number; 0 if nothing is known of the registers.
 */
size_t perf_unwind_stack(struct perf_unwind *unwind, void *context,
			 const struct perf_user_state *user, uint64_t registers,
			 uint64_t frame[static PERF_UNWIND_FRAMES_MOST]);

/* struct perf_unwind_end - how far a stack was walked */
struct perf_unwind_end {
	bool is_start; /* the last frame is known to have no caller */
	bool is_cut;   /* the stack goes on behind the end of its copy */
	uint64_t used; /* bytes of the copy, up to the last frame */
};

/* Of the last stack that was walked. */
const struct perf_unwind_end *perf_unwind_last(const struct perf_unwind *unwind);

/**
 * perf_unwind_is_start - whether code has no caller, such as that which begins a program
 * @address: a return address of the process of @context
 */
bool perf_unwind_is_start(struct perf_unwind *unwind, void *context, uint64_t address);

/* struct perf_unwind_counts - what was done so far */
struct perf_unwind_counts {
	uint64_t stacks; /* that were walked */
	uint64_t slow;	 /* of these, by libdw */
	/* frames of code without call frame information: left by its instructions, by the frame
	 * pointer, and not at all: the code could not be read, or does not say how it returns */
	uint64_t by_code, by_fp, unread, unknown;
};

const struct perf_unwind_counts *perf_unwind_count(const struct perf_unwind *unwind);

#endif
