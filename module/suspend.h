/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CPU loses its registers and timers in suspend.  All CPUs but one are taken offline for it,
 * and so are taken care of; to treat all alike, sampling pauses from before until after.
 */
#ifndef OPROFILE_SUSPEND_H
#define OPROFILE_SUSPEND_H

/*
 * Not under the core's mutex, which the notifier takes.  Context: process, may sleep.
 * Return: 0 or a negative errno.
 */
int op_suspend_hook_set_up(void);
void op_suspend_hook_tear_down(void);

#endif
