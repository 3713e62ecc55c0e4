/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A timer on each CPU that calls a function, for backends without counters.
 *
 * The mean rate is that of the entry `frequency`.  The intervals are spread at random by an
 * eighth to both sides, so that what the machine does in step with its own clock is not
 * sampled always or never.
 */
#ifndef OPROFILE_TICKER_H
#define OPROFILE_TICKER_H

#define OP_FREQUENCY_MIN 1 /* Hz */
#define OP_FREQUENCY_MAX 20000
#define OP_FREQUENCY_DEFAULT 1000

struct dentry;

/* Adds the entry `frequency`.  Context: process.  Return: 0 or a negative errno. */
int op_ticker_create_files(struct dentry *root);

/**
 * op_ticker_prepare - before the first op_ticker_start()
 * @tick: called in hard interrupt on each CPU that was started
 */
void op_ticker_prepare(void (*tick)(void));

/* On this CPU, in process context with preemption possible but bound to the CPU. */
void op_ticker_start(void);
void op_ticker_stop(void); /* no tick is running on this CPU any more when it returns */

#endif
