/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source and instructions of the functions that were sampled most: those of the last side, each
 * line with its samples.
 *
 *	LISTING:
 *	{"functions": [FUNCTION...]	 of the tree; of instructions, also those inlined there
 *	 "kind": "source" or "assembly",
 *	 "name"				 of the source file, or the image
 *	 "trouble"			 why texts are missing, if they are
 *	 "rows": [[LINE, TEXT]...]	 of a source
 *	 "rows": [[ADDRESS, TEXT, LINE]...]  of instructions; 0: the line is not known
 *	 "counts": [[[ROW, SAMPLES, EVENTS]...]...]}  for each event of the side; EVENTS only if it
 *					 is weighted
 *
 * Rows far from all samples are left out, so that a listing is short.
 */
#ifndef PP_FORMATS_HTML_LISTINGS_H
#define PP_FORMATS_HTML_LISTINGS_H

#include <stdbool.h>

#include "libop/text/json.h"
#include "stack_tree.h"

/* Writes "listings"; @weighted: by event of the tree. */
void listings_write(struct stack_tree *tree, const bool *weighted, struct op_json *json);

#endif
