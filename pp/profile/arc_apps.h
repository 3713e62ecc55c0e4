/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which application the frames of an image belong to.  The names of stack files and {cg} files have
 * the application that ran; but without separation by library, each image is its own application.
 * The sample files show which is the case.
 */
#ifndef PP_PROFILE_ARC_APPS_H
#define PP_PROFILE_ARC_APPS_H

#include <stdbool.h>
#include <stddef.h>

#include "pp/select/sample_list.h"

/* The sample files of a list, by application and image. */
struct pp_arc_apps {
	const struct pp_sample_file **files;
	size_t n;
};

void pp_arc_apps_make(struct pp_arc_apps *apps, const struct pp_sample_list *list);
void pp_arc_apps_free(struct pp_arc_apps *apps);

/**
 * pp_arc_apps_choose - choose the application of frames
 * @end: its name has their image, and the application that ran, which may be replaced
 *
 * Return: whether there is a sample file of that application and image, of @class.
 */
bool pp_arc_apps_choose(const struct pp_arc_apps *apps, struct pp_sample_file *end,
			unsigned int class);

#endif
