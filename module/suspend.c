// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notifiers of suspend and of reboot.  No counter may run into a kernel that kexec starts.
 */
#include <linux/notifier.h>
#include <linux/reboot.h>
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

static int on_reboot(struct notifier_block *block, unsigned long event, void *data)
{
	oprofile_pause();
	return NOTIFY_DONE;
}

static struct notifier_block reboot_notifier = { .notifier_call = on_reboot };

int op_suspend_hook_set_up(void)
{
	int err = register_pm_notifier(&suspend_notifier);

	if (err)
		return err;
	err = register_reboot_notifier(&reboot_notifier);
	if (err)
		unregister_pm_notifier(&suspend_notifier);
	return err;
}

void op_suspend_hook_tear_down(void)
{
	unregister_reboot_notifier(&reboot_notifier);
	unregister_pm_notifier(&suspend_notifier);
}
