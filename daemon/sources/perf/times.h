/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For how long events were enabled, counted and paused, and how many samples they took; by place,
 * the index of an event among those chosen.
 *
 * The kernel pauses an event that takes more samples than perf_event_max_sample_rate, until the
 * next tick or until it is scheduled again, and writes records of both.
 */
#ifndef DAEMON_SOURCES_PERF_TIMES_H
#define DAEMON_SOURCES_PERF_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "counters.h"
#include "libop/base/hash.h"

struct perf_time {
	uint64_t enabled_ns, running_ns; /* summed over CPUs or, of threads, over threads */
	uint64_t paused_ns, taken;
	/* Of clocks of threads: counted, and with no sample, in threads that ran for less than the
	 * period; else 0. */
	uint64_t unsampled_ns;
	/* That the processes used and the event was not there to count: the kernel takes it from
	 * who executes a program that is set-user-ID, or that is not to be read. */
	uint64_t missing_ns;
	uint64_t period_ns; /* of a clock; else 0 */
	bool kernel, user;  /* which code the event samples */
};

struct perf_times {
	struct perf_time *time; /* by place */
	size_t places;
	uint64_t user_ns, system_ns; /* that the processes used, as Linux accounts; 0: not known */
	uint64_t processes;	     /* how many they were, executed programs counted anew */
	struct op_hash_map since; /* when a pause began: by CPU and place */
};

/* Return: 0, or -1 when out of memory. */
int perf_times_init(struct perf_times *times, const struct op_perf_events *events);
void perf_times_free(struct perf_times *times);

/* A sample was taken; -1 is no event. */
static inline void perf_times_take(struct perf_times *times, int place)
{
	if (place >= 0 && (size_t)place < times->places)
		times->time[place].taken++;
}

/* Records of the kernel, with their time in ns. */
void perf_times_pause(struct perf_times *times, int cpu, int place, uint64_t time);
void perf_times_resume(struct perf_times *times, int cpu, int place, uint64_t time);

/**
 * perf_times_read - the times of an event until now
 * @of_threads: the events are of threads, each of which has one on each of the CPUs
 *
 * Where a counter was missing for less than 1 % of the time, none was.
 */
struct perf_time perf_times_read(const struct perf_times *times,
				 const struct perf_counters *counters, size_t place,
				 bool of_threads);

/* Lines "counter3/enabled_ns 12" of all events that were enabled, as of source_stats(). */
void perf_times_print(const struct perf_times *times, const struct perf_counters *counters,
		      bool of_threads, FILE *out);

#endif
