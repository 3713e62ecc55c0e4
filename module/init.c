// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/printk.h>

#include "backend.h"
#include "oprofilefs.h"
#include "suspend.h"

static char *backend;
module_param(backend, charp, 0444);
MODULE_PARM_DESC(backend, "how to take samples: x86, perf, nmi_timer or timer (default: the best that works)");

static int __init oprofile_init(void)
{
	int err;

	err = op_backend_choose(backend);
	if (err)
		return err;
	err = op_suspend_hook_set_up();
	if (err)
		return err;
	err = oprofilefs_register();
	if (err) {
		op_suspend_hook_tear_down();
		return err;
	}
	if (!backend)
		backend = (char *)op_backend()->name; /* so that opcontrol knows */
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
