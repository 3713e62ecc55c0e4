/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a collation: see collate.h. */
#ifndef PP_PROFILE_COLLATION_H
#define PP_PROFILE_COLLATION_H

#include "pp/symbols/image_reader.h"
#include "profile.h"

struct pp_collation {
	struct pp_profile *profile;
	const struct pp_sample_list *list;
	const struct pp_profile_request *request;
	struct op_warnings *warnings;
	struct pp_image_reader reader;
	struct odb_load load;
	size_t n_files, n_read; /* sample files, for the progress */
};

#endif
