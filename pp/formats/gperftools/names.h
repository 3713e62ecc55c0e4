/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that a CPU profile brings along: the list of symbols that google-pprof --raw writes
 * before the profile, and that of Java programs behind it.
 */
#ifndef PP_FORMATS_GPERFTOOLS_NAMES_H
#define PP_FORMATS_GPERFTOOLS_NAMES_H

#include "records.h"
#include "pp/formats/model/profile.h"

/* Told of each name; @lines are the functions at @address, innermost first. */
typedef void cpuprofile_name_fn(void *context, uint64_t address, const struct prof_line *lines,
				size_t n);

/* Lines "0xADDRESS NAME--NAME...": a function and those it was inlined into. */
void cpuprofile_symbols(struct cpuprofile_text text, cpuprofile_name_fn *take, void *context);

/* Lines "0xNUMBER NAME (FILE:LINE)", "0xNUMBER NAME (LIBRARY)" or "0xNUMBER NAME". */
void cpuprofile_java_names(struct cpuprofile_text text, cpuprofile_name_fn *take, void *context);

#endif
