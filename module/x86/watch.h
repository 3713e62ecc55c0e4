/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A look at the counters each second, on CPUs that have something to do: are they still ours?
 * If others use them, sampling is begun anew, so that another backend can stand in.
 */
#ifndef OPROFILE_X86_WATCH_H
#define OPROFILE_X86_WATCH_H

#include <linux/types.h>

/* Begin and end on this CPU, while its PMU is started.  Context: process, bound to the CPU. */
void op_x86_watch_start(void);
void op_x86_watch_stop(void);

/*
 * Others use the counters of @cpu: @what, as op_x86_pmu_lost() has it.  Context: process, or soft
 * interrupt.  What was said first is kept until op_x86_watch_take().
 */
void op_x86_watch_report(unsigned int cpu, const char *what);

/* Was something reported?  Then the words for users, once.  Context: process. */
bool op_x86_watch_take(char *text, size_t size);

/* Nothing is begun anew any more.  Context: process; op_x86_watch_stop() was called everywhere. */
void op_x86_watch_end(void);

#endif
