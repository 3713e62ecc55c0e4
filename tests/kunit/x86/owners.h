/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The owners of registers.  Shared by suites; of reserve_test.c.
 */
#ifndef OPROFILE_KUNIT_OWNERS_H
#define OPROFILE_KUNIT_OWNERS_H

#include <linux/types.h>

void owners_clear(void);	  /* nobody owns anything */
void owners_add(unsigned int msr); /* somebody else owns it */
void owners_give_away(void);	  /* what was ours is somebody else's */

unsigned int owners_ours(void); /* how many registers we own */
bool owners_are_ours(unsigned int msr);
unsigned int owners_wrongly_released(void); /* that were not ours */

#endif
