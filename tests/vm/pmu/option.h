/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin's arguments, described in README.md.
 */
#ifndef PMU_OPTION_H
#define PMU_OPTION_H

#include "model.h"

#define OPTION_ERROR 256 /* bytes, room for a message */

struct options {
	struct pmu_model model;
	const char *histogram; /* or NULL */
	struct {
		uint64_t start, end;
	} range[8];
	unsigned int ranges;
};

/*
 * Parses KEY=VALUE arguments. Returns 0, or -1 with a message in @error that names the argument.
 * Strings in @options point into @argument.
 */
int options_parse(struct options *options, int count, char **argument, char error[OPTION_ERROR]);

#endif
