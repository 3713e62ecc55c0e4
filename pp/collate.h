/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collation: the samples of one image, from all its files, attributed to its symbols.
 */
#ifndef PP_COLLATE_H
#define PP_COLLATE_H

#include "libop/error.h"
#include "pp/kallsyms.h"
#include "pp/profile.h"
#include "pp/symbols.h"

struct pp_collation {
	struct pp_profile *profile;
	const struct pp_sample_list *list;
	const struct pp_profile_wish *wish;
	struct pp_trouble *trouble;
	/* Kernel symbols, read at the first need. */
	struct pp_kallsyms kallsyms;
	enum { PP_KALLSYMS_UNREAD, PP_KALLSYMS_READ, PP_KALLSYMS_NONE } kallsyms_state;
	struct op_error kallsyms_error;
	size_t n_files, n_read; /* sample files, for the progress */
};

/**
 * pp_collate_image - add one image to the profile
 * @image: the image
 * @files: its @n sample files, those of one application together
 */
void pp_collate_image(struct pp_collation *collation, struct pp_image *image,
		      struct pp_sample_file **files, size_t n);

/* Frees what was gathered on the way; the profile stays. */
void pp_collation_free(struct pp_collation *collation);

#endif
