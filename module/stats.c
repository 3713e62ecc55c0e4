// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics: every place that can lose a sample has a number.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/stddef.h>

#include "backend.h"
#include "cpu_buffer.h"
#include "event_buffer.h"
#include "images/dcookie.h"
#include "images/mapping_hooks.h"
#include "oprofilefs.h"
#include "published.h"
#include "resolve.h"
#include "stats.h"
#include "unwind/table.h"
#include "images/unmapped.h"

static const struct {
	const char *name;
	unsigned long *value;
} sync_stats[] = {
	{ "sample_lost_no_mm", &op_resolve_stats.lost_no_mm },
	{ "sample_lost_no_mapping", &op_resolve_stats.lost_no_mapping },
	{ "sample_lost_busy", &op_resolve_stats.lost_busy },
	{ "sample_lost_no_room", &op_resolve_stats.lost_no_room },
	{ "event_lost_overflow", &op_resolve_stats.event_lost_overflow },
	{ "bt_lost_no_mapping", &op_resolve_stats.bt_lost_no_mapping },
};

static const struct {
	const char *name;
	size_t offset;
} cpu_stat_files[] = {
	{ "sample_received", offsetof(struct op_cpu_stats, received) },
	{ "sample_lost_overflow", offsetof(struct op_cpu_stats, lost_overflow) },
	{ "sample_lost_nested", offsetof(struct op_cpu_stats, lost_nested) },
	{ "sample_invalid_eip", offsetof(struct op_cpu_stats, invalid_eip) },
	{ "backtrace_aborted", offsetof(struct op_cpu_stats, backtrace_aborted) },
	{ "throttled", offsetof(struct op_cpu_stats, throttled) },
	{ "sample_idle", offsetof(struct op_cpu_stats, idle) },
	{ "chain_depth", offsetof(struct op_cpu_stats, chains[UNWIND_GOES_ON]) },
	{ "chain_root", offsetof(struct op_cpu_stats, chains[UNWIND_AT_ROOT]) },
	{ "chain_no_table", offsetof(struct op_cpu_stats, chains[UNWIND_NO_ROW]) },
	{ "chain_no_rule", offsetof(struct op_cpu_stats, chains[UNWIND_NOT_SIMPLE]) },
	{ "chain_unreadable", offsetof(struct op_cpu_stats, chains[UNWIND_UNREADABLE]) },
	{ "chain_bad_frame", offsetof(struct op_cpu_stats, chains[UNWIND_BAD_FRAME]) },
	{ "sample_guest", offsetof(struct op_cpu_stats, guest) },
};

static const struct {
	const char *name;
	unsigned long (*get)(void);
} getters[] = {
	{ "unmapped_lost", op_unmapped_lost },
	{ "images_lost", op_dcookies_lost },
	{ "hooks_disarmed", op_mapping_hooks_disarmed },
	{ "hooks_missed", op_mapping_hooks_missed },
	{ "unwind_bytes", op_unwind_tables_bytes },
	{ "unwind_tables", op_unwind_tables_count },
	{ "unwind_dropped", op_unwind_tables_dropped },
	{ "unwind_refused", op_unwind_tables_refused },
};

static int create_cpu(struct dentry *stats, unsigned int cpu)
{
	struct dentry *directory;
	char name[16];
	int err;
	int i;

	snprintf(name, sizeof(name), "cpu%u", cpu);
	directory = oprofilefs_mkdir(stats, name);
	if (IS_ERR(directory))
		return PTR_ERR(directory);

	for (i = 0; i < ARRAY_SIZE(cpu_stat_files); i++) {
		void *value = (void *)op_cpu_stats(cpu) + cpu_stat_files[i].offset;

		err = oprofilefs_create_counter(directory, cpu_stat_files[i].name, value);
		if (err)
			return err;
	}
	return 0;
}

int op_stats_create(struct dentry *root)
{
	struct dentry *stats = oprofilefs_mkdir(root, "stats");
	unsigned int cpu;
	int err;
	int i;

	if (IS_ERR(stats))
		return PTR_ERR(stats);

	for (i = 0; i < ARRAY_SIZE(sync_stats); i++) {
		err = oprofilefs_create_counter(stats, sync_stats[i].name, sync_stats[i].value);
		if (err)
			return err;
	}
	for (i = 0; i < ARRAY_SIZE(getters); i++) {
		err = oprofilefs_create_getter(stats, getters[i].name, getters[i].get);
		if (err)
			return err;
	}

	for_each_possible_cpu(cpu) {
		err = create_cpu(stats, cpu);
		if (err)
			return err;
	}
	return op_backend()->create_stats ? op_backend()->create_stats(stats) : 0;
}

void op_stats_reset(void)
{
	mutex_lock(&op_sync_mutex);
	op_published_clear((unsigned long *)&op_resolve_stats,
			   sizeof(op_resolve_stats) / sizeof(long));
	mutex_unlock(&op_sync_mutex);
	op_cpu_stats_reset();
	op_unmapped_lost_reset();
	op_dcookies_lost_reset();
	op_mapping_hooks_reset();
	op_unwind_tables_reset();
}
