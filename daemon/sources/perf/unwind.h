/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callers of user code that has no frame pointers: by the call frame information (.eh_frame) of
 * its files, from a copy of the top of its stack and its registers.
 *
 * The information is kept by file, not by process, so that short lives cost no more than long
 * ones.  Only x86-64 is known.
 */
#ifndef DAEMON_SOURCES_PERF_UNWIND_H
#define DAEMON_SOURCES_PERF_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "process.h"
#include "record.h"

/* perf_event_attr::sample_regs_user: all general registers; 0 if the machine is not known. */
#if defined(__x86_64__)
#define PERF_UNWIND_REGISTERS UINT64_C(0xff0fff)
#else
#define PERF_UNWIND_REGISTERS 0
#endif
/* perf_event_attr::sample_stack_user */
#define PERF_UNWIND_STACK	8192
#define PERF_UNWIND_FRAMES_MOST 128

struct perf_unwind;

/* Return: NULL when out of memory. */
struct perf_unwind *perf_unwind_new(void);
void perf_unwind_free(struct perf_unwind *unwind);

/**
 * perf_unwind_chain - the addresses of a stack
 * @user: registers as of PERF_UNWIND_REGISTERS, and the stack
 * @frame: filled in, the sampled address first, then return addresses
 *
 * Ends where the copy of the stack ends, or at code without call frame information.
 *
 * Return: their number; 0 if nothing is known of the registers.
 */
size_t perf_unwind_chain(struct perf_unwind *unwind, struct perf_processes *processes,
			 struct perf_process *process, const struct perf_user_state *user,
			 uint64_t frame[static PERF_UNWIND_FRAMES_MOST]);

#endif
