/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collation: attributes the samples of one image, from all its files, to its symbols.
 */
#ifndef PP_PROFILE_COLLATE_H
#define PP_PROFILE_COLLATE_H

#include "collation.h"

/* Initialises @collation; the other arguments are those of pp_profile_make(). */
void pp_collation_begin(struct pp_collation *collation, struct pp_profile *profile,
			const struct pp_sample_list *list, const struct pp_profile_request *request,
			struct op_warnings *warnings);

/**
 * pp_collate_image - add one image to the profile
 * @image: the image
 * @files: its @n sample files, those of one application together
 */
void pp_collate_image(struct pp_collation *collation, struct pp_image *image,
		      struct pp_sample_file **files, size_t n);

/* Frees temporary data; the profile stays. */
void pp_collation_free(struct pp_collation *collation);

#endif
