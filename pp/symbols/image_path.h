/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the file of a profiled image is now: below an archive or another root directory, at
 * its own path, or in one of the directories given with --image-path.  For an image whose path does
 * not name the profiled file (pp/symbols/image_identity.h), and for one whose identity the session
 * has recorded (libop/session/images.h), only a file with its identity is used,
 * which may also be in a directory of build-ids: /usr/lib/.build-id, /usr/lib/debug/.build-id,
 * ~/.debug/.build-id; or reachable through a running process (pp/symbols/running_image.h).
 */
#ifndef PP_SYMBOLS_IMAGE_PATH_H
#define PP_SYMBOLS_IMAGE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/base/strings.h"
#include "libop/session/images.h"
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
	char *const *samples_dirs;  /* SESSION/samples/NAME of the sessions, or NULL */
	size_t n_dirs;
	struct op_image_list known; /* what identifies their images; read on first use */
	bool is_known_read;
	char why[512]; /* a reason with figures */
};

/**
 * pp_image_known - what identifies an image, as the sessions have recorded it
 *
 * Return: good until pp_image_search_free(); NULL if it is not known, or sessions differ.
 */
const struct op_identity *pp_image_known(struct pp_image_search *search, const char *name);

/**
 * pp_image_saved - the saved symbols of an image whose file is not found
 *
 * Return: a descriptor of an object file without code (libop/saved/symbols.h), or -1.
 */
int pp_image_saved(struct pp_image_search *search, const char *name);

/* Whether @path, which pp_image_find() has found, may have other names than the file that was
 * profiled: it has the same build-id, but is another file. */
bool pp_image_may_be_renamed(struct pp_image_search *search, const char *name, const char *path);

/**
 * pp_image_saved_path - where the saved symbols are
 * @file: set to the name of the file, which the caller frees
 *
 * Return: a path that the caller frees, or NULL.
 */
char *pp_image_saved_path(struct pp_image_search *search, const char *name, char **file);

/**
 * pp_image_find - find the file of an image
 * @name: its path when it was profiled
 * @reason: set to why nothing was found: good until the next call; untouched otherwise
 *
 * If the sessions say what identifies the image, only a file that fits is found: at its path, below
 * --image-path, by its build-id, in a running process, or from a server of debuginfod.
 *
 * Return: the path of a regular file, which the caller frees, or NULL.
 */
char *pp_image_find(struct pp_image_search *search, const char *name, const char **reason);

/* What helps against a reason, "" if it says that itself. */
const char *pp_image_find_help(const char *reason);

/* The @n files below --image-path that have the base name of @name; none if there is no
 * --image-path. */
const struct pp_found_file *pp_image_search_base(struct pp_image_search *search, const char *name,
						 size_t *n);

/* The prefix of the paths of images, and of /usr/lib/debug; "" for nothing. */
const char *pp_image_root(const struct pp_image_search *search);

/* Frees what the search allocated, not the fields set by the caller. */
void pp_image_search_free(struct pp_image_search *search);

#endif
