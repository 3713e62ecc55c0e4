/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Catalogues in memory, for tests: the reader that op_catalogue_parse() calls.
 */
#ifndef TESTS_EVENTS_MEMORY_H
#define TESTS_EVENTS_MEMORY_H

#include <stddef.h>

#include "libop/base/error.h"

/* Files of CPU types; the last has no name. */
struct memory_file {
	const char *cpu_name, *events, *unit_masks;
};

/* @context: an array of struct memory_file.  Paths are "CPUNAME/FILE". */
char *memory_read(void *context, const char *cpu_name, const char *file, char **path,
		  size_t *length, struct op_error *error);

#endif
