/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a line of perf to one of this package. */
#ifndef DAEMON_OPERF_PERF_LINE_H
#define DAEMON_OPERF_PERF_LINE_H

#include "perf_words.h"

/**
 * perf_line_translate - write a line of perf as this package has it
 * @of: the subcommand
 * @argv: what stands behind it; NULL ends it
 * @out: gets the words that stand behind the name of the program here
 *
 * Options that perf does not have stay as they are: they are ours.  What is left out and might be
 * missed is warned of.
 *
 * Return: 0, or -1 with @error set: perf has an option there for which there is nothing here, or
 * something that is not said by options.
 */
int perf_line_translate(enum perf_of of, char **argv, struct op_strings *out,
			struct op_error *error);

#endif
