/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inclusive samples of {cg} files.
 *
 * Each pair of frames in a chain is an arc.  A function that is in a chain once is left by one arc
 * at most, so that its inclusive samples are its own and those of all arcs to others.  Where
 * functions call each other in a circle, a chain may have several of their arcs, and only those
 * that lead out of the circle are added up.
 */
#ifndef PP_PROFILE_ARC_INCLUSIVE_H
#define PP_PROFILE_ARC_INCLUSIVE_H

#include "arcs.h"

/**
 * pp_arc_inclusive_add - add the samples of {cg} files to the inclusive ones of callers
 * @rows: the ends of all arcs; the number of each is that in @rows, from 1 on
 * @by_line: rows are lines of functions
 */
void pp_arc_inclusive_add(const struct pp_arcs *arcs, struct pp_row *const *rows, size_t n_rows,
			  bool by_line);

#endif
