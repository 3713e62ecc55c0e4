/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events that are to be counted: looked up in the catalogue of the CPU type, placed on
 * counters, and told to the driver and the daemon.
 */
#ifndef OPCONTROL_EVENTS_H
#define OPCONTROL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/events/catalogue.h"
#include "libop/events/resolved_event.h"
#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "setting.h"

/* All zero: the timer's, which is not chosen, has no counter and is not told to the daemon. */
struct events {
	struct op_catalogue catalogue; /* @choices point into it */
	struct op_strings specs;       /* those chosen, or the default one */
	struct op_resolved_event *choices;     /* of each of them */
	bool is_default;
	bool placed;	  /* each choice has a counter that is free */
	uint64_t offered; /* counters that are there, by number */
	uint64_t missing; /* counters that the CPU has, but that are not there */
};

/**
 * events_open - look up the events of settings: could the CPU count them, if all of its
 *	counters were free?
 * @events: filled in; events_close() frees what it holds
 *
 * The CPU type is what the driver says, which must be mounted.
 *
 * Return: 0, or -1 with @error set, and nothing to close.
 */
int events_open(const struct settings *settings, struct events *events, struct op_error *error);
void events_close(struct events *events);

/* Checks only that: 0, or -1 with @error set. */
int events_check(const struct settings *settings, struct op_error *error);

/**
 * events_place - place the events on the counters that are free
 *
 * Return: 0, or -1 with @error set: which counters are free, and who may hold the others.
 */
int events_place(struct events *events, struct op_error *error);

/* In how many groups are they counted, by turns, once placed?  1: all at once. */
unsigned int events_groups(const struct events *events);

/* Writes which counters are not free, and who may hold them, as far as there is room. */
void events_print_missing(const struct events *events, char *text, size_t size);

/* Tells the driver what to count, once placed: 0, or -1 with @error set and none enabled. */
int events_program(const struct events *events, struct op_error *error);

/**
 * events_argument - what the daemon's --events is to say, once the events are placed
 * @argument: set to a text that the caller frees; NULL for the timer
 *
 * Return: 0, or -1 with @error set.
 */
int events_argument(const struct events *events, char **argument, struct op_error *error);

/* Prints the events that the CPU type has, as ophelp does: 0, or -1 with @error set. */
int events_list(struct op_error *error);

#endif
