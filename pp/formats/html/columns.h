/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the page of a profile shows, in as few bytes as can be: JSON of names and facts, and columns
 * of numbers, deflated and then in base64, which has no character that means anything in HTML.
 *
 *	LEB128 length, JSON:
 *	{"title", "sides": [SIDE...],
 *	 "events": [{"name", "unit", "period", "frequency", "weighted", "side"}...],  period: of
 *	 each sample, or what was asked for, if it is weighted: if samples differ in it
 *	 "images": [[BASE NAME, PATH, 1: of the kernel]...], "listings": [LISTING...],
 *	 "functions": [[NAME, IMAGE, FILE]...],
 *	 "threads": [[PROGRAM (a function), PID, TID, CPU]...], "nodes", "entries", "chains",
 *	 "moments"}
 *
 *	SIDE: the profile, or one of two that are compared, the old one first:
 *	{"name", "facts": [[NAME, VALUE]...], "notes": [TEXT...], "lost": [[CAUSE, N]...],
 *	 "account": [TEXT...], "duration": NANOSECONDS, 0 if it is not known}
 *
 *	LISTING: see listings.h
 *
 *	LEB128 length, LEB128 numbers, for each column:
 *	up		 of each node, in preorder: levels from the node before up to its parent
 *	function	 of each node
 *	inlined		 of each node: 1 if it is inlined in its parent; empty if none is
 *	node		 of each entry: what is to be added to that of the entry before
 *	thread		 of each entry
 *	chain		 of each entry: a number, plus 1, or 0: no place of it is in a listing;
 *			 empty if all are 0
 *	up		 of each chain, as of nodes: from one call to the next, as far as listings
 *			 show the places
 *	place		 of each chain, by which listings tell rows; 0: only of the innermost
 *			 frame, which is in none
 *	samples, events	 of each entry, for each event in turn; events only if it is weighted
 *	time		 of each moment, in the order of time: microseconds since the one before
 *	entry		 of each moment, event | entry * number of events
 *	samples, events	 of each moment; events only if any event is weighted
 */
#ifndef PP_FORMATS_HTML_COLUMNS_H
#define PP_FORMATS_HTML_COLUMNS_H

#include <stdio.h>

#include "listings.h"
#include "side.h"
#include "stack_tree.h"

/**
 * columns_write - write the data of a page
 * @tree: of the page's profiles; the moments of a single one are put in the order of time
 * @listings: of the tree
 *
 * Errors are those of @out.
 */
void columns_write(const struct html_page *page, const struct stack_tree *tree,
		   struct listings *listings, FILE *out);

#endif
