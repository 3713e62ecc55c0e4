// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registry of backends.
 */
#include <linux/compiler.h>
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
static const struct oprofile_backend *stand_in; /* NULL: none */
static const struct oprofile_backend *active;	/* one of these */
static bool named;

static int probe(const struct oprofile_backend *backend)
{
	return backend->probe ? backend->probe() : 0;
}

static void choose(const struct oprofile_backend *best, const struct oprofile_backend *second)
{
	chosen = best;
	stand_in = second;
	WRITE_ONCE(active, best);
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
		choose(backends[i], NULL);
		named = true;
		return 0;
	}
	pr_err("there is no backend \"%s\"; those built in are:\n", name);
	for (i = 0; i < ARRAY_SIZE(backends); i++)
		pr_err("  %s\n", backends[i]->name);
	return -EINVAL;
}

/* perf has the same counters as x86, by the same numbers. */
static const struct oprofile_backend *find_stand_in(const struct oprofile_backend *backend)
{
#ifdef CONFIG_X86_LOCAL_APIC
	if (backend == &op_x86_backend && !probe(&op_perf_backend))
		return &op_perf_backend;
#endif
	return NULL;
}

int op_backend_choose(const char *name)
{
	int i;

	if (name && *name)
		return choose_named(name);

	for (i = 0; i < ARRAY_SIZE(backends); i++) {
		if (probe(backends[i]))
			continue;
		choose(backends[i], find_stand_in(backends[i]));
		named = false;
		return 0;
	}
	return -ENODEV;
}

const struct oprofile_backend *op_backend(void)
{
	return READ_ONCE(active);
}

bool op_backend_has_stand_in(void)
{
	return stand_in;
}

void op_backend_why(char *text, size_t size)
{
	const struct oprofile_backend *backend = op_backend();

	if (named)
		strscpy(text, "asked for", size);
	else if (backend != chosen)
		strscpy(text, chosen->reason(), size);
	else if (backend == backends[0])
		strscpy(text, "the best one", size);
	else
		strscpy(text, "the best one that this machine can use", size);
}

static int set_up(const struct oprofile_backend *backend)
{
	return backend->setup ? backend->setup() : 0;
}

static void shut_down(const struct oprofile_backend *backend)
{
	if (backend->shutdown)
		backend->shutdown();
}

static int start(const struct oprofile_backend *backend)
{
	WRITE_ONCE(active, backend);
	return backend->start ? backend->start() : 0;
}

int op_backend_set_up(void)
{
	int err;

	WRITE_ONCE(active, chosen);
	err = set_up(chosen);
	if (err || !stand_in)
		return err;
	err = set_up(stand_in);
	if (err)
		shut_down(chosen);
	return err;
}

void op_backend_shut_down(void)
{
	if (stand_in)
		shut_down(stand_in);
	shut_down(chosen);
}

int op_backend_start(void)
{
	int err = start(chosen);

	if (err != -EBUSY || !stand_in)
		return err;
	err = start(stand_in);
	if (!err)
		pr_info("using backend %s: %s\n", stand_in->name, chosen->reason());
	return err;
}

void op_backend_stop(void)
{
	if (active->stop)
		active->stop();
}

void op_backend_refresh_times(void)
{
	const struct oprofile_backend *backend = op_backend();

	if (backend->refresh_times)
		backend->refresh_times();
}
