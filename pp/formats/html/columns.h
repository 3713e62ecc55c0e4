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
 *	 "threads": [[PROGRAM (a function), PID, TID, CPU]...], "chance": what marks of verdicts
 *	 mean, "judged": [[OLD EVENT, NEW EVENT]...], "nodes", "entries", "chains",
 *	 "moments"}
 *
 *	SIDE: the profile, or one of two that are compared, the old one first:
 *	{"name", "facts": [[NAME, VALUE]...], "notes": [TEXT...], "lost": [[CAUSE, N]...],
 *	 "account": [TEXT...], "duration": NANOSECONDS, 0 if it is not known}
 *
 *	LISTING: see listings.h
 *
 *	LEB128 length, LEB128 numbers, for each column:
 *	TREE		 of nodes; labels: function * 2, plus 1 if it is inlined in its parent
 *	node		 of each entry: what is to be added to that of the entry before
 *	thread		 of each entry
 *	chain		 of each entry: 0: no place of it is in a listing; else what its number is
 *			 above that of the last entry that has one (at first -1), times 2, or
 *			 below it, times 2, plus 1; empty if all are 0
 *	TREE		 of chains, from one call to the next as far as listings show the places;
 *			 labels: places, by which listings tell rows; 0: only of the innermost
 *			 frame, which is in none
 *	samples, events	 of each entry, for each event in turn; events only if it is weighted
 *	verdicts	 of each function, for each pair of "judged": two bits (enum pp_verdict) for
 *			 self by counts, by seconds and by shares, from the lowest; then as many for
 *			 total; then both if inlined functions are apart
 *	time		 of each moment, in the order of time: microseconds since the one before
 *	entry		 of each moment, event | entry * number of events
 *	samples, events	 of each moment; events only if any event is weighted
 *
 *	TREE, of nodes in preorder:
 *	up		 of each node: levels from the node before up to its parent
 *	rank		 of the label of each node, among those below the label of its parent (0: it
 *			 has none), in the order in which they are there first
 *	label		 of each node whose rank is there first: most labels have few below them
 */
#ifndef PP_FORMATS_HTML_COLUMNS_H
#define PP_FORMATS_HTML_COLUMNS_H

#include <stdio.h>

#include "listings.h"
#include "side.h"
#include "stack_tree.h"
#include "verdicts.h"

/**
 * columns_write - write the data of a page
 * @tree: of the page's profiles; the moments of a single one are put in the order of time
 * @listings: of the tree
 * @verdicts: likewise; NULL of one profile
 *
 * Errors are those of @out.
 */
void columns_write(const struct html_page *page, const struct stack_tree *tree,
		   struct listings *listings, const struct verdicts *verdicts, FILE *out);

#endif
