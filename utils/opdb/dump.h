/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command "dump": files of a session as text and as JSON. */
#ifndef UTILS_OPDB_DUMP_H
#define UTILS_OPDB_DUMP_H

#include "dump_samples.h"

/* Prints a sample file, a stack file, or all of a pack.  Return: 0, or -1 after a complaint. */
int dump(const struct dump_style *style, const char *path);

#endif
