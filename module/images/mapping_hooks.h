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

#else

#include <linux/errno.h>

static inline int op_mapping_hooks_set_up(void)
{
	return -EOPNOTSUPP;
}

static inline void op_mapping_hooks_tear_down(void)
{
}

#endif

#endif
