/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of a profile has no name, by reason: the last line of a report.
 *
 *	Unnamed: 31.2 % of all samples: 16.9 % code made at run time, 14.3 % files without
 *	symbols; mostly in anon (tgid:7 ...): let the JIT compiler write /tmp/perf-PID.map
 */
#ifndef PP_REPORT_UNNAMED_H
#define PP_REPORT_UNNAMED_H

#include <stdint.h>

#include "pp/profile/profile.h"

/* By image: the weight, of the first class, of what no symbol covers; the caller frees it. */
uint64_t *pp_unnamed_weights(const struct pp_profile *profile);

/**
 * pp_unnamed_text - say how much has no name, for which reasons, and what helps most
 * @what: "Unnamed", or what tells a profile from another
 *
 * Without rows, only what is in no known image is known to have no name.
 *
 * Return: the line, which the caller frees; NULL: less than PP_UNNAMED_LEAST percent.
 */
char *pp_unnamed_text(const struct pp_profile *profile, const char *what);

/* The image that the line names, or NULL. */
const struct pp_image *pp_unnamed_most(const struct pp_profile *profile);

#define PP_UNNAMED_LEAST 0.05 /* what is less would be 0.0 */

#endif
