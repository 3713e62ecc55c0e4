/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source and instructions of the functions that were sampled most, themselves or with what they
 * call: those of the last side, each line with its samples.
 *
 *	LISTING:
 *	{"functions": [FUNCTION...]	 of the tree; of a source, first that whose lines they are,
 *					 then those it is inlined in; of instructions, first that of
 *					 the symbol, then those inlined there
 *	 "kind": "source" or "assembly",
 *	 "name"				 of the source file, or the image
 *	 "trouble"			 why texts are missing, if they are
 *	 "rows": [[LINE, TEXT]...]	 of a source
 *	 "rows": [[ADDRESS, TEXT, LINE]...]  of instructions; 0: the line is not known
 *	 "counts": [[[ROW, OWN, WITHIN, ALL, and the same in events]...]...]   samples, for each
 *					 event of the side; events only if it is weighted
 *
 *	 "places": [ROW, PLACE, 1: of its own, or 0: inlined there, ...]  whose samples a row has:
 *					 by these, those of a part of the profile can be told}
 *
 * OWN samples are of the row itself; WITHIN also those of what is inlined there; ALL also those of
 * what is called there, each once.
 *
 * Rows far from all samples are left out, so that a listing is short.
 */
#ifndef PP_FORMATS_HTML_LISTINGS_H
#define PP_FORMATS_HTML_LISTINGS_H

#include <stdbool.h>

#include "libop/text/json.h"
#include "stack_tree.h"

/* Writes "listings"; @periods: as of about_write(). */
void listings_write(struct stack_tree *tree, const uint64_t *periods, struct op_json *json);

#endif
