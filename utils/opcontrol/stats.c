// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files in stats/ and stats/cpuN/, summed by name.  New ones need no change here.
 */
#include "stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "libop/base/file.h"
#include "libop/base/number.h"

struct reader {
	struct stats *stats;
	struct op_error *error;
};

static int add(struct reader *reader, const char *path, uint64_t value)
{
	const char *name = strrchr(path, '/') + 1;
	struct stats *stats = reader->stats;
	size_t i;

	for (i = 0; i < stats->nr && strcmp(stats->sums[i].name, name); i++)
		;
	if (i == STATS_MAX || strlen(name) >= sizeof(stats->sums[i].name))
		return op_error_set(reader->error, E2BIG, "%s: more statistics than expected",
				    path);
	if (i == stats->nr) {
		strcpy(stats->sums[i].name, name);
		stats->sums[i].value = 0;
		stats->nr++;
	}
	stats->sums[i].value += value;
	return 0;
}

/* Of a counter, "counter3/running_ns", and no number of samples. */
static bool is_time(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && strlen(slash) > 3 && !strcmp(slash + strlen(slash) - 3, "_ns");
}

static int visit(const char *path, const struct stat *status, void *context)
{
	struct reader *reader = context;
	struct op_error why;
	uint64_t value;
	char *text;
	int ret;

	if (!S_ISREG(status->st_mode) || is_time(path))
		return 0;
	text = op_file_read(path, 64, NULL, &why);
	if (!text && why.code == ENOENT)
		return 0; /* the CPU went offline meanwhile */
	if (!text)
		return op_error_set(reader->error, why.code, "%s", why.text);
	text[strcspn(text, "\n")] = '\0';
	ret = op_number_parse(text, "value", 0, UINT64_MAX, &value, &why);
	free(text);
	if (ret)
		return op_error_set(reader->error, EPROTO, "%s: %s", path, why.text);
	return add(reader, path, value);
}

int stats_read(struct stats *stats, struct op_error *error)
{
	struct reader reader = {.stats = stats, .error = error};
	char *dir = op_path("%s/stats", driver_dir());
	int ret;

	stats->nr = 0;
	if (!dir)
		return op_error_memory(error);
	ret = op_walk(dir, visit, &reader, error);
	free(dir);
	return ret;
}

int stats_read_times(unsigned int counter, uint64_t *enabled_ns, uint64_t *running_ns,
		     struct op_error *error)
{
	char name[48];

	*enabled_ns = *running_ns = 0;
	snprintf(name, sizeof(name), "stats/counter%u/enabled_ns", counter);
	if (!driver_has(name))
		return 0;
	if (driver_read(name, enabled_ns, error))
		return -1;
	snprintf(name, sizeof(name), "stats/counter%u/running_ns", counter);
	return driver_read(name, running_ns, error);
}

bool stat_is_loss(const char *name)
{
	return !strncmp(name, "sample_lost_", strlen("sample_lost_")) ||
	       !strcmp(name, "sample_invalid_eip");
}

const char *stat_title(const char *name)
{
	static const struct {
		const char *name, *title;
	} titles[] = {
		{"sample_lost_overflow", "the buffer of a CPU was full"},
		{"sample_lost_nested", "interrupted another sample"},
		{"sample_lost_no_mm", "the task had no address space"},
		{"sample_lost_no_mapping", "nothing was mapped at the address"},
		{"sample_lost_busy", "the address space was locked for too long"},
		{"sample_lost_no_room", "larger than the event buffer"},
		{"sample_invalid_eip", "invalid program counter"},
		{"unmapped_lost", "notes of mappings that there was no room for"},
		{"images_lost", "times that there was no room for the name of an image"},
		{"hooks_disarmed", "times that kprobes were found switched off (debugfs)"},
		{"hooks_missed", "changes of mappings that a kprobe missed"},
		{"sample_idle", "interrupts of an idle CPU, which make no sample"},
		{"sample_guest", "overflows in virtual machines, which make no sample"},
		{"event_lost_overflow", "words that did not fit the event buffer"},
		{"bt_lost_no_mapping", "call chains truncated where nothing was mapped"},
		{"backtrace_aborted", "call chains that could not be read to their end"},
		{"chain_root", "call chains up to code without a caller"},
		{"chain_depth", "call chains up to the depth asked for"},
		{"chain_no_table", "call chains up to code of which nothing is known"},
		{"chain_no_rule", "call chains up to code without a simple rule"},
		{"chain_unreadable", "call chains up to memory that could not be read"},
		{"chain_bad_frame", "call chains up to a frame that is none"},
		{"unwind_bytes", "bytes of unwind tables"},
		{"unwind_tables", "unwind tables"},
		{"unwind_dropped", "unwind tables dropped to make room"},
		{"unwind_refused", "unwind tables refused"},
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		if (!strcmp(titles[i].name, name))
			return titles[i].title;
	}
	return name;
}
