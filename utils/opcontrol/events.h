/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events that are to be counted: looked up in the catalogue of the CPU type, placed on
 * counters, and passed to the driver and the daemon.
 */
#ifndef UTILS_OPCONTROL_EVENTS_H
#define UTILS_OPCONTROL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/events/catalogue.h"
#include "libop/events/resolved_event.h"
#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "setting.h"

/* All zero: the timer's, which is not chosen, has no counter and is not passed to the daemon. */
struct events {
	struct op_catalogue catalogue;	   /* @choices point into it */
	struct op_strings specs;	   /* those chosen, or the default one */
	struct op_resolved_event *choices; /* of each of them */
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
 * The CPU type is that of the driver, which must be mounted.
 *
 * Return: 0, or -1 with @error set, and nothing to close.
 */
int events_open(const struct settings *settings, struct events *events, struct op_error *error);
void events_close(struct events *events);

/* Checks only that: 0, or -1 with @error set. */
int events_check(const struct settings *settings, struct op_error *error);

/**
 * events_place - allocate free counters to the events
 *
 * Return: 0, or -1 with @error set: which counters are free, and what may hold the others.
 */
int events_place(struct events *events, struct op_error *error);

/* The number of groups that placed events are multiplexed in; 1: not multiplexed. */
unsigned int events_groups(const struct events *events);

/* Writes which counters are not free and what may hold them; cut to @size bytes. */
void events_print_missing(const struct events *events, char *text, size_t size);

/* Programs the driver with placed events: 0, or -1 with @error set and none enabled. */
int events_program(const struct events *events, struct op_error *error);

/**
 * events_argument - the daemon's option --events for placed events
 * @argument: set to a text that the caller frees; NULL for the timer
 *
 * Return: 0, or -1 with @error set.
 */
int events_argument(const struct events *events, char **argument, struct op_error *error);

/* Prints the events that the CPU type has, as ophelp does: 0, or -1 with @error set. */
int events_list(struct op_error *error);

#endif
