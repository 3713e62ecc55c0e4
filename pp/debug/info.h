/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of an image, through libdw: source lines and inlined functions.
 *
 * Asking libdw for each address takes from 15 microseconds (lines) to 3 milliseconds (inlined
 * functions).  So what it has is put into flat tables, one for each compilation unit, when the
 * first address in that unit is asked for; after that, an address is a binary search.
 */
#ifndef PP_DEBUG_INFO_H
#define PP_DEBUG_INFO_H

#include <stddef.h>
#include <stdint.h>

#include "pp/symbols/symbols.h"

struct pp_debug_info;

/**
 * pp_debug_info_open - open the debug information of an image
 * @path: of the image
 * @symbols: those of the image; of a relocatable one (a kernel module), links are set
 *
 * It is that of the separate debug file, if @symbols have one, else the image's own.
 *
 * Return: what pp_debug_info_close() frees, or NULL: there is none.
 */
struct pp_debug_info *pp_debug_info_open(const char *path, struct pp_symbols *symbols);
void pp_debug_info_close(struct pp_debug_info *info); /* may be NULL */

/**
 * pp_debug_info_line - the line that an address belongs to
 * @info: may be NULL
 * @link: as in the debug information: pp_symbols_link()
 * @line: set to the line number
 *
 * Return: the file's name, which lives as long as @info, or NULL: nothing is known.
 */
const char *pp_debug_info_line(struct pp_debug_info *info, uint64_t link, int *line);

/* A call that the compiler replaced with the body of the function. */
struct pp_inlined {
	const char *name;		/* of the function called, as the linker knows it */
	size_t name_index;		/* equal for equal names, and small */
	const struct pp_inlined *caller; /* inlined too, or NULL: in the function of the symbol */
};

/* What is inlined at an address, the innermost call; NULL if nothing is.  Lives as long as @info,
 * which may be NULL. */
const struct pp_inlined *pp_debug_info_inlined(struct pp_debug_info *info, uint64_t link);

/* All name_index are below this; it grows while addresses are asked for. */
size_t pp_debug_info_names(const struct pp_debug_info *info);

#endif
