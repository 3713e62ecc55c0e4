/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters have one owner at a time: perf (and so the NMI watchdog), or us.
 */
#ifndef OPROFILE_X86_RESERVE_H
#define OPROFILE_X86_RESERVE_H

#include <linux/types.h>

#include "x86/model.h"

/**
 * op_x86_counter_reserve - become the owner of a counter
 *
 * The fixed counters go with general counter 0, as perf takes all or none.
 * Context: process.  Return: whether we are the owner now.
 */
bool op_x86_counter_reserve(const struct op_x86_model *model, unsigned int number);
void op_x86_counter_release(const struct op_x86_model *model, unsigned int number);

/**
 * op_x86_counter_used - does it count on this CPU, whoever reserved it?
 *
 * The kernel's book-keeping knows of those that ask it only: not of firmware, nor of other modules.
 *
 * Context: bound to the CPU, on which nothing of ours counts.
 */
bool op_x86_counter_used(const struct op_x86_model *model, unsigned int number);

/*
 * Is a branch trace of Intel's (PT) recorded on this CPU?  perf's handler of NMIs is awake then,
 * though it has no counter, and takes all overflows for its own.  Context: bound to the CPU.
 */
bool op_x86_traced(void);

/* Could it be reserved at this moment? */
bool op_x86_counter_free(const struct op_x86_model *model, unsigned int number);

#endif
