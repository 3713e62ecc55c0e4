/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells the daemon when kernel modules are loaded.
 */
#ifndef OPROFILE_MODULE_HOOK_H
#define OPROFILE_MODULE_HOOK_H

int op_module_hook_set_up(void); /* Context: process.  Return: 0 or a negative errno. */
void op_module_hook_tear_down(void);

#endif
