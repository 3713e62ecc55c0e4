/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event specifications of command lines, and the list of events for the daemon.
 */
#ifndef LIBOP_EVENTS_SPEC_H
#define LIBOP_EVENTS_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"

/* More than any hardware has; AMD's multiplexed driver went up to 32. */
#define OP_COUNTERS_MAX 256

/**
 * struct op_event_spec - a specification: NAME:COUNT[:UNITMASK[:KERNEL[:USER]]]
 *
 * op_events_resolve() checks the event, its count and its unit mask.
 */
struct op_event_spec {
	char *name;
	uint64_t count;	      /* events a sample; 0 if @has_count is false */
	uint64_t unit_mask;   /* if @has_unit_mask and not @unit_mask_name */
	char *unit_mask_name; /* a unit mask that is no plain number, or NULL */
	bool has_count, has_unit_mask;
	bool kernel, user; /* true unless 0 in the specification */
};

/**
 * op_event_spec_parse - take a specification apart
 * @spec: filled in; op_event_spec_free() frees what it holds
 *
 * A name alone is taken, too, or an empty COUNT (has_count is false); an empty UNITMASK is the
 * default one.
 *
 * Return: 0, or -1 with @error set.
 */
int op_event_spec_parse(const char *text, struct op_event_spec *spec, struct op_error *error);
void op_event_spec_free(struct op_event_spec *spec);

/* struct op_event - an event on a counter, as programmed */
struct op_event {
	char *name; /* without '.', '/', ':' and ',' */
	uint32_t code, counter, count, unit_mask;
	bool kernel, user;
};

struct op_events {
	struct op_event *event;
	size_t count;
};

/**
 * op_events_parse - read the daemon's --events: NAME:code:counter:count:unitmask:kernel:user,...
 * @events: filled in; op_events_free() frees what it holds
 *
 * Numbers are decimal or, with 0x, hexadecimal; a ',' at the end is allowed.  No counter may
 * have two events, and there must be one event at least.
 *
 * Return: 0, or -1 with @error set.
 */
int op_events_parse(const char *text, struct op_events *events, struct op_error *error);

/* The text that op_events_parse() reads; the caller frees it.  NULL when out of memory. */
char *op_events_format(const struct op_events *events);
void op_events_free(struct op_events *events);

#endif
