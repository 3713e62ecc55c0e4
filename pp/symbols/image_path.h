/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the file of a profiled image is now: below an archive or another root directory, at
 * its own path, or in one of the directories given with --image-path.  Of an image that is not
 * what its path names (pp/image_identity.h) only the very file that was profiled will do; it may
 * also be in a directory of build-ids: /usr/lib/.build-id, /usr/lib/debug/.build-id,
 * ~/.debug/.build-id; or in the reach of a running process (pp/running_image.h).
 */
#ifndef PP_IMAGE_PATH_H
#define PP_IMAGE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/base/strings.h"
#include "pp/symbols/running_image.h"

/* A file below --image-path. */
struct pp_found_file {
	char *path;
	const char *base; /* in path */
};

struct pp_image_search {
	const char *archive;		/* put before each path, or NULL */
	const char *root;		/* --root: likewise, or NULL */
	const char *jit_dir;		/* --jit-dir: of maps of JIT code, or NULL */
	const struct op_strings *paths; /* --image-path: searched by base name, recursively */
	struct pp_found_file *found;	/* what is below the paths, by base; made when needed */
	size_t n_found;
	struct pp_running_images running; /* likewise */
	bool searched;
};

/**
 * pp_image_find - look for the file of an image
 * @name: its path when it was profiled
 * @trouble: set to why nothing was found: a literal or strerror() text; untouched otherwise
 *
 * Return: the path of a regular file, which the caller frees, or NULL.
 */
char *pp_image_find(struct pp_image_search *search, const char *name, const char **trouble);

/* The @n files below --image-path that have the base name of @name; none if there is no
 * --image-path. */
const struct pp_found_file *pp_image_search_base(struct pp_image_search *search, const char *name,
						 size_t *n);

/* What stands before the paths of images, and of /usr/lib/debug; "" for nothing. */
const char *pp_image_root(const struct pp_image_search *search);

/* Frees what the search has gathered, not what it was given. */
void pp_image_search_free(struct pp_image_search *search);

#endif
