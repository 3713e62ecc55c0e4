/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph: arcs between symbols, and how many samples have a symbol in their call chain.
 *
 * They are counted in the stack files of a session: a sample counts once for each pair of caller
 * and callee in its chain, however often that is there.  A session without stack files has {cg}
 * files instead, of which the arcs between each two addresses are added up.
 *
 * Frames are in many images, and each image is read once.  So frames are collected by image, and go
 * through pp_collate_image() as sample files do, to get their symbols; pp_arcs_finish() counts
 * when all have theirs.
 */
#ifndef PP_PROFILE_CALLGRAPH_H
#define PP_PROFILE_CALLGRAPH_H

#include "arcs.h"
#include "libop/base/warnings.h"

/**
 * pp_arcs_read - read the stack files and {cg} files of a list
 * @arcs: filled in; pp_arcs_free() frees what it holds
 * @profile: keeps the names of images
 * @list: must live as long as @arcs; stacks are counted if their leaf is in one of its sample files
 * @sites: arcs are counted by address, too
 * @warnings: warns of files that can't be read, which are left out
 */
void pp_arcs_read(struct pp_arcs *arcs, struct pp_profile *profile,
		  const struct pp_sample_list *list, bool sites, struct op_warnings *warnings);

/* Counts the inclusive samples of rows and, with @make_arcs, the arcs between each two of them, in
 * profile->arcs. */
void pp_arcs_finish(const struct pp_arcs *arcs, struct pp_profile *profile, bool make_arcs);
void pp_arcs_free(struct pp_arcs *arcs);

#endif
