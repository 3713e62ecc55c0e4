/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scaling: events that took turns on a counter were counted a part of the time only.  Their
 * counts are multiplied by the time in which they were to be counted, over that in which they
 * were (OP_STATS_EVENTS of libop/session.h).
 */
#ifndef PP_SCALE_H
#define PP_SCALE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libdb/odb/odb.h"
#include "pp/select/classes.h"
#include "pp/select/sample_list.h"

/**
 * struct pp_scale - of an event of a session that was counted a part of the time
 *
 * What a division leaves goes to the next count, so that the sum of all counts of the event is
 * right to one sample, however small they are.
 */
struct pp_scale {
	const struct op_sample_name *name; /* a sample file of the event; the list's */
	size_t session;			   /* index into samples_dirs of the list */
	uint64_t enabled_ns, running_ns;   /* both 0 if not known */
	uint64_t rest[2];		   /* by is_arc */
};

/**
 * pp_scales_find - find out which files of a list must be scaled
 * @list: the scale of each file is set, unless unscaled says that counts stay as they are
 * @classes: of these files; the times of each class are set
 */
void pp_scales_find(struct pp_sample_list *list, struct pp_classes *classes);

/* Scales the counts of @file, which were just read from it. */
void pp_scale_entries(const struct pp_sample_file *file, struct odb_entry *entries, size_t n);

/* Was it counted only a part of the time? */
bool pp_class_is_partial(const struct pp_class *class);

/* " (scaled by 2.01, counted 49.8 % of the time)" if it was. */
void pp_scale_put(const struct pp_class *class, FILE *out);

#endif
