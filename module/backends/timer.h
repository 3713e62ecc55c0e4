/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPROFILE_TIMER_H
#define OPROFILE_TIMER_H

/* Samples what this hard interrupt interrupted.  Context: a tick of ticker.h. */
void op_timer_sample(void);

#endif
