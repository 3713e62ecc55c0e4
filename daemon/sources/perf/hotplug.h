/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows CPUs that go and come while the whole system is profiled.
 *
 * The kernel's messages (uevent.h) say when to look; what there is to do is found by looking: which
 * CPUs are online, and whether the time of their events goes on.  An event whose CPU went away
 * never counts again, although it can be read and polled as before.  Once a second the list of
 * CPUs is looked at without a message, too: in some containers there are none.
 */
#ifndef DAEMON_SOURCES_PERF_PERF_HOTPLUG_H
#define DAEMON_SOURCES_PERF_PERF_HOTPLUG_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/session/log.h"
#include "counters.h"
#include "drain.h"
#include "merge.h"

struct perf_hotplug {
	/* set by the owner, before perf_hotplug_open() */
	struct perf_counters *counters;
	struct perf_merge *merge;
	struct perf_drain *drain; /* NULL: none */
	int epoll;		  /* waits for the rings, if there is no @drain */
	bool running;		  /* the events are enabled, and new ones are to be */

	struct perf_counters_config config; /* for new events, which are our own copy */
	struct op_perf_events events;
	int uevents;   /* descriptor; -1: refused */
	uint64_t next; /* the next look without a message, in ns of the monotonic clock */
	struct log_limit failures;
};

/**
 * perf_hotplug_open - begin to follow
 * @hotplug: perf_hotplug_close() ends it, also after an error
 * @config: as @counters were opened with, or are to be; its events are copied
 *
 * To be called before @counters are opened, so that no message is missed.
 *
 * Return: 0, or -1 with @error set.
 */
int perf_hotplug_open(struct perf_hotplug *hotplug, const struct perf_counters_config *config,
		      struct op_error *error);
void perf_hotplug_close(struct perf_hotplug *hotplug);

/**
 * perf_hotplug_follow - open and close what CPUs that came and went need
 * @now: ns of the monotonic clock
 *
 * Moves @counters->cpu, so that no record may be held.  Trouble is logged.
 *
 * Return: whether records of processes may have been missed: there are none of a CPU that came
 * before it had its events.
 */
bool perf_hotplug_follow(struct perf_hotplug *hotplug, uint64_t now);

/**
 * perf_hotplug_restart - as perf_hotplug_follow(), before events that were stopped are enabled
 *
 * Whether events that are disabled would count is not known; without messages, they
 * are all reopened.
 */
void perf_hotplug_restart(struct perf_hotplug *hotplug);

/**
 * perf_hotplug_close_done - close rings of CPUs that have gone, when they are empty
 *
 * Moves @counters->cpu, so that no record may be held.
 *
 * Return: whether there were losses that no record reported.
 */
bool perf_hotplug_close_done(struct perf_hotplug *hotplug);

#endif
