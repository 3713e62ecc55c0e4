/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source files, by the names that debug information has for them.  These names are untrusted: a
 * file is only read if it is a regular one of reasonable size that who names it may read, and ".." is
 * removed from the path of an annotated copy.
 */
#ifndef PP_DEBUG_SOURCE_FILE_H
#define PP_DEBUG_SOURCE_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

struct pp_source_search {
	const struct op_strings *search_dirs; /* in the place of base_dirs, or before the name */
	const struct op_strings *base_dirs;
};

struct pp_source {
	char *text;	    /* NULL: not found */
	const char **lines; /* in text, each NUL-terminated */
	size_t n;
};

/**
 * pp_source_read - find and read a source file
 * @source: filled in; pp_source_free() frees what it holds, whatever is returned
 * @name: the name in the debug information
 * @namer: who gave the name, as pp_debug_info_namer() says
 *
 * What others name, root opens with their rights: a program of theirs that names a private file of
 * root's as its source has none.
 *
 * Tries, for a name below a base directory, the rest of it in each search directory; the
 * name itself; the whole name, and its last part, below each search directory.
 *
 * Return: 0, or -1 with @error set.
 */
int pp_source_read(struct pp_source *source, const struct pp_source_search *search,
		   const char *name, uid_t namer, struct op_error *error);
void pp_source_free(struct pp_source *source);

/* Line @line, which counts from 1; NULL if there is none. */
const char *pp_source_line(const struct pp_source *source, int line);

/**
 * pp_source_output - where an annotated copy goes
 *
 * Return: @dir and @name without "." and "..", which the caller frees.
 */
char *pp_source_output(const char *dir, const char *name);

#endif
