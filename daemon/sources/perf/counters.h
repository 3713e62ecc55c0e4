/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf events that are open, and their rings: two a CPU, one with the samples of all events of
 * that CPU, and one with what processes do.
 *
 * Events of threads are opened for each CPU, too: the kernel lets several CPUs write into one
 * ring only if the events are not inherited by new threads and processes.
 */
#ifndef DAEMON_SOURCES_PERF_COUNTERS_H
#define DAEMON_SOURCES_PERF_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/hash.h"
#include "event.h"

/* struct perf_counter - an event that is open on a CPU */
struct perf_counter {
	int fd;
	uint64_t opening; /* of the events of one ring */
	uint64_t id;	  /* the kernel's number for it */
	size_t place;	  /* of the event among those chosen; NOT_CHOSEN: it tells of processes */
	size_t copy;	  /* which size of copies of stacks it has; one of them counts */
};

#define NOT_CHOSEN SIZE_MAX

struct perf_counters {
	struct perf_cpu *cpu; /* by ring */
	size_t cpus;	      /* rings */
	struct perf_counter *counter;
	size_t count;
	struct op_hash_map by_id; /* perf_counter::id to 1 + its place */
	uint64_t openings;
	size_t pages;		   /* of a ring */
	size_t copy;		   /* perf_counter::copy of the events that count */
	struct perf_reading *gone; /* by place: sums of events that are closed */
};

/**
 * perf_counters_open - open all events and map the rings
 * @counters: filled in, also on error; perf_counters_close() ends all
 *
 * They do not count before perf_counters_enable(), or the program is executed.
 *
 * Return: 0, or -1 with @error set: what is wrong, and what helps; EINTR if a signal came.
 */
int perf_counters_open(struct perf_counters *counters, const struct perf_counters_config *config,
		       struct op_error *error);
int perf_counters_enable(struct perf_counters *counters, struct op_error *error);
/* Only those of @cpu, which is one of @counters. */
int perf_counters_enable_one(struct perf_counters *counters, const struct perf_cpu *cpu,
			     struct op_error *error);
void perf_counters_disable(struct perf_counters *counters);

/**
 * perf_counters_copy - let the events with another size of copies of stacks count
 * @copy: as of perf_counter::copy
 * @running: they are enabled
 *
 * Return: 0, or -1 with @error set.
 */
int perf_counters_copy(struct perf_counters *counters, size_t copy, bool running,
		       struct op_error *error);
void perf_counters_close(struct perf_counters *counters);

/**
 * perf_counters_add - open all events on one more CPU, for the whole system: its rings are the last
 *	two of @counters->cpu
 * @config: as it was for perf_counters_open(), without threads
 *
 * Moves @counters->cpu.  The events do not count before perf_counters_enable().
 *
 * Return: 0, or -1 with @error set, and nothing added: ENODEV if the CPU is offline.
 */
int perf_counters_add(struct perf_counters *counters, const struct perf_counters_config *config,
		      int cpu, struct op_error *error);

/* The number of CPUs, also of those that are gone. */
size_t perf_counters_cpus(const struct perf_counters *counters);

/* The CPU with events that count, or are to be enabled; NULL if there is none of this number. */
struct perf_cpu *perf_counters_find(struct perf_counters *counters, int cpu);

/* Whether the events count no more, of a CPU whose events were enabled: time stands still. */
bool perf_counters_stand_still(const struct perf_counters *counters, const struct perf_cpu *cpu);

/* Whether the ring of a CPU that is gone is empty and not yet closed. */
bool perf_counters_is_done(struct perf_cpu *cpu);

/**
 * perf_counters_close_done - close the rings that are done, with their events
 *
 * Moves @counters->cpu.  Counts what the kernel lost and had no later record to report with.
 *
 * Return: whether records of processes are among these.
 */
bool perf_counters_close_done(struct perf_counters *counters);

/* The place of an event among those opened, by the number in its records; -1 if unknown. */
int perf_counters_event(const struct perf_counters *counters, uint64_t id);

#endif
