/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the file of a profiled image is now: below an archive or another root directory, at
 * its own path, or in one of the directories given with --image-path.  For an image whose path does
 * not name the profiled file (pp/symbols/image_identity.h) only a file with its identity is used,
 * which may also be in a directory of build-ids: /usr/lib/.build-id, /usr/lib/debug/.build-id,
 * ~/.debug/.build-id; or reachable through a running process (pp/symbols/running_image.h).
 */
#ifndef PP_SYMBOLS_IMAGE_PATH_H
#define PP_SYMBOLS_IMAGE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/base/strings.h"
#include "running_image.h"

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
	struct pp_found_file *found;	/* what is below the paths, by base; made on first use */
	size_t n_found;
	struct pp_running_images running; /* likewise */
	bool searched;
};

/**
 * pp_image_find - find the file of an image
 * @name: its path when it was profiled
 * @reason: set to why nothing was found: a literal or strerror() text; untouched otherwise
 *
 * Return: the path of a regular file, which the caller frees, or NULL.
 */
char *pp_image_find(struct pp_image_search *search, const char *name, const char **reason);

/* The @n files below --image-path that have the base name of @name; none if there is no
 * --image-path. */
const struct pp_found_file *pp_image_search_base(struct pp_image_search *search, const char *name,
						 size_t *n);

/* The prefix of the paths of images, and of /usr/lib/debug; "" for nothing. */
const char *pp_image_root(const struct pp_image_search *search);

/* Frees what the search allocated, not the fields set by the caller. */
void pp_image_search_free(struct pp_image_search *search);

#endif
