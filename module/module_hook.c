// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module notifier.  A module is announced when it is in place and listed in /proc/modules,
 * before its code runs for the first time.
 */
#include <linux/module.h>
#include <linux/notifier.h>

#include "module_hook.h"
#include "sync.h"

static int on_module(struct notifier_block *block, unsigned long module_state, void *module)
{
	if (module_state == MODULE_STATE_COMING)
		op_sync_module_loaded();
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = { .notifier_call = on_module };

int op_module_hook_set_up(void)
{
	return register_module_notifier(&module_notifier);
}

void op_module_hook_tear_down(void)
{
	unregister_module_notifier(&module_notifier);
}
