/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what a person wants to count to what is written to oprofilefs.
 */
#ifndef LIBOP_CHOICE_H
#define LIBOP_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalogue.h"
#include "libop/base/error.h"
#include "spec.h"

/* Call graphs make samples costlier: the least counts are so many times higher with them. */
#define OP_CALLGRAPH_MINIMUM_FACTOR 15

/* struct op_choice - an event on a counter, in full */
struct op_choice {
	const struct op_catalogue_event *event;
	uint64_t count;
	uint32_t unit_mask;  /* value for the file "unit_mask", and in sample-file names */
	uint32_t event_code; /* value for the file "event": 12 bits */
	uint32_t extra;	     /* value for the file "extra": OP_EXTRA_REGISTER */
	bool has_named_mask; /* the unit mask was given by name */
	bool kernel, user;
	unsigned int counter; /* where it is; not for an event that has @event->ext */
};

struct op_choose_how {
	unsigned int callgraph_depth;
	bool ignore_count;    /* the count may be missing, or too small */
	bool ignore_counters; /* the events are not to be counted together: none gets a counter */
};

/**
 * op_choose - look up specifications in a catalogue and place them on counters
 * @catalogue: loaded with the counters of the machine, of which @usable may be reduced to those
 *	that the driver offers; may get an event of libpfm4 that it did not have
 * @specs: NAME[:COUNT[:UNITMASK[:KERNEL[:USER]]]]; UNITMASK as op_unit_mask_resolve() takes it
 * @n: number of them
 * @choices: filled in, @n of them; they point into the catalogue
 *
 * Return: 0, or -1 with @error set: what is wrong with which specification, or that there are
 * not enough counters.
 */
int op_choose(struct op_catalogue *catalogue, char *const *specs, size_t n,
	      const struct op_choose_how *how, struct op_choice *choices, struct op_error *error);

/**
 * op_choice_event - a choice as the daemon is told it (op_events_format())
 * @event: filled in; its name belongs to the catalogue
 */
void op_choice_event(const struct op_choice *choice, struct op_event *event);

/**
 * op_choice_default - the specification of the event to count when none is chosen
 *
 * Return: a string that the caller frees; NULL with @error set: the type has no events
 * (ENOENT: timer types), or out of memory.
 */
char *op_choice_default(const struct op_catalogue *catalogue, struct op_error *error);

#endif
