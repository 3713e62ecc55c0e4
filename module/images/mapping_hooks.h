/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks into memory management: executable memory is mapped, executable memory goes away.
 */
#ifndef OPROFILE_MAPPING_HOOKS_H
#define OPROFILE_MAPPING_HOOKS_H

#ifdef CONFIG_KPROBES

/* Context: process, may sleep.  Return: 0, or what register_kprobes() says. */
int op_mapping_hooks_set_up(void);
void op_mapping_hooks_tear_down(void); /* no hook is running any more when it returns */

/* Looks whether the hooks are in place, if they were set up.  Context: as for set-up. */
void op_mapping_hooks_watch(void);

/* Of the statistics, since the last reset.  Context: any but NMI; set up or not. */
unsigned long op_mapping_hooks_disarmed(void); /* how often it was found that they are not */
unsigned long op_mapping_hooks_missed(void);   /* calls that a hook was not run for */
void op_mapping_hooks_reset(void);

#else

#include <linux/errno.h>

static inline int op_mapping_hooks_set_up(void)
{
	return -EOPNOTSUPP;
}

static inline void op_mapping_hooks_tear_down(void)
{
}

static inline void op_mapping_hooks_watch(void)
{
}

static inline unsigned long op_mapping_hooks_disarmed(void)
{
	return 0;
}

static inline unsigned long op_mapping_hooks_missed(void)
{
	return 0;
}

static inline void op_mapping_hooks_reset(void)
{
}

#endif

#endif
