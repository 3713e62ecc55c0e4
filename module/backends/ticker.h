/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A timer on each CPU that calls a function, for backends without counters.
 *
 * The mean rate is that of the entry `frequency`.  The intervals are spread at random by an
 * eighth to both sides, so that what the machine does in step with its own clock is not
 * sampled always or never.
 *
 * The timer stands still while its CPU has nothing to do (busy.h), and goes on with the rest of
 * its interval: so no CPU is woken for it.
 */
#ifndef OPROFILE_TICKER_H
#define OPROFILE_TICKER_H

#include <linux/types.h>

#define OP_FREQUENCY_MIN 1 /* Hz */
#define OP_FREQUENCY_MAX 20000
#define OP_FREQUENCY_DEFAULT 1000

struct cpumask;
struct dentry;

/* Adds the entry `frequency`.  Context: process.  Return: 0 or a negative errno. */
int op_ticker_create_files(struct dentry *root);

/**
 * op_tick_fn - what a timer calls
 * @whole: the CPU had something to do for the whole interval
 *
 * Context: hard interrupt.  Return: whether the timer of a CPU that has nothing to do, and for
 * which op_ticker_keep() was called, goes on.
 */
typedef bool (*op_tick_fn)(bool whole);

/**
 * op_ticker_prepare - before the first op_ticker_start()
 * @keep: called as a CPU ends to have something to do: does its timer go on, as after
 *	op_ticker_keep()?  Context: of op_busy_set_up().  NULL: never
 *
 * Context: process, may sleep.
 */
void op_ticker_prepare(op_tick_fn tick, bool (*keep)(void));
void op_ticker_end(void); /* behind the last op_ticker_stop() */

/* On this CPU, in process context with preemption possible but bound to the CPU. */
void op_ticker_start(void);
void op_ticker_stop(void); /* no tick is running on this CPU any more when it returns */

/* Lets this CPU's timer run though it has nothing to do.  Context: hard interrupt. */
void op_ticker_keep(void);

/* CPUs that were started and have something to do; they come and go.  Any context. */
const struct cpumask *op_ticker_busy(void);

/* Does the timer of a CPU run?  Any context. */
bool op_ticker_ticks(unsigned int cpu);

/* Was a CPU busy at its last tick, and has it been so since?  Any context. */
bool op_ticker_whole(unsigned int cpu);

#endif
