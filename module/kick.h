/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks for a sync soon, from any context: what does it cannot be called in an NMI, and is known to
 * none of those who ask.
 */
#ifndef OPROFILE_KICK_H
#define OPROFILE_KICK_H

#include <linux/atomic.h>
#include <linux/types.h>

/* What was asked for and is not answered yet. */
enum op_kick { OP_KICK_NONE, OP_KICK_NOW, OP_KICK_LATER };

extern atomic_t op_kicked; /* an op_kick; only for kick.c and tests */

/* Sync at once.  Context: any, NMI too. */
void op_sync_kick(void);

/**
 * op_sync_kick_later - sync in the next ticks
 *
 * For what a sample asks for again and again.  A worker that runs at once ends the time slice of
 * the task that was sampled: such a task would run until it is sampled, and have more samples than
 * time.  Ticks do not know of samples.
 *
 * Context: any, NMI too.
 */
void op_sync_kick_later(void);

/*
 * @answer is called in a hard interrupt, with @now for op_sync_kick(): until op_kick_answered()
 * once for all kicks of a kind, and for none of the other kind after @now.  Nobody may kick
 * meanwhile.
 */
void op_kick_set_up(void (*answer)(bool now));

/* From now on, or no longer, kicks are of no use.  Context: any but NMI. */
void op_kick_hold_off(void);
void op_kick_answered(void);

/* No kick is under way any more; nobody may kick.  Context: process, may sleep. */
void op_kick_stop(void);

#endif
