// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registry of backends.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "backend.h"
#include "refusal.h"

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
static const char *passed_over; /* why a better one was not chosen; NULL: there is no better one */

static int probe_backend(const struct oprofile_backend *backend)
{
	return backend->probe ? backend->probe() : 0;
}

static const char *obstacle_to(const struct oprofile_backend *backend)
{
	return backend->obstacle ? backend->obstacle() : NULL;
}

static void choose(const struct oprofile_backend *best, const struct oprofile_backend *second)
{
	WRITE_ONCE(chosen, best);
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
		err = probe_backend(backends[i]);
		if (err) {
			const char *why = obstacle_to(backends[i]);

			pr_err("backend %s cannot be used on this machine: %s (error %d)\n", name,
			       why ?: "there is nothing to sample by", err);
			return err;
		}
		choose(backends[i], NULL);
		named = true;
		passed_over = NULL;
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
	if (backend == &op_x86_backend && !probe_backend(&op_perf_backend))
		return &op_perf_backend;
#endif
	return NULL;
}

static int choose_best(void)
{
	int i;

	named = false;
	passed_over = NULL;
	for (i = 0; i < ARRAY_SIZE(backends); i++) {
		const struct oprofile_backend *second;

		if (probe_backend(backends[i])) {
			passed_over = passed_over ?: obstacle_to(backends[i]);
			continue;
		}
		second = find_stand_in(backends[i]);
		if (!second && backends[i]->holder) {
			const char *holder = backends[i]->holder();

			passed_over = passed_over ?: holder;
			if (holder)
				continue;
		}
		choose(backends[i], second);
		return 0;
	}
	return -ENODEV;
}

int op_backend_choose(const char *name)
{
	return name && *name ? choose_named(name) : choose_best();
}

int op_backend_choose_anew(void)
{
	const struct oprofile_backend *before = chosen;
	int err;

	if (named)
		return 0;
	err = choose_best();
	if (!err && chosen != before)
		pr_info("using backend %s\n", chosen->name);
	return err;
}

const char *op_backend_chosen(void)
{
	const struct oprofile_backend *backend = READ_ONCE(chosen);

	return backend ? backend->name : "";
}

const struct oprofile_backend *op_backend(void)
{
	return READ_ONCE(active);
}

NOKPROBE_SYMBOL(op_backend);

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
	else if (passed_over)
		strscpy(text, passed_over, size);
	else if (backend == backends[0])
		strscpy(text, "the best one", size);
	else
		strscpy(text, "the best one that this machine can use", size);
}

static int set_up_backend(const struct oprofile_backend *backend)
{
	return backend->setup ? backend->setup() : 0;
}

static void shut_down_backend(const struct oprofile_backend *backend)
{
	if (backend->shutdown)
		backend->shutdown();
}

static int start_backend(const struct oprofile_backend *backend)
{
	WRITE_ONCE(active, backend);
	return backend->start ? backend->start() : 0;
}

int op_backend_set_up(void)
{
	int err;

	WRITE_ONCE(active, chosen);
	err = set_up_backend(chosen);
	if (err || !stand_in)
		return err;
	err = set_up_backend(stand_in);
	if (err)
		shut_down_backend(chosen);
	return err;
}

void op_backend_shut_down(void)
{
	if (stand_in)
		shut_down_backend(stand_in);
	shut_down_backend(chosen);
}

int op_backend_start(void)
{
	int err = start_backend(chosen);

	if (err != -EBUSY || !stand_in)
		return err;
	err = start_backend(stand_in);
	if (err)
		op_log_refusal("%s; %s" OP_BACKEND_WAY_OUT "\n", chosen->reason(),
			       stand_in->reason());
	else
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
