/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of pprof's samples as events: pprof has one column of numbers a sample type, the profile
 * model an event with two numbers.
 *
 *	samples/count, cpu/nanoseconds			one event, "cpu"
 *	alloc_objects/count, alloc_space/bytes		one event, "alloc_space"
 *	A_sample/count, A_event/count, B_sample/...	events "A" and "B"
 *	inuse_space/bytes				one event, whose samples follow from its
 *							period
 */
#ifndef PP_FORMATS_PPROF_VALUES_H
#define PP_FORMATS_PPROF_VALUES_H

#include "tables.h"
#include "pp/formats/model/profile.h"

#define PPROF_NO_COLUMN SIZE_MAX

struct pprof_event {
	size_t samples; /* the column of the number of samples, or PPROF_NO_COLUMN */
	size_t events;	/* and that of what they stand for; never both none */
	char *name, *unit; /* unit may be NULL */
	uint64_t period;
	uint32_t event; /* of the sink */
	uint32_t below; /* that of values below 0, if there was one */
	bool has_below;
};

struct pprof_values {
	struct pprof_event *items;
	size_t n;
};

/* Makes the events of a profile, in @sink, too; pprof_values_free() frees what @values holds. */
void pprof_values_make(struct pprof_values *values, const struct pprof_tables *tables,
		       struct prof_sink *sink);
void pprof_values_free(struct pprof_values *values);

/**
 * pprof_value - the values of an event from the columns of a sample
 * @values: what is above 0, and what is below, which is of an event of its own, made in @sink
 *
 * Return: how many there are.
 */
size_t pprof_value(struct pprof_event *event, const int64_t *columns, struct prof_sink *sink,
		   struct prof_value values[static 2]);

/* Facts by which a profile is written as it was read. */
#define PPROF_FACT_SAMPLES "pprof.samples" /* "EVENT TYPE": its type of samples; "EVENT": none */
#define PPROF_FACT_PERIOD  "pprof.period"  /* "N TYPE UNIT", if that is of no event */

#endif
