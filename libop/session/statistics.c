// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The statistics of a session: see statistics.h.
 */
#include "statistics.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "libop/base/number.h"

#define ROW(id, name, reporter, meaning, measure, ...)                                             \
	[STAT_##id] = {.key = (name),                                                              \
		       .source = OP_STAT_OF_##reporter,                                            \
		       .kind = OP_STAT_##meaning,                                                  \
		       .unit = OP_STAT_##measure,                                                  \
		       .text = __VA_ARGS__},
const struct op_stat op_stats[STAT_COUNT] = {OP_STATS(ROW)};

static const char *const units[OP_STAT_UNITS] = {
	[OP_STAT_SAMPLES] = "samples",	    [OP_STAT_FRAMES] = "frames",
	[OP_STAT_CHAINS] = "call chains",   [OP_STAT_STACKS] = "whole stacks",
	[OP_STAT_BUFFERS] = "buffers",	    [OP_STAT_RECORDS] = "records",
	[OP_STAT_WORDS] = "words",	    [OP_STAT_NAMES] = "names",
	[OP_STAT_NOTES] = "notes",	    [OP_STAT_CHANGES] = "changes",
	[OP_STAT_TIMES] = "times",	    [OP_STAT_INTERRUPTS] = "interrupts",
	[OP_STAT_TABLES] = "unwind tables", [OP_STAT_BYTES] = "bytes",
	[OP_STAT_MS] = "milliseconds",
};

enum stat_id op_stat_find(const char *key, size_t length)
{
	enum stat_id i = 0;

	while (i < STAT_COUNT &&
	       (strncmp(op_stats[i].key, key, length) != 0 || op_stats[i].key[length]))
		i++;
	return i;
}

enum stat_id op_stat_find_reported(const char *path, size_t length, unsigned int *cpu)
{
	const char *slash = memchr(path, '/', length), *key = slash ? slash + 1 : path;
	const char *at = path + strlen("cpu");
	enum stat_id which = op_stat_find(key, length - (size_t)(key - path));
	uint64_t number;

	if (which == STAT_COUNT)
		return STAT_COUNT;
	if (!slash)
		return op_stats[which].source == OP_STAT_OF_MODULE ? which : STAT_COUNT;
	if (op_stats[which].source != OP_STAT_OF_CPU || strncmp(path, "cpu", strlen("cpu")) != 0 ||
	    !op_number_take(&at, 10, UINT_MAX, &number) || at != slash)
		return STAT_COUNT;
	*cpu = (unsigned int)number;
	return which;
}

bool op_stat_is_lost_sample(enum stat_id which)
{
	return op_stats[which].kind == OP_STAT_LOST && op_stats[which].unit == OP_STAT_SAMPLES;
}

bool op_stat_is_of_kernel(enum stat_id which)
{
	return op_stats[which].source == OP_STAT_OF_MODULE ||
	       op_stats[which].source == OP_STAT_OF_CPU;
}

const char *op_stat_text(enum stat_id which, char text[static OP_STAT_TEXT_SIZE])
{
	snprintf(text, OP_STAT_TEXT_SIZE, "%s %s%s", units[op_stats[which].unit],
		 op_stat_is_lost_sample(which) ? "lost: " : "", op_stats[which].text);
	return text;
}
