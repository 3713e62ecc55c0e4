/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that only running processes can reach: removed ones that are still mapped, and those of
 * other mount namespaces, such as containers.
 */
#ifndef PP_RUNNING_IMAGE_H
#define PP_RUNNING_IMAGE_H

#include <stddef.h>

#include "pp/symbols/image_identity.h"

/* What the processes that may be looked at have; gathered at the first need. */
struct pp_running_images {
	bool gathered;
	struct pp_removed_file *removed; /* by path */
	size_t n_removed, removed_capacity;
	struct pp_root_directory *roots;
	size_t n_roots, roots_capacity;
};

/**
 * pp_running_images_find - look for a file among those of running processes
 * @images: zeroed before the first look
 *
 * Tried are: for a removed file, /proc/PID/exe and, in /proc/PID/map_files, code that is mapped
 * under this path; for a file of another mount namespace, the path below /proc/PID/root.  Only the
 * very file that was profiled will do.
 *
 * Return: a path that the caller frees, which is good as long as the process runs; or NULL.
 */
char *pp_running_images_find(struct pp_running_images *images,
			     const struct pp_image_identity *identity);
void pp_running_images_free(struct pp_running_images *images);

#endif
