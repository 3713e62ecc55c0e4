/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf events that are open, and their rings: one ring a CPU, in which the records of all
 * events of that CPU are.
 *
 * Events of threads are opened for each CPU, too: the kernel lets several CPUs write into one
 * ring only if the events are not inherited by new threads and processes.
 */
#ifndef DAEMON_PERF_COUNTERS_H
#define DAEMON_PERF_COUNTERS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/error.h"
#include "libop/perf_event.h"
#include "map.h"
#include "perf_record.h"
#include "perf_ring.h"

/* struct perf_target - what is to be profiled */
struct perf_target {
	const pid_t *threads; /* and their children; NULL: all CPUs */
	size_t count;
	bool on_exec; /* begin when the thread executes a program, not at once */
	const sigset_t *ends; /* blocked signals that end the opening; NULL: none does */
};

struct perf_counters_config {
	const struct op_perf_events *events;
	struct perf_target target;
	struct perf_layout layout;
	unsigned int depth; /* most frames of a call chain; 0: as many as the kernel takes */
	uint32_t stack;	    /* bytes of user stacks to copy, with layout.user_registers */
};

/* struct perf_cpu - a CPU and its ring */
struct perf_cpu {
	int cpu, fd; /* the event whose ring it is */
	struct perf_ring ring;
	uint64_t samples, lost, throttled;
};

struct perf_counters {
	struct perf_cpu *cpu;
	size_t cpus;
	int *fd; /* all of them */
	size_t fds;
	struct map by_id; /* the kernel's number of an event to 1 + its place */
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
void perf_counters_disable(struct perf_counters *counters);
void perf_counters_close(struct perf_counters *counters);

/* The place of an event among those opened, by the number in its records; -1 if unknown. */
int perf_counters_event(const struct perf_counters *counters, uint64_t id);

#endif
