/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of pp/debug_info.h: the tables of one compilation unit.
 */
#ifndef PP_DEBUG_TABLES_H
#define PP_DEBUG_TABLES_H

#include <elfutils/libdw.h>
#include <stdint.h>

#include "pp/debug_info.h"
#include "pp/intervals.h"

/* From link on, up to the next one, code is of this line. */
struct pp_line_entry {
	uint64_t link;
	const char *file; /* libdw's; NULL ends a sequence */
	int line;
	uint32_t order; /* of entries at one address the last one counts */
};

struct pp_line_table {
	struct pp_line_entry *entries; /* by link */
	size_t n, capacity;
};

struct pp_inline_table {
	struct pp_interval *flat; /* value: index into frames */
	size_t n;
	struct pp_inlined *frames;
	size_t n_frames;
};

/* Names of inlined functions, each once. */
struct pp_names {
	const char **names; /* by name_index */
	size_t n, capacity;
	size_t *slots; /* hashed; 0 or the index + 1 */
	size_t n_slots;
};

/* The index of a name, which is added if it is not there; @name must live as long. */
size_t pp_names_index(struct pp_names *names, const char *name);
void pp_names_free(struct pp_names *names);

/* @table must be zeroed. */
void pp_line_table_read(struct pp_line_table *table, Dwarf_Die *unit);
const struct pp_line_entry *pp_line_table_find(const struct pp_line_table *table, uint64_t link);

/* Likewise. */
void pp_inline_table_read(struct pp_inline_table *table, Dwarf_Die *unit, struct pp_names *names);
const struct pp_inlined *pp_inline_table_find(const struct pp_inline_table *table, uint64_t link);
void pp_inline_table_free(struct pp_inline_table *table);

#endif
