/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stack files as text and as JSON. */
#ifndef UTILS_OPDB_DUMP_STACKS_H
#define UTILS_OPDB_DUMP_STACKS_H

#include <stdbool.h>

#include "libdb/stacks/stacks.h"

/* Prints a stack file.  Return: 0, or -1 after a complaint. */
int dump_stacks(const char *path, bool json);

/* Prints what is in one. */
void dump_stacks_content(const char *path, const struct stacks_content *content, bool json);

#endif
