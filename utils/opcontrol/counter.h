/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of oprofilefs: directories 0, 1, ... with files that set what each one counts.
 *
 * A counter in use elsewhere has no directory.  The driver finds out which are free
 * when oprofilefs is mounted.
 */
#ifndef UTILS_OPCONTROL_COUNTER_H
#define UTILS_OPCONTROL_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#include "libop/events/resolved_event.h"
#include "libop/events/counters.h"
#include "libop/base/error.h"

/* The driver takes no smaller count: module/x86/model.h. */
#define COUNTER_COUNT_MIN 500
/* It takes this on each CPU; more depends on the CPU: module/x86/model.c. */
#define COUNTER_COUNT_SURE INT32_MAX
/* Nor does it use more of Intel's fixed counters. */
#define COUNTER_FIXED_MAX 3

/* Sets bit N of @offered for each counter N that is there: 0, or -1 with @error set. */
int counters_offered(uint64_t *offered, struct op_error *error);

/**
 * counters_program - have the counters count what was chosen, and all others nothing
 * @counters: of the CPU: which are general and which fixed
 * @offered: the counters that are there
 * @choices: placed on some of them (op_events_resolve())
 * @specs: how messages call each of them
 *
 * Every value is read back.
 *
 * Return: 0, or -1 with @error set, and no counter enabled as far as that could be done.
 */
int counters_program(const struct op_counters *counters, uint64_t offered,
		     const struct op_resolved_event *choices, char *const *specs, size_t n,
		     struct op_error *error);

/**
 * counter_try_count - does the driver take this count?
 * @spec: how messages call the event
 *
 * The counter is as before; it must not be counting.
 *
 * Return: 0, or -1 with @error set.
 */
int counter_try_count(unsigned int counter, uint64_t count, const char *spec,
		      struct op_error *error);

/* Writes the numbers of the bits that are set, "0, 2, 3", cut to @size bytes. */
void counters_list(uint64_t bits, char *text, size_t size);

#endif
