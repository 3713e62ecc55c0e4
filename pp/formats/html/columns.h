/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the page of a profile shows, in as few bytes as can be: JSON of names and facts, and columns
 * of numbers, deflated and then in base64, which has no character that means anything in HTML.
 *
 *	LEB128 length, JSON:
 *	{"title", "facts": [[NAME, VALUE]...], "notes": [TEXT...], "lost": [[CAUSE, N]...],
 *	 "events": [{"name", "unit", "weighted"}...],
 *	 "images": [[BASE NAME, PATH, 1: of the kernel]...], "functions": [[NAME, IMAGE, FILE]...],
 *	 "threads": [[PROGRAM (a function), PID, TID]...], "nodes", "entries", "moments"}
 *
 *	LEB128 length, LEB128 numbers, for each column:
 *	up		 of each node, in preorder: levels from the node before up to its parent
 *	function	 of each node
 *	node		 of each entry: what is to be added to that of the entry before
 *	thread		 of each entry
 *	samples, events	 of each entry, for each event in turn; events only if it is weighted
 *	time		 of each moment, in the order of time: microseconds since the one before
 *	entry		 of each moment, event | entry * number of events
 *	samples, events	 of each moment; events only if any event is weighted
 */
#ifndef PP_FORMATS_HTML_COLUMNS_H
#define PP_FORMATS_HTML_COLUMNS_H

#include <stdio.h>

#include "stack_tree.h"

/**
 * columns_write - write the data of a page
 * @tree: of @prof, which is finished; its moments are put in the order of time
 * @title: of the page
 *
 * Errors are those of @out.
 */
void columns_write(const struct stack_tree *tree, struct prof *prof, const char *title, FILE *out);

#endif
