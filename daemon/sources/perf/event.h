/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf event of one CPU, and the rings that the events of that CPU write into: one for samples,
 * and one for what processes do, so that a storm of mappings pushes out no samples, and what the
 * kernel says that the ring of samples lost is samples.
 */
#ifndef DAEMON_SOURCES_PERF_EVENT_H
#define DAEMON_SOURCES_PERF_EVENT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/perf/copies.h"
#include "libop/perf/event.h"
#include "record.h"
#include "ring.h"

/* struct perf_target - what is to be profiled */
struct perf_target {
	const pid_t *threads; /* and their children; NULL: all CPUs */
	size_t count;
	bool on_exec;	      /* begin when the thread executes a program, not at once */
	const sigset_t *ends; /* blocked signals that end the opening; NULL: none does */
};

struct perf_counters_config {
	const struct op_perf_events *events;
	struct perf_target target;
	struct perf_attr attr; /* the layout of records: perf_live_attr() */
	unsigned int depth;    /* most frames of a call chain; 0: as many as the kernel allows */
	struct perf_copies copies; /* of user stacks, with attr.sample_regs_user; else of size 0 */
};

/*
 * struct perf_cpu - a CPU and one of its rings
 *
 * A CPU that goes offline takes its events with it: they never count again.  Its ring is @gone
 * then, and is closed when it is empty; what it counted is kept.  When the CPU is back, it has
 * another of these.
 */
struct perf_cpu {
	int cpu, fd;	   /* the event whose ring it is; -1 when the ring is closed */
	bool of_processes; /* else of samples */
	bool gone;
	uint64_t opening; /* as of its events */
	struct perf_ring ring;
	uint64_t samples, lost, throttled; /* @lost of the ring's kind */
	uint64_t broken;		   /* malformed records in rings that are closed */
};

/* Return: the pages of a ring that the records of @config would like to have. */
size_t perf_event_pages(const struct perf_counters_config *config);

/**
 * perf_event_open_on - open an event of a thread on a CPU
 * @place: of the event in @config; unused for a ring of processes, which has an event of its own
 * @copy: which size of copies of stacks it has, of config->copies
 * @thread: -1: all
 * @cpu: gets the ring with its first event; the other events write into that
 * @pages: of the ring; set to fewer if the kernel allows no more.  The event says when to wake us,
 *         which depends on the size of the ring, so it is opened again then.
 * @fd: set to the event, which is disabled; the caller closes it
 *
 * Return: 1, 0 if the thread is gone and others are left, or -1 with @error set.
 */
int perf_event_open_on(const struct perf_counters_config *config, size_t place, size_t copy,
		       pid_t thread, struct perf_cpu *cpu, size_t *pages, int *fd,
		       struct op_error *error);

/*
 * struct perf_reading - what read(2) returns of an event, with the children of its thread
 *
 * @lost is of events of the whole system only.
 */
struct perf_reading {
	uint64_t count, enabled, running, lost;
};

/* Numbers that the kernel does not report are 0. */
struct perf_reading perf_event_read(int fd);

#endif
