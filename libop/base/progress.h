/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a long piece of work is, on one line of the terminal that overwrites itself:
 *
 *	sample files read: 4200 of 10000 (42 %)
 *
 * It is there for people: only if stderr is a terminal, only from the second second on, and
 * gone when the work is done or a message is written.  One thread at a time may tell.
 */
#ifndef LIBOP_PROGRESS_H
#define LIBOP_PROGRESS_H

#include <stdint.h>

/* In place of one second: seconds to wait before the line appears, from 0 on. */
#define OP_PROGRESS_DELAY "OPROFILE_PROGRESS_DELAY"

/* Begins; without it nothing is shown.  For main(). */
void op_progress_begin(void);

/**
 * op_progress - tell how far it is
 * @what: is done: "sample files read"
 * @done: of them
 * @total: how many there are; 0: nobody knows
 *
 * It costs next to nothing and can be called for each file.
 */
void op_progress(const char *what, uint64_t done, uint64_t total);

/* Removes the line, until there is more to tell. */
void op_progress_clear(void);

/* Nothing is shown any more, up to the next op_progress_begin(). */
void op_progress_end(void);

#endif
