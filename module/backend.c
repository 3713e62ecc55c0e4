// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registry of backends.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "backend.h"

/* Best first. */
static const struct oprofile_backend *const backends[] = {
#ifdef CONFIG_X86_LOCAL_APIC
	&op_x86_backend,
	&op_perf_backend,
	&op_nmi_timer_backend,
#endif
	&op_timer_backend,
};

static const struct oprofile_backend *chosen;

static int probe(const struct oprofile_backend *backend)
{
	return backend->probe ? backend->probe() : 0;
}

static int choose_named(const char *name)
{
	int err;
	int i;

	for (i = 0; i < ARRAY_SIZE(backends); i++) {
		if (strcmp(backends[i]->name, name))
			continue;
		err = probe(backends[i]);
		if (err) {
			pr_err("backend %s cannot be used on this machine: error %d\n", name, err);
			return err;
		}
		chosen = backends[i];
		return 0;
	}
	pr_err("there is no backend \"%s\"; those built in are:\n", name);
	for (i = 0; i < ARRAY_SIZE(backends); i++)
		pr_err("  %s\n", backends[i]->name);
	return -EINVAL;
}

int op_backend_choose(const char *name)
{
	int i;

	if (name && *name)
		return choose_named(name);

	for (i = 0; i < ARRAY_SIZE(backends); i++) {
		if (!probe(backends[i])) {
			chosen = backends[i];
			return 0;
		}
	}
	return -ENODEV;
}

const struct oprofile_backend *op_backend(void)
{
	return chosen;
}
