/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a perf source, for perf.c and opening.c only.
 */
#ifndef DAEMON_SOURCES_PERF_STATE_H
#define DAEMON_SOURCES_PERF_STATE_H

#include "daemon/live/machine.h"
#include "daemon/live/programs.h"
#include "code.h"
#include "counters.h"
#include "drain.h"
#include "hotplug.h"
#include "merge.h"
#include "resolve.h"
#include "sample.h"
#include "times.h"
#include "unwind.h"
#include "words.h"
#include "daemon/sources/source.h"
#include "libop/session/thread_names.h"

struct perf_source {
	struct source source;
	struct perf_counters counters;
	struct perf_times times;
	struct perf_merge merge;
	struct perf_processes processes;
	struct op_thread_names names; /* of threads, as far as records or /proc said them */
	struct perf_words words;
	struct perf_attr attr; /* the layout of all records */
	struct machine machine;
	struct perf_programs programs;
	struct perf_samples samples; /* owns perf_samples::unwind */
	struct perf_code code;	     /* in memory, for unwinding */
	struct perf_copies copies;   /* of stacks */
	struct perf_chain_counts chains;
	struct perf_drain drain;     /* keeps rings from filling up during unwinding */
	struct perf_hotplug hotplug; /* if all processes are profiled: events of threads stay */
	int timer, more;     /* descriptors; @more is readable while there is more to read */
	uint64_t sync_until; /* a sync is under way: reads leave younger records; else 0 */
	uint64_t bad;	     /* malformed records */
	pid_t *target;	     /* the processes to profile; NULL: all */
	size_t targets;
	bool on_exec;
	uint64_t missed_until; /* until then records of processes may have been missed; else 0 */
	uint64_t read_until;   /* all records that are older are read */
	bool has_run;
	bool running; /* from source_run() to source_run() */
};

extern const struct source_ops perf_source_ops;

#endif
