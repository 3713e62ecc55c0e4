/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the kernel's own perf_event_open(2): names, encodings, opening, and why it failed.
 *
 * There are two kinds of names: those that perf has on every machine ("cpu-clock",
 * "page-faults", "cycles"), and those of the catalogue of this CPU (catalogue.h).
 */
#ifndef LIBOP_PERF_EVENT_H
#define LIBOP_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/events/spec.h"

/* The CPU type of sessions that have none but perf's own names. */
#define OP_PERF_CPU_TYPE "perf"

/* struct op_perf_name - an event that perf has on every machine, if the hardware has it */
struct op_perf_name {
	const char *name, *description;
	uint32_t type;	 /* perf_event_attr::type */
	uint64_t config; /* perf_event_attr::config */
	uint64_t count;	 /* default period */
};

/* The event called @name; NULL if it is none of perf's own. */
const struct op_perf_name *op_perf_name(const char *name);
/* All of them, for lists; NULL after the last. */
const struct op_perf_name *op_perf_name_at(size_t index);

/* Whether it counts time, in nanoseconds: cpu-clock and task-clock. */
bool op_perf_is_clock(const struct perf_event_attr *attr);

/* The same of an event by its name, which may be followed by a colon and more. */
bool op_perf_is_clock_name(const char *event);

/**
 * op_perf_clock_period - the period of a clock, in ns, for a frequency
 * @frequency: samples for each second of CPU time, 1 to FREQUENCY_MOST
 *
 * Where that would keep step with work that repeats each ms, or in a few of them, it is up to 7 %
 * longer.
 */
uint64_t op_perf_clock_period(uint64_t frequency);
/* Whether it needs no hardware counter. */
bool op_perf_is_software(const struct perf_event_attr *attr);

/* struct op_perf_event - an event with all that is needed to open it */
struct op_perf_event {
	struct op_event event;	     /* for sample files; its name is owned; counter is its index */
	uint32_t extra;		     /* modifiers as of libop/events/unit_mask.h */
	struct perf_event_attr attr; /* type, config, sample_period, exclude_*; size is set */
};

struct op_perf_events {
	struct op_perf_event *event;
	size_t count;
	char cpu_type[64]; /* whose names they are: OP_PERF_CPU_TYPE if all are perf's own */
};

/* Samples a second of each CPU if neither events nor a frequency are given; of clocks some fewer,
 * so that they keep no step with what repeats each millisecond. */
#define OP_PERF_FREQUENCY 1000

struct op_perf_choose {
	bool counting;	    /* the events are to be counted, not sampled: without counts */
	uint64_t frequency; /* samples a second instead of counts; 0: counts */
	bool is_default;    /* nobody has asked for that frequency */
	bool callgraph;
};

/**
 * op_perf_choose - take specifications NAME[:COUNT[:UNITMASK[:KERNEL[:USER]]]], or perf's ways of
 *	writing events (spelling.h)
 * @specs: perf's own names, or those of the catalogue of this CPU; without any, op_perf_default()
 *	at OP_PERF_FREQUENCY
 * @events: filled in; op_perf_events_free() frees what it holds
 *
 * A frequency above half the kernel's limit (perf_event_max_sample_rate), near which it pauses
 * events, is lowered to that, which is told on stderr.
 *
 * Return: 0, or -1 with @error set.
 */
int op_perf_choose(char *const *specs, size_t n, const struct op_perf_choose *how,
		   struct op_perf_events *events, struct op_error *error);

/**
 * op_perf_from_daemon - take the daemon's --events (op_events_parse())
 * @frequency: as of struct op_perf_choose
 *
 * An event with a count of 0 is sampled at @frequency, or OP_PERF_FREQUENCY.
 * A name of perf's own is that event; of any other, code and unit mask are programmed as an
 * x86 CPU has them.
 *
 * Return: 0, or -1 with @error set.
 */
int op_perf_from_daemon(const char *text, uint64_t frequency, struct op_perf_events *events,
			struct op_error *error);

/* Whether the kernel adapts the period of any of them to a frequency. */
bool op_perf_adapts(const struct op_perf_events *events);
/* That frequency, in samples a second; 0: all periods are fixed. */
unsigned int op_perf_rate(const struct op_perf_events *events);

/**
 * op_perf_count_instead - the period with which an event that was paused would not be
 * @count: the period that it had
 * @taken: samples
 * @ns: for how long it was counted, without the pauses
 *
 * Return: the first of 1, 2, 5, 10, 20... that makes OP_PERF_FREQUENCY samples a second at most,
 * and is twice @count at least.
 */
uint64_t op_perf_count_instead(uint64_t count, uint64_t taken, uint64_t ns);

/* The daemon's --events for these events; the caller frees it.  NULL when out of memory. */
char *op_perf_format(const struct op_perf_events *events);
/**
 * op_perf_check_format - find out whether the daemon would count what these events are
 *
 * The daemon's --events has a name, or code and unit mask, and whether user code and the kernel are
 * counted.
 *
 * Return: 0, or -1 with @error set: a tracepoint, or an event with what has no place there.
 */
int op_perf_check_format(const struct op_perf_events *events, struct op_error *error);
/* Copies all, names too.  Return: 0, or -1 with @error set, and @copy is empty. */
int op_perf_events_copy(struct op_perf_events *copy, const struct op_perf_events *events,
			struct op_error *error);
void op_perf_events_free(struct op_perf_events *events);

/* The smallest period of clocks, in ns: the kernel takes this one for any that is less. */
#define OP_PERF_CLOCK_LEAST 10000

/**
 * op_perf_check_counters - find out whether the kernel can count events on this machine
 *
 * Opens each for this process and closes it.  What fails for another reason than a missing counter,
 * such as permissions or counters that others hold, may be different when they are used.
 *
 * Return: 0, or -1 with @error set: there is no counter that takes one of them.
 */
int op_perf_check_counters(const struct op_perf_events *events, struct op_error *error);

/* "cycles" if this machine has a hardware counter that we may use, else "cpu-clock". */
const char *op_perf_default(void);

/* perf_event_open(2), with PERF_FLAG_FD_CLOEXEC.  Return: a descriptor, or -1 and errno. */
int op_perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* Whether this process may profile processes of other users and the kernel. */
bool op_perf_is_privileged(void);

/* The content of /proc/sys/kernel/@name, such as "perf_event_paranoid"; @fallback if unknown. */
int op_perf_setting(const char *name, int fallback);

/**
 * op_perf_explain_open - explain an error of op_perf_open(), with a remedy
 * @code: its errno
 * @name: of the event
 * @attr: as it was given
 * @pid: as it was given
 *
 * Return: -1.
 */
int op_perf_explain_open(int code, const char *name, const struct perf_event_attr *attr, pid_t pid,
			 struct op_error *error);

/**
 * op_perf_explain_map - explain an error of mapping a ring buffer, with a remedy
 * @code: errno of mmap(2)
 * @bytes: how large it was to be
 *
 * Return: -1.
 */
int op_perf_explain_map(int code, size_t bytes, struct op_error *error);

#endif
