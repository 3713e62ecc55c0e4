/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scaling of multiplexed events: counts are multiplied by the time that the event was enabled over
 * the time that it was counted (OP_STATS_EVENTS of libop/session/paths.h).
 */
#ifndef PP_SELECT_MULTIPLEXING_H
#define PP_SELECT_MULTIPLEXING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libdb/odb/odb.h"
#include "classes.h"
#include "sample_list.h"

/**
 * struct pp_scale - the scale of a multiplexed event of a session
 *
 * The remainder of a division carries over to the next count, so that the sum of all counts of the
 * event is exact to one sample.
 */
struct pp_scale {
	const struct op_sample_name *name; /* a sample file of the event; the list's */
	size_t session;			   /* index into samples_dirs of the list */
	uint64_t enabled_ns, running_ns;   /* both 0 if not known */
	uint64_t paused_ns, taken;	   /* likewise */
	uint64_t unsampled_ns, missing_ns; /* likewise */
	uint64_t rest[4];		   /* of samples or of arcs and stacks, then by is_weight */
};

/**
 * pp_scales_find - find the files of a list that must be scaled
 * @list: the scale of each file is set, unless list->unscaled
 * @classes: of these files; the times of each class are set
 */
void pp_scales_find(struct pp_sample_list *list, struct pp_classes *classes);

/* True if pp_scale_entries() may change the counts of @file. */
bool pp_is_scaled(const struct pp_sample_file *file);

/* Scales the counts of @file, which were just read from it; those of weights become events. */
void pp_scale_entries(const struct pp_sample_file *file, struct odb_entry *entries, size_t n);

/* One count of @file, scaled in the same way. */
uint64_t pp_scale_count(const struct pp_sample_file *file, uint64_t count);

/* True if its event was multiplexed. */
bool pp_class_is_partial(const struct pp_class *class);

/* " (scaled by 2.01, counted 49.8 % of the time)" if its event was multiplexed. */
void pp_scale_put(const struct pp_class *class, FILE *out);

#endif
