/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sample files as text and as JSON. */
#ifndef UTILS_OPDB_DUMP_SAMPLES_H
#define UTILS_OPDB_DUMP_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "libdb/odb/odb.h"

struct dump_style {
	bool json;   /* one object per line and file, instead of text */
	bool merged; /* sorted by key, one entry per key, instead of the nodes of the file */
};

/* Prints the content of a sample file.  @format: NULL if it is packed. */
void dump_samples(const struct dump_style *style, const char *path, const struct odb_header *header,
		  const struct odb_format *format, const struct odb_entry *entries,
		  ptrdiff_t count);

#endif
