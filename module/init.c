// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sysfs.h>

#include "backend.h"
#include "core.h"
#include "entries.h"
#include "oprofilefs.h"
#include "suspend.h"

static char *backend;

/* Which one was chosen, so that opcontrol knows. */
static int get_backend(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%s\n", op_backend_chosen());
}

static const struct kernel_param_ops backend_ops = {
	.set = param_set_charp,
	.get = get_backend,
	.free = param_free_charp,
};

module_param_cb(backend, &backend_ops, &backend, 0444);
__MODULE_PARM_TYPE(backend, "charp");
MODULE_PARM_DESC(backend, "how to take samples: x86, perf, nmi_timer or timer (default: the best that works)");

static const struct oprofilefs_owner owner = {
	.create_entries = oprofile_create_entries,
	.set = oprofile_set,
};

static int __init oprofile_init(void)
{
	int err;

	err = op_backend_choose(backend);
	if (err)
		return err;
	err = op_suspend_hook_set_up();
	if (err)
		return err;
	err = oprofilefs_register(&owner);
	if (err) {
		op_suspend_hook_tear_down();
		return err;
	}
	pr_info("using backend %s\n", op_backend()->name);
	return 0;
}

/* Nothing is mounted or open: both hold the module. */
static void __exit oprofile_exit(void)
{
	oprofilefs_unregister();
	op_suspend_hook_tear_down();
}

module_init(oprofile_init);
module_exit(oprofile_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("System profiler: samples all CPUs for oprofiled");
MODULE_VERSION("2.0.0");
