/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events that are counted, and which counter counts which of them.
 */
#ifndef DAEMON_FILES_COUNTED_EVENTS_H
#define DAEMON_FILES_COUNTED_EVENTS_H

#include <stdint.h>

#include "libop/base/error.h"
#include "libop/events/spec.h"

struct source;

struct counted_events {
	struct op_events list;
	int16_t of_counter[OP_COUNTERS_MAX]; /* index into @list, or -1 */
	uint32_t unit[OP_COUNTERS_MAX];	     /* weight_unit() of each in @list */
	uint32_t cpu_type;		     /* number, for the headers of sample files */
};

/**
 * counted_events_open - find out the events
 * @events: zero; filled in; counted_events_close() frees what it holds, whatever is returned
 * @text: as of --events; NULL: those of @source
 *
 * Counters with the same event, period and unit mask share one event.
 *
 * Return: 0, or -1 with @error set: EINVAL if there are none, or the CPU type is unknown.
 */
int counted_events_open(struct counted_events *events, const struct source *source,
			const char *text, struct op_error *error);
void counted_events_close(struct counted_events *events);

/**
 * weight_unit - how many events a count in a file of weights is
 * @event: one of the list
 *
 * A count has 32 bits, and a key with more has several entries, all of which are searched.  Cycles
 * and nanoseconds come by the thousand million a second, so they are counted by the thousand.
 *
 * Return: 1 if there is a period, or the event is one that may be rare; else 1024.
 */
uint32_t weight_unit(const struct op_event *event);

#endif
