/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events by libpfm4: names, descriptions and encodings of its PMUs, independent of this
 * machine's CPU.  Without libpfm4 these functions return an error.
 */
#ifndef LIBOP_EVENTS_PFM_H
#define LIBOP_EVENTS_PFM_H

#include "catalogue.h"
#include "libop/cpu/pmu.h"
#include "libop/base/error.h"

/*
 * The least count of an event of libpfm4, which has none: what OProfile's catalogue has for
 * the architectural events.
 */
#define OP_PFM_MINIMUM 6000

/**
 * op_pfm_add - add the events of a PMU to a catalogue
 * @pmu: libpfm4's name, such as "spr"
 *
 * Names are as libpfm4's, but for '.' and '/', which become '_'.  Events that the catalogue
 * has already, with the same name and code and without choices, are left out.
 *
 * Return: 0, or -1 with @error set: ENOTSUP if there is no libpfm4, ENOENT if it does not
 * know the PMU.
 */
int op_pfm_add(struct op_catalogue *catalogue, const char *pmu, struct op_error *error);

/**
 * op_pfm_add_of_type - add the events of the PMU of a CPU type
 *
 * The first PMU of @pmu's list that libpfm4 has.  It is not an error if it has none: then
 * catalogue->pfm_pmu stays NULL.
 *
 * Return: 0, or -1 with @error set.
 */
int op_pfm_add_of_type(struct op_catalogue *catalogue, const struct op_cpu_pmu *pmu,
		       struct op_error *error);

/* Is libpfm4 there? */
bool op_pfm_is_there(void);

/* Calls @visit for each core PMU of libpfm4, in no particular order. */
void op_pfm_each(void (*visit)(const char *name, const char *title, unsigned int events,
			       void *context),
		 void *context);

/**
 * op_pfm_join - what several unit masks of an event of libpfm4 are together
 * @event: one of the catalogue, taken from libpfm4
 * @masks: names and modifiers joined by '+'
 *
 * Return: 0, or -1 with @error set: libpfm4 cannot combine them.
 */
int op_pfm_join(const struct op_catalogue *catalogue, const struct op_catalogue_event *event,
		const char *masks, uint32_t *value, uint32_t *extra, struct op_error *error);

#endif
