/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The images that only call chains lead to: callers in them, and no samples.
 */
#ifndef PP_ARCHIVE_STACK_IMAGES_H
#define PP_ARCHIVE_STACK_IMAGES_H

#include "pp/select/sample_list.h"

struct pp_stack_images {
	struct op_image_name *items; /* each once */
	size_t n;
};

/**
 * pp_stack_images_find - find the images of the chains of selected samples
 * @images: filled in; pp_stack_images_free() frees what it holds
 * @list: selected files, with stack files: of these, chains count whose leaf is in the application
 *	and image of one of the sample files
 * @warnings: warns of stack files that can't be read
 */
void pp_stack_images_find(struct pp_stack_images *images, const struct pp_sample_list *list,
			  struct op_warnings *warnings);
void pp_stack_images_free(struct pp_stack_images *images);

#endif
