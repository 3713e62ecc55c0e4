// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files in stats/ and stats/cpuN/, summed by name: see stats.h.
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
	size_t prefix; /* of paths: the directory and a slash */
	struct op_error *error;
};

static int opcontrol_stats_visit(const char *path, const struct stat *status, void *context)
{
	struct reader *reader = context;
	const char *name = path + reader->prefix;
	unsigned int cpu;
	enum stat_id which = op_stat_find_reported(name, strlen(name), &cpu);
	struct op_error why;
	uint64_t value;
	char *text;
	int ret;

	if (!S_ISREG(status->st_mode) || which == STAT_COUNT)
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
	reader->stats->value[which] += value;
	return 0;
}

int stats_read(struct stats *stats, struct op_error *error)
{
	char *dir = op_path("%s/stats", driver_dir());
	struct reader reader = {.stats = stats, .error = error};
	int ret;

	*stats = (struct stats){0};
	if (!dir)
		return op_error_memory(error);
	reader.prefix = strlen(dir) + 1;
	ret = op_walk(dir, opcontrol_stats_visit, &reader, error);
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
