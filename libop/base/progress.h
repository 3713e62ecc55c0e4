/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The progress of long work, on one line of the terminal that is overwritten:
 *
 *	sample files read: 4200 of 10000 (42 %)
 *
 * The line appears only on a terminal (stderr), after one second, and is removed when the work is
 * done or a message is written.  One thread at a time may report progress.
 */
#ifndef LIBOP_BASE_PROGRESS_H
#define LIBOP_BASE_PROGRESS_H

#include <stdint.h>

/* Environment variable: seconds until the line appears, 0 or more, instead of one. */
#define OP_PROGRESS_DELAY "OPROFILE_PROGRESS_DELAY"

/* Enables progress lines; for main(). */
void op_progress_begin(void);

/**
 * op_progress - report progress
 * @what: what is counted: "sample files read"
 * @done: how many are done
 * @total: how many there are; 0: unknown
 *
 * A call costs little: once per file is fine.
 */
void op_progress(const char *what, uint64_t done, uint64_t total);

/* Nothing is shown any more, up to the next op_progress_begin(). */
void op_progress_end(void);

#endif
