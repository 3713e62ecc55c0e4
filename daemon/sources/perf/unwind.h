/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callers of live user code by the call frame information of the files that its process has
 * mapped: libop/perf/unwind.h.
 */
#ifndef DAEMON_SOURCES_PERF_UNWIND_H
#define DAEMON_SOURCES_PERF_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/perf/unwind.h"
#include "code.h"
#include "process.h"
#include "record.h"

/* perf_event_attr::sample_regs_user: all general registers; 0 if the machine is not known. */
#if defined(__x86_64__)
#define PERF_UNWIND_REGISTERS PERF_UNWIND_X86_64
#else
#define PERF_UNWIND_REGISTERS 0
#endif
/*
 * perf_event_attr::sample_stack_user.  Of 8 KiB, 64 % of the chains of openssl reached the start of
 * the program; of 16 KiB, all of them.  The kernel's limit is the size of a record.
 */
#define PERF_UNWIND_STACK      16384
#define PERF_UNWIND_STACK_MOST 65528
/* In place of a size: as much as the last samples needed (libop/perf/copies.h), and frame pointers
 * behind it. */
#define PERF_UNWIND_AUTO UINT32_MAX

/**
 * perf_unwind_parse - read "auto", "dwarf" or "dwarf,BYTES"
 * @bytes: set to the size of copies of stacks, or PERF_UNWIND_AUTO; 0: the text is another one
 *
 * Return: 0, or -1 with @error set: the number is no multiple of 8, or too large.
 */
int perf_unwind_parse(const char *text, uint32_t *bytes, struct op_error *error);

/* For perf_unwind_new(): the files of live processes. */
extern const struct perf_unwind_files perf_unwind_live;

/**
 * perf_unwind_chain - the addresses of a stack
 * @code: what is known of code in memory
 * @user: registers as of PERF_UNWIND_REGISTERS, and the stack
 * @frame: filled in, the sampled address first, then return addresses
 *
 * Return: as of perf_unwind_stack().
 */
size_t perf_unwind_chain(struct perf_unwind *unwind, struct perf_code *code,
			 struct perf_processes *processes, struct perf_process *process,
			 const struct perf_user_state *user,
			 uint64_t frame[static PERF_UNWIND_FRAMES_MOST]);

/* As perf_unwind_is_start(). */
bool perf_unwind_starts(struct perf_unwind *unwind, struct perf_processes *processes,
			struct perf_process *process, uint64_t address);

#endif
