/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of pp/debug/info.h: the tables of compilation units, and their cache on disk.
 */
#ifndef PP_DEBUG_TABLES_H
#define PP_DEBUG_TABLES_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "info.h"
#include "libop/tables/ranges.h"
#include "libop/tables/name_index.h"

/* Where code is, by address in debug information; none: anywhere.  What the linker removed has
 * ranges that begin at 0 or thereabouts, and may reach over code that is there. */
struct pp_live_code {
	struct op_interval *items;
	size_t n;
};

void pp_live_code_read(struct pp_live_code *code, Elf *elf);
bool pp_live_code_has(const struct pp_live_code *code, uint64_t address);
void pp_live_code_free(struct pp_live_code *code);

struct pp_line_table {
	struct pp_line_entry *entries; /* by link */
	size_t n, capacity;
	char **files; /* names that the compilation directory was put before */
	size_t n_files, files_capacity;
};

/* Where a table lies in what pp_debug_cache_load() has read. */
struct pp_cached_table {
	size_t first, n;
};

struct pp_inline_table {
	struct op_interval *flat; /* value: index into frames */
	size_t n;
	struct pp_inlined *frames;
	size_t n_frames;
	char **files; /* names that the compilation directory was put before */
	size_t n_files, files_capacity;
};

/* Code at exactly this address, of which the profile that names it has lines. */
struct pp_given_place {
	uint64_t link;
	const char *file; /* NULL: only the functions are known */
	int line;
	const struct pp_inlined *inlined; /* the innermost one, or NULL */
};

struct pp_given_table {
	struct pp_given_place *places; /* by link */
	size_t n;
	struct pp_inlined *frames;
};

struct pp_debug_unit {
	Dwarf_Die die;
	bool lines_read, inlines_read;
	struct pp_line_table lines;
	struct pp_inline_table inlines;
	/* What is not read yet may be in the cache, or come from a process apart. */
	bool lines_cached, inlines_cached;
	struct pp_debug_cache *in_lines, *in_inlines; /* where they are */
	struct pp_cached_table cached_lines, cached_inlines, cached_frames;
};

/* The supplementary file of debug information below another root than this machine's, where libdw
 * does not look for it; all zero: there is none. */
struct pp_debug_supplement {
	Dwarf *dwarf;
	int fd; /* if there is one */
};

struct pp_debug_info {
	char *path;
	bool is_gone; /* the file has changed since its tables were cached */
	int fd;
	Dwarf *dwarf; /* opened on first use, if the units are cached */
	Dwfl *dwfl;   /* of a relocatable image, which libdw alone does not relocate */
	struct pp_debug_supplement supplement;
	struct pp_debug_unit *units;
	size_t n_units, units_capacity;
	struct op_interval *flat; /* value: index into units */
	size_t n_flat;
	struct pp_live_code code;
	size_t last;		       /* index into flat: addresses often come in order */
	struct op_names names;	       /* of inlined functions */
	char *cache_name;	       /* NULL: the tables are not cached */
	struct pp_debug_cache *caches; /* all that were read */
	struct pp_line_table told;     /* lines of the symbols: used instead of all fields above */
	struct pp_given_table given;   /* what the profile says: goes before all of these */
	size_t n_new;		       /* tables that are not in the cache yet */
	uint64_t refused;	       /* bytes of debug sections, if they are too many */
	char *missing;		       /* what is missing, and why; or NULL */
	struct pp_debug_apart *apart;  /* the file is read apart; NULL: it is read here */
	uid_t namer;		       /* as pp_debug_info_namer() */
};

/* Reads the debug information of a file, in this process.  Never NULL: it may be empty. */
struct pp_debug_info *pp_debug_info_read(const char *path, struct pp_symbols *symbols,
					 bool is_cached);
/* Where the functions of a unit are: below its die, or in split debug information. */
Dwarf_Die pp_debug_scope(struct pp_debug_info *info, struct pp_debug_unit *unit);

/* ---- apart ---- */

/**
 * pp_debug_apart_open - have debug information read apart
 * @fd: the file; it is closed by pp_debug_apart_close(), or here
 *
 * Return: as of pp_debug_info_open().
 */
struct pp_debug_info *pp_debug_apart_open(const char *path, int fd, struct pp_symbols *symbols,
					  struct op_warnings *warnings);
void pp_debug_apart_close(struct pp_debug_apart *apart); /* may be NULL */
/* Sets where the table of a unit is: it is as if it was in the cache.  Return: whether it is. */
bool pp_debug_apart_lines(struct pp_debug_info *info, struct pp_debug_unit *unit);
bool pp_debug_apart_inlines(struct pp_debug_info *info, struct pp_debug_unit *unit);

/* ---- the cache ---- */

/* Reads units, and where their tables are, from the cache.  Return: false if they are not cached.
 */
bool pp_debug_cache_load(struct pp_debug_info *info);
/* All units and tables as bytes, which the caller frees; NULL: there are too many. */
void *pp_debug_cache_pack(struct pp_debug_info *info, size_t *length);
/* The opposite.  @bytes may say anything; they are of malloc(), and belong to @info then. */
bool pp_debug_cache_unpack(struct pp_debug_info *info, void *bytes, size_t size);
/* As pp_debug_cache_unpack(), of one unit, into @unit: its lines, or else its inlined functions. */
bool pp_debug_cache_unpack_unit(struct pp_debug_info *info, struct pp_debug_unit *unit,
				bool is_lines, void *bytes, size_t size);
/* Reads a table of a unit that is in the cache. */
void pp_debug_cache_lines(struct pp_debug_unit *unit);
void pp_debug_cache_inlines(struct pp_debug_info *info, struct pp_debug_unit *unit);
/* Stores all tables, replacing the cached ones. */
void pp_debug_cache_store(struct pp_debug_info *info);
void pp_debug_cache_free(struct pp_debug_cache *cache); /* may be NULL; and those behind it */

/* False if libdw would open anything but a regular file: the supplementary file of @dwarf, which
 * is of the file @path; the split debug information of @unit. */
bool pp_debug_supplement_is_safe(Dwarf *dwarf, const char *path);
bool pp_debug_split_is_safe(Dwarf_Die *unit, const char *path);

/**
 * pp_debug_supplement_find - have libdw use the supplementary file below the root of a debug file
 * @supplement: set; pp_debug_supplement_close() closes it, after @dwarf has ended
 * @dwarf: of the open file @fd, which is at @path: ROOT/usr/lib/debug/...
 */
void pp_debug_supplement_find(struct pp_debug_supplement *supplement, Dwarf *dwarf, int fd,
			      const char *path);
void pp_debug_supplement_close(struct pp_debug_supplement *supplement);

/**
 * pp_debug_missing_split - what is missing without split debug information, and why
 * @split: what libdw has found for the unit; all zero: nothing
 *
 * Return: a text that the caller frees; NULL if nothing is missing.
 */
char *pp_debug_missing_split(Dwarf_Die *unit, const Dwarf_Die *split, const char *path);

/* The text of an attribute of a unit, or NULL; libdw's. */
const char *pp_debug_text(Dwarf_Die *unit, unsigned int attribute);

/* The same of debug sections that libdw cannot read at all; NULL also if there are none. */
char *pp_debug_unread_sections(int fd);

/* @table must be zeroed. */
void pp_line_table_read(struct pp_line_table *table, Dwarf_Die *unit,
			const struct pp_live_code *code);
const struct pp_line_entry *pp_line_table_find(const struct pp_line_table *table, uint64_t link);
void pp_line_table_free(struct pp_line_table *table);

/* @table must be zeroed; names of functions are added to @names. */
void pp_given_table_make(struct pp_given_table *table, const struct pp_symbols *symbols,
			 struct op_names *names);
/* The place at an address, or NULL. */
const struct pp_given_place *pp_given_table_find(const struct pp_given_table *table, uint64_t link);
void pp_given_table_free(struct pp_given_table *table);

/* Likewise. */
void pp_inline_table_read(struct pp_inline_table *table, Dwarf_Die *unit,
			  const struct pp_live_code *code, struct op_names *names);
const struct pp_inlined *pp_inline_table_find(const struct pp_inline_table *table, uint64_t link);
void pp_inline_table_free(struct pp_inline_table *table);

#endif
