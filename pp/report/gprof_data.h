/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples and arcs of one image, for gprof.
 */
#ifndef PP_REPORT_GPROF_DATA_H
#define PP_REPORT_GPROF_DATA_H

#include "libop/base/error.h"
#include "gmon.h"
#include "pp/profile/profile.h"

struct pp_gprof_data {
	struct pp_machine machine;
	struct pp_gmon_count *counts; /* by vma */
	size_t n;
	struct pp_gmon_arc *arcs;
	size_t n_arcs, arcs_capacity;
	uint64_t outside; /* samples outside the code of the image */
};

/**
 * pp_gprof_data_make - take the samples and arcs from a profile
 * @data: filled in; pp_gprof_data_free() frees what it holds, whatever is returned
 * @profile: with details and sites of arcs, of one class
 * @search: how to find images
 * @threshold: percent of the samples that a symbol must have
 *
 * Return: 0, or -1 with @error set: there is not exactly one image, or it can't be read.
 */
int pp_gprof_data_make(struct pp_gprof_data *data, const struct pp_profile *profile,
		       struct pp_image_search *search, double threshold, struct op_error *error);
void pp_gprof_data_free(struct pp_gprof_data *data);

#endif
