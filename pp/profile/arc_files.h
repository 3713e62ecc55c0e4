/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading stack files and {cg} files, for callgraph.c.
 */
#ifndef PP_PROFILE_ARC_FILES_H
#define PP_PROFILE_ARC_FILES_H

#include "arc_apps.h"
#include "arcs.h"
#include "libop/base/warnings.h"

/* What is being read, as in pp_arcs_read(). */
struct pp_arc_reading {
	struct pp_arcs *arcs;
	struct pp_profile *profile;
	const struct pp_sample_list *list;
	struct pp_arc_apps apps;
	bool sites;
	struct op_warnings *warnings;
};

/* The class of samples of which @class are the weights; @class itself if it is one of samples. */
static inline unsigned int pp_arc_samples_class(const struct pp_arc_reading *reading,
						unsigned int class)
{
	unsigned int n = (unsigned int)reading->profile->classes->n;

	return class < n ? class : class - n;
}

/* Adds frames of an image, to be read with the samples of the image.  @name is copied. */
void pp_arc_add_end(struct pp_arc_reading *reading, const struct op_sample_name *name,
		    struct pp_frames *frames);

/* Reads the {cg} files of the list. */
void pp_arc_files_read(struct pp_arc_reading *reading);
void pp_arc_files_free(struct pp_arcs *arcs);

/* Reads the stack files of the list. */
void pp_trees_read(struct pp_arc_reading *reading);
void pp_trees_free(struct pp_arcs *arcs);

#endif
