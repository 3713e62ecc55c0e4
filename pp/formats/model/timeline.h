/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time of each sample, for formats that have a field for it.
 *
 * struct prof adds samples up.  If it was made with PROF_TIMES, it also keeps a moment for each
 * value of each sample: 24 bytes.  It has either the moments of all samples or none: as soon as a
 * sample has no time, or there are too many, all are dropped, and prof::n_moments is 0.
 */
#ifndef PP_FORMATS_MODEL_TIMELINE_H
#define PP_FORMATS_MODEL_TIMELINE_H

#include "profile.h"

/* A value of a sample, and when the sample was taken. */
struct prof_moment {
	uint64_t time;	 /* ns, of the recording's clock; never 0 */
	uint64_t events; /* as in struct prof_value */
	uint32_t count;
	/* Of a finished profile: the number, from 0, of the value it was added to, in the order
	 * that prof_next() goes through values. */
	uint32_t value;
};

enum prof_moment_order {
	PROF_IN_TIME,	     /* by time */
	PROF_THREAD_IN_TIME, /* by event, then by context, then by time */
};

/**
 * prof_sort_moments - put the moments of a finished profile in order
 *
 * Moments that are equal in @order stand in an order that depends on their content only.
 */
void prof_sort_moments(struct prof *prof, enum prof_moment_order order);

/*
 * Goes through the moments of a finished profile, as prof_next() does through the stacks: each
 * sample has one value, and its time.
 */
bool prof_next_moment(const struct prof *prof, struct prof_cursor *cursor,
		      struct prof_sample *sample);

/* ---- for struct prof ---- */

struct prof_tables;

/* Keeps the time of a value of @sample, which the tree has added to the entry @entry. */
void timeline_add(struct prof_tables *tables, const struct prof_sample *sample,
		  const struct prof_value *value, uint32_t entry);
/* Gives the moments the numbers that the entries have after tree_sort(). */
void timeline_renumber(struct prof_tables *tables);

#endif
