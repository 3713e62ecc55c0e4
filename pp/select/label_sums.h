/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of programs by the values of a label, beside a session of all of them: a session for each
 * value, which tells apart functions as well, would be too many of ten thousand hosts.
 */
#ifndef PP_SELECT_LABEL_SUMS_H
#define PP_SELECT_LABEL_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "libop/session/sample_name.h"
#include "libop/tables/name_index.h"

struct pp_label_sum {
	const char *value; /* NULL: of samples without the label */
	struct op_image_name app;
	uint64_t samples;
	uint64_t weight; /* events beyond the period, as of weights.h */
};

/* All zero: empty. */
struct pp_label_sums {
	/* By value, those without the label last, and by program in the order of names; one of each
	 * value and program. */
	struct pp_label_sum *items;
	size_t n, capacity;
	struct op_names texts; /* of values and programs */
};

/* Adds a copy, at the end. */
void pp_label_sums_add(struct pp_label_sums *sums, const struct pp_label_sum *sum);

/* Puts those that were added in order, and adds up those of one value and program. */
void pp_label_sums_finish(struct pp_label_sums *sums);

void pp_label_sums_free(struct pp_label_sums *sums);

#endif
