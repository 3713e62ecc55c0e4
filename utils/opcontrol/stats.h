/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the driver counted since profiling was last started: samples taken, samples lost.
 */
#ifndef UTILS_OPCONTROL_STATS_H
#define UTILS_OPCONTROL_STATS_H

#include <stdint.h>

#include "libop/base/error.h"
#include "libop/session/statistics.h"

struct stats {
	uint64_t value[STAT_COUNT]; /* those of the module, of all CPUs */
};

/* Reads the directory stats of oprofilefs: 0, or -1 with @error set. */
int stats_read(struct stats *stats, struct op_error *error);

/**
 * stats_read_times - how long a counter was to count since the daemon was started, and did
 * @enabled_ns: set to nanoseconds, of all CPUs together; 0 if the driver does not report it
 *
 * Return: 0, or -1 with @error set.
 */
int stats_read_times(unsigned int counter, uint64_t *enabled_ns, uint64_t *running_ns,
		     struct op_error *error);

#endif
