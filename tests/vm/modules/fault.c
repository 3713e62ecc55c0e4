// SPDX-License-Identifier: GPL-2.0-only
/*
 * Misbehaves on purpose when loaded, to prove that the harness notices:
 *
 *	insmod fault.ko kind=warn	a WARNING, after which all goes on
 *	insmod fault.ko kind=oops	a read through a null pointer
 *	insmod fault.ko kind=stuck	a CPU that never comes back, interrupts off
 */
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/processor.h>

static char *kind = "";
module_param(kind, charp, 0);

static int __init fault_init(void)
{
	if (!strcmp(kind, "warn")) {
		WARN_ON(1);
	} else if (!strcmp(kind, "oops")) {
		READ_ONCE(*(volatile int *)8);
	} else if (!strcmp(kind, "stuck")) {
		local_irq_disable();
		for (;;)
			cpu_relax();
	} else {
		pr_err("fault: kind is warn, oops or stuck\n");
		return -EINVAL;
	}
	return 0;
}

static void __exit fault_exit(void)
{
}

module_init(fault_init);
module_exit(fault_exit);
MODULE_DESCRIPTION("Misbehaves on purpose, for tests of the harness");
MODULE_LICENSE("GPL");
