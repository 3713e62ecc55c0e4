/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording held: facts for --info, and notes of what an import left out.
 */
#ifndef PP_FORMATS_PERF_CENSUS_H
#define PP_FORMATS_PERF_CENSUS_H

#include "profile.h"

/* Tells the sink. */
void perf_census_tell(const struct perf_profile *profile);

#endif
