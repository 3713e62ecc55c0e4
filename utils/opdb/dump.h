/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sample files as text and as JSON. */
#ifndef OPDB_DUMP_H
#define OPDB_DUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "libdb/odb/odb.h"

struct dump_style {
	bool json;   /* one object a line and file, instead of text */
	bool merged; /* sorted by key, one entry a key, instead of the nodes of the file */
};

/* Prints a sample file, a stack file, or all of a pack.  Return: 0, or -1 after a complaint. */
int dump(const struct dump_style *style, const char *path);

/* Prints what is in a sample file.  @format: NULL if it is packed. */
void dump_samples(const struct dump_style *style, const char *path, const struct odb_header *header,
		  const struct odb_format *format, const struct odb_entry *entries,
		  ptrdiff_t count);

/* Prints a text with quotes around it; bytes that are no UTF-8 become U+FFFD. */
void print_json_string(const char *text);

#endif
