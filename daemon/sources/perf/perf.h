/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's perf events as a source, for machines without the module.
 *
 * Records are read from the rings of all CPUs in the order of their time, and become words of
 * the event stream at once; nothing is kept but what processes have mapped.
 */
#ifndef DAEMON_SOURCES_PERF_PERF_H
#define DAEMON_SOURCES_PERF_PERF_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>

#include "counters.h"
#include "daemon/sources/source.h"

struct source_perf_config {
	const struct op_perf_events *events;
	const pid_t *processes; /* and all their children; NULL: the whole system */
	size_t count;
	bool on_exec;		/* begin by itself when the process executes a program */
	const sigset_t *ends;	/* blocked signals that end the opening with EINTR; NULL: none */
	unsigned int callgraph; /* most callers of a sample; 0: none */
	uint32_t unwind;	/* bytes of stacks that are copied, to find callers by call frame
				 * information, or PERF_UNWIND_AUTO; 0: callers by frame pointers */
};

/* As many callers as the kernel allows. */
#define SOURCE_PERF_FULL_DEPTH UINT_MAX

/**
 * source_perf_open - open all events; source_run() starts them
 * @config: not needed after the call
 *
 * Return: the source, or NULL with @error set.
 */
struct source *source_perf_open(const struct source_perf_config *config, struct op_error *error);

/* Samples received and lost so far. */
struct source_perf_losses {
	uint64_t received, lost, throttled;
	uint64_t of_processes; /* records of what processes did, that were lost */
};
struct source_perf_losses source_perf_losses(const struct source *source);

/* How long an event was counted, how long of that the kernel paused it, and its samples. */
struct source_perf_time {
	uint64_t running_ns, paused_ns, taken;
	uint64_t unsampled_ns; /* of a clock, in threads that ran for less than its period */
	uint64_t missing_ns;   /* used by the processes, and not counted */
};
/**
 * source_perf_set_use - tell what time the profiled processes used, when they have ended
 *
 * Without it @missing_ns is 0, and for events of user code alone @unsampled_ns, too.
 */
void source_perf_set_use(struct source *source, uint64_t user_ns, uint64_t system_ns);

/* Call chains of user code that were unwound so far. */
struct source_perf_chains {
	uint64_t user;
	uint64_t early; /* of these, did not lead to the start of the thread */
	uint64_t cut;	/* of these, as the stack was deeper than what was copied of it */
};
struct source_perf_chains source_perf_chains(const struct source *source);

/* How many of the profiled processes, and those that they have started, still run. */
size_t source_perf_running(const struct source *source);

/* @place: of the event among those that were opened. */
struct source_perf_time source_perf_time(const struct source *source, size_t place);

#endif
