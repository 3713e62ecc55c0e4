/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which images of two profiles are one, for their difference: builds of one program stand in
 * directories of their own, or have names of their own.
 *
 * An image of the old profile is that of the new one which
 *
 *	1. --map=OLD=NEW names,
 *	2. has the same path,
 *	3. has the same build-id, if no other has it: the file was moved,
 *	4. has the same base name,
 *	5. has the same base name but for digits and what separates them, if no other has that:
 *	   libfoo.so.1.2 and libfoo.so.1.3,
 *	6. is the application with the most samples that is left, if both have
 *	   PP_PAIR_SHARE_LEAST percent at least.
 *
 * What was paired by 5 and 6 is said, and by 3 if the base names differ; of images with less than
 * PP_PAIR_SHARE_SAID percent of both profiles, how many they are.
 *
 * Differences in text and in pages are of these pairs.
 */
#ifndef PP_REPORT_IMAGE_PAIRS_H
#define PP_REPORT_IMAGE_PAIRS_H

#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "libop/tables/name_index.h"
#include "pp/profile/profile.h"

#define PP_PAIR_SHARE_LEAST 10.0
#define PP_PAIR_SHARE_SAID  1.0

enum { PP_OLD, PP_NEW, PP_SIDES };

/* What a file of a side is called in both profiles. */
struct pp_paired_file {
	const char *name; /* equal names are one image */
	const char *base; /* of the path, as the new profile has it */
};

struct pp_image_pairs {
	/* By side and index in the profile: equal names are one image. */
	const char **apps[PP_SIDES], **images[PP_SIDES];
	struct op_strings notes; /* sentences about what was paired by similarity */
	struct {
		struct op_names names; /* op_image_name::name of each */
		struct pp_paired_file *items;
		size_t capacity;
	} files[PP_SIDES];
};

/**
 * pp_image_pairs_find - find out which images of two profiles are one
 * @pairs: pp_image_pairs_free() frees what it holds; its names live as long as the profiles
 * @profiles: the old one and the new one
 * @searches: of the same, with the directories of samples: they know build-ids
 * @map: "OLD=NEW": paths or base names
 *
 * Return: 0, or -1 with @error set: an item of @map is not of that form, or names no image.
 */
int pp_image_pairs_find(struct pp_image_pairs *pairs,
			const struct pp_profile *const profiles[PP_SIDES],
			struct pp_image_search *const searches[PP_SIDES],
			const struct op_strings *map, struct op_error *error);
/* What a file, of a kind OP_IMAGE_FILE, is called; NULL: its profile does not have it. */
const struct pp_paired_file *pp_image_pairs_file(const struct pp_image_pairs *pairs, int side,
						 const char *name);
void pp_image_pairs_free(struct pp_image_pairs *pairs);

#endif
