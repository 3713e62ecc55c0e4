/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are reachable through running processes only: removed ones that are still mapped, and
 * those of other mount namespaces, such as containers.
 */
#ifndef PP_SYMBOLS_RUNNING_IMAGE_H
#define PP_SYMBOLS_RUNNING_IMAGE_H

#include <stddef.h>

#include "image_identity.h"

/* The files of all accessible processes; gathered on first use. */
struct pp_running_images {
	bool gathered;
	struct pp_removed_file *removed; /* by path */
	size_t n_removed, removed_capacity;
	struct pp_root_directory *roots;
	size_t n_roots, roots_capacity;
};

/**
 * pp_running_images_find - look for a file among those of running processes
 * @images: zeroed before the first call
 *
 * Tries, for a removed file, /proc/PID/exe and, in /proc/PID/map_files, code that is mapped
 * under this path; for a file of another mount namespace, the path below /proc/PID/root.  Only a
 * file with the identity of the profiled one is used.
 *
 * Return: a path that the caller frees, which is valid as long as the process runs; or NULL.
 */
char *pp_running_images_find(struct pp_running_images *images,
			     const struct pp_image_identity *identity);
void pp_running_images_free(struct pp_running_images *images);

#endif
