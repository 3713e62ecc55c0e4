// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power-management notifier.
 */
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "core.h"
#include "suspend.h"

static int on_suspend(struct notifier_block *block, unsigned long event, void *data)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
		oprofile_pause();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
		oprofile_resume();
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block suspend_notifier = { .notifier_call = on_suspend };

int op_suspend_hook_set_up(void)
{
	return register_pm_notifier(&suspend_notifier);
}

void op_suspend_hook_tear_down(void)
{
	unregister_pm_notifier(&suspend_notifier);
}
