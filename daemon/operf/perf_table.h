/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of perf's options, and what each is here. */
#ifndef DAEMON_OPERF_PERF_TABLE_H
#define DAEMON_OPERF_PERF_TABLE_H

#include <stddef.h>

#include "perf_words.h"

/* A row without @of ends it.  An option of a subcommand is the first row that has it. */
extern const struct perf_word perf_table[];

/* The row of an option of a subcommand, by its name of @length bytes or by its letter; NULL: it
 * has none. */
const struct perf_word *perf_table_name(enum perf_of of, const char *name, size_t length);
const struct perf_word *perf_table_letter(enum perf_of of, char letter);

#endif
