/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that are being counted.
 */
#ifndef UTILS_OCOUNT_COUNTS_H
#define UTILS_OCOUNT_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/perf/event.h"
#include "request.h"

/* struct count - what was counted in an interval, of one event in one place */
struct count {
	uint64_t value;		   /* of the counter */
	uint64_t enabled, running; /* ns: while it was to count, and while it did */
};

/* struct place - a CPU, a thread, or all that is counted */
struct place {
	int number; /* of the CPU or thread; -1: all */
	int *fd;    /* of each event, of each that is part of it: [event * parts + part] */
	size_t parts;
	struct count *before; /* of each event: what earlier intervals had */
};

struct counts {
	const struct op_perf_events *events;
	struct place *place;
	size_t places;
};

/**
 * counts_open - open the events of the request
 * @command: the command's process, which has not executed its program yet; 0: there is none
 *
 * Return: 0, or -1 with @error set.  counts_close() in any case.
 */
int counts_open(struct counts *counts, const struct op_perf_events *events,
		const struct request *request, pid_t command, struct op_error *error);
int counts_enable(struct counts *counts, struct op_error *error);
void counts_close(struct counts *counts);

/**
 * counts_read - what an event has counted since the last call
 *
 * Return: 0, or -1 with @error set.
 */
int counts_read(struct counts *counts, size_t place, size_t event, struct count *count,
		struct op_error *error);

/**
 * count_scaled - what would have been counted if the event had counted all the time
 *
 * Events are multiplexed if the CPU has too few counters.
 *
 * Return: rounded to the nearest, and UINT64_MAX if it is more; what the counter says if the event
 * counted all the time, or never.
 */
uint64_t count_scaled(const struct count *count);

#endif
