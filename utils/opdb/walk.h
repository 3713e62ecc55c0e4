/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the arguments of opdb to sample files. */
#ifndef UTILS_OPDB_WALK_H
#define UTILS_OPDB_WALK_H

#include <stdbool.h>

struct walk {
	/* Called for each sample file.  Return: 0, or -1 if it was not as it should be. */
	int (*file)(void *context, const char *path);
	/* Called for each unfinished file that a killed writer left; may be NULL.  As file(). */
	int (*leftover)(void *context, const char *path);
	void *context;
	bool writes; /* only what others cannot exchange is gone through (trusted_dir.h) */
};

/**
 * walk - go through a file, whatever its name is, or through all sample files of a directory
 *
 * In a directory, files whose names are not those of sample files are skipped, and
 * symbolic links are not followed.  What cannot be read is complained of.
 *
 * Return: 0, or -1 if a call returned -1, something could not be read, or a directory has no
 * sample file.
 */
int walk(const struct walk *walk, const char *path);

#endif
