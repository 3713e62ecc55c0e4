/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks for a sync soon, from any context: what does it cannot be called in an NMI, and is known to
 * none of those who ask.
 */
#ifndef OPROFILE_KICK_H
#define OPROFILE_KICK_H

#include <linux/atomic.h>

extern atomic_t op_kicked; /* asked, and not answered yet; only for kick.c and tests */

/* Sync soon.  Context: any, NMI too. */
void op_sync_kick(void);

/*
 * @answer is called in a hard interrupt, once for all kicks until op_kick_answered().  Nobody may
 * kick meanwhile.
 */
void op_kick_set_up(void (*answer)(void));

/* From now on, or no longer, kicks are of no use.  Context: any but NMI. */
void op_kick_hold_off(void);
void op_kick_answered(void);

/* No kick is under way any more; nobody may kick.  Context: process, may sleep. */
void op_kick_stop(void);

#endif
