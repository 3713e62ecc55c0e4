/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making the tree of functions of a profile (struct pp_call_tree) from whole stacks.
 */
#ifndef PP_PROFILE_CALL_TREE_H
#define PP_PROFILE_CALL_TREE_H

#include "arcs.h"

/**
 * pp_call_tree_make - add up the stacks whose sample is in a row that is listed
 * @profile: its call_tree, which is empty, is filled in; all rows are there
 * @order: from which end of a stack the tree begins
 *
 * Frames in images that were not looked up are left out.  Samples without a stack are a frame
 * without callers.  pp_profile_free() frees the tree.
 */
void pp_call_tree_make(struct pp_profile *profile, const struct pp_arcs *arcs,
		       enum pp_call_order order);

#endif
