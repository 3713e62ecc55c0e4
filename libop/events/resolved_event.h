/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event specifications resolved in a catalogue: the values for oprofilefs, and a counter.
 */
#ifndef LIBOP_EVENTS_RESOLVED_EVENT_H
#define LIBOP_EVENTS_RESOLVED_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalogue.h"
#include "libop/base/error.h"
#include "spec.h"

/* Call graphs make samples costlier: they multiply the minimum count by this. */
#define OP_CALLGRAPH_MINIMUM_FACTOR 15

/* struct op_resolved_event - an event of the catalogue, how it is counted, and its counter */
struct op_resolved_event {
	const struct op_catalogue_event *event;
	uint64_t count;
	uint32_t unit_mask;  /* value for the file "unit_mask", and in sample-file names */
	uint32_t event_code; /* value for the file "event": 12 bits */
	uint32_t extra;	     /* value for the file "extra": OP_EXTRA_REGISTER */
	bool has_named_mask; /* the unit mask was given by name */
	bool kernel, user;
	unsigned int counter; /* number of its counter; unused if @event->ext is set */
};

struct op_resolve_options {
	unsigned int callgraph_depth;
	bool ignore_count;    /* accept a missing count, or one below the minimum */
	bool ignore_counters; /* allocate no counters, and accept equal events */
};

/**
 * op_events_resolve - look up specifications in a catalogue and allocate counters
 * @catalogue: loaded with the counters of the machine, of which @usable may be reduced to those
 *	that the driver offers; events of libpfm4 are added to it if an event is missing
 * @specs: NAME[:COUNT[:UNITMASK[:KERNEL[:USER]]]]; UNITMASK as op_unit_mask_resolve() takes it
 * @n: number of them
 * @resolved: set: @n of them; they point into the catalogue
 *
 * Return: 0, or -1 with @error set: which specification is wrong and why, or that there are
 * not enough counters.
 */
int op_events_resolve(struct op_catalogue *catalogue, char *const *specs, size_t n,
		      const struct op_resolve_options *how, struct op_resolved_event *resolved,
		      struct op_error *error);

/**
 * op_resolved_event_copy - convert to the event of op_events_format(), for the daemon
 * @event: set; its name is owned by the catalogue
 */
void op_resolved_event_copy(const struct op_resolved_event *resolved, struct op_event *event);

/**
 * op_default_event - the specification of the default event of a CPU type
 *
 * Return: a string that the caller frees; NULL with @error set: the type has no events
 * (ENOENT: timer types), or out of memory.
 */
char *op_default_event(const struct op_catalogue *catalogue, struct op_error *error);

#endif
