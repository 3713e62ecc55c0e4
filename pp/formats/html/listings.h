/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source and instructions of the functions that were sampled most, themselves or with what they
 * call, and whose samples each line has.
 *
 *	LISTING:
 *	{"functions": [FUNCTION...]	 of the tree; of a source, first that whose lines they are,
 *					 then those it is inlined in; of instructions, first that of
 *					 the symbol, then those inlined there
 *	 "kind": "source" or "assembly",
 *	 "name"				 of the source file, or the image
 *	 "trouble"			 why texts are missing, if they are
 *	 "sides": [SIDE...]		 of a comparison: those with samples here
 *	 "builds_differ"		 of a comparison: these are of two builds, so that lines
 *					 with one number may not be one
 *	 "rows": [[LINE, TEXT]...]	 of a source
 *	 "rows": [[ADDRESS, TEXT, LINE]...]  of instructions; 0: the line is not known
 *	 "places": [ROW, PLACE, 1: of its own, or 0: inlined there, ...]  whose samples a row has}
 *
 * A row's own samples are those whose innermost place is one of its own places; with what is
 * inlined there, those whose innermost place is any of its places; with what it calls, those that
 * have any of its places in their chain, each once.
 *
 * Rows far from all samples are left out, so that a listing is short.
 */
#ifndef PP_FORMATS_HTML_LISTINGS_H
#define PP_FORMATS_HTML_LISTINGS_H

#include <stdbool.h>

#include "libop/text/json.h"
#include "stack_tree.h"

struct listings;

/**
 * listings_choose - choose what is listed of a tree that was begun
 *
 * Functions of code are added to @tree.  Return: the listings, which listings_free() frees.
 */
struct listings *listings_choose(struct stack_tree *tree);
void listings_free(struct listings *listings);

/* A stack_tree_place_fn. */
uint32_t listings_place(const void *listings, uint32_t side, const struct prof_frame *frame);

/* Writes "listings". */
void listings_write(struct listings *listings, struct op_json *json);

#endif
