/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of an image, through libdw: source lines and inlined functions.
 *
 * Asking libdw for each address takes from 15 microseconds (lines) to 3 milliseconds (inlined
 * functions).  So the data is converted to flat tables, one for each compilation unit, when the
 * first address in that unit is looked up; after that, a look-up is a binary search.
 */
#ifndef PP_DEBUG_INFO_H
#define PP_DEBUG_INFO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/warnings.h"
#include "pp/symbols/symbols.h"

struct pp_debug_info;

/**
 * pp_debug_info_open - open the debug information of an image
 * @path: of the image; NULL if it has no file
 * @symbols: those of the image; of a relocatable one (a kernel module), links are set
 * @warnings: of files that cannot be read; NULL: there are none
 *
 * Reads the separate debug file, if @symbols have one, else the image; for root, files of others
 * apart (libop/foreign/apart.h).  If @symbols have lines of their own, these are used; of places
 * whose lines a profile has given, those.  @symbols must live as long as the handle.
 *
 * Return: a handle that pp_debug_info_close() frees, or NULL if there is no debug information.
 */
struct pp_debug_info *pp_debug_info_open(const char *path, struct pp_symbols *symbols,
					 struct op_warnings *warnings);
void pp_debug_info_close(struct pp_debug_info *info); /* may be NULL */

/**
 * pp_debug_supplement_path - where the supplementary file of debug information is, as dwz makes it
 * @fd, @path: of the debug file; one at ROOT/usr/lib/debug/... has it below ROOT, too
 *
 * For a process apart, if others own the file.
 *
 * Return: a path that the caller frees, whether or not a file is there; NULL: there is none.
 */
char *pp_debug_supplement_path(int fd, const char *path);

/**
 * pp_debug_info_line - the line that an address belongs to
 * @info: may be NULL
 * @link: as in the debug information: pp_symbols_link()
 * @line: set to the line number
 *
 * Return: the file's name, which lives as long as @info, or NULL if there is no line.
 */
const char *pp_debug_info_line(struct pp_debug_info *info, uint64_t link, int *line);

/**
 * pp_debug_info_namer - who names the source files
 *
 * A name that another user gives leads root to nothing that this user may not read: see
 * pp_source_read().
 *
 * Return: FOREIGN_OURSELVES, another user, or FOREIGN_NOBODY if it is not known who.
 */
uid_t pp_debug_info_namer(const struct pp_debug_info *info);

/* An inlined call. */
struct pp_inlined {
	const char *name;		 /* linkage name of the function */
	size_t name_index;		 /* index of the name: equal for equal names */
	const struct pp_inlined *caller; /* inlined too, or NULL: in the function of the symbol */
	const char *call_file;		 /* where the caller calls it; NULL: not known */
	int call_line;
};

/* The innermost inlined call at an address; NULL if there is none.  Lives as long as @info,
 * which may be NULL. */
const struct pp_inlined *pp_debug_info_inlined(struct pp_debug_info *info, uint64_t link);

#endif
