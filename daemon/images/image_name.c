// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The name of an image in sample files: see image_name.h.
 */
#include "image_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "libop/base/file.h"

#define ID_SIZE		 128
#define ID_BUILD_ID_SIZE 8
#define DELETED		 " (deleted)" /* the kernel appends it to paths of removed files */

/* Labels that programs choose are up to 80 characters long; the rest is cut off. */
#define LABEL_MOST 80

static void make_id(const struct image_facts *facts, char id[ID_SIZE])
{
	const struct oprofile_image *reported = &facts->reported;
	int used;

	if (reported->flags & OPROFILE_IMAGE_BUILD_ID &&
	    reported->build_id_size >= ID_BUILD_ID_SIZE) {
		for (int i = 0; i < ID_BUILD_ID_SIZE; i++)
			sprintf(id + 2 * i, "%02x", reported->build_id[i]);
		return;
	}
	used = sprintf(id, "%u:%u-%" PRIu64, major(reported->device), minor(reported->device),
		       (uint64_t)reported->inode);
	if (reported->generation)
		used += sprintf(id + used, "-g%" PRIu32, (uint32_t)reported->generation);
	if (facts->mtime)
		sprintf(id + used, "-t%" PRIu64, facts->mtime);
}

/* The length of the path without DELETED. */
static int path_length(const struct oprofile_image *reported)
{
	size_t length = strlen(reported->path), tail = strlen(DELETED);

	if (reported->flags & OPROFILE_IMAGE_DELETED && length > tail &&
	    !strcmp(reported->path + length - tail, DELETED))
		length -= tail;
	return (int)length;
}

static char *behind(const char *what, const struct image_facts *facts)
{
	char id[ID_SIZE];

	make_id(facts, id);
	return op_path("/[%s %s]%.*s", what, id, path_length(&facts->reported),
		       facts->reported.path);
}

char *image_name(const struct image_facts *facts)
{
	const struct oprofile_image *reported = &facts->reported;
	char id[ID_SIZE];

	if (reported->flags & OPROFILE_IMAGE_NO_PATH || *reported->path != '/') {
		make_id(facts, id);
		return op_path("/[no path]/%s", id);
	}
	if (facts->present)
		return strdup(reported->path);
	return behind(reported->flags & OPROFILE_IMAGE_FOREIGN_NS ? "mount namespace" : "deleted",
		      facts);
}

char *image_name_changed(const struct image_facts *facts)
{
	return behind("changed", facts);
}

char *image_name_anon(const char *label, size_t length)
{
	char *name;

	if (length > LABEL_MOST)
		length = LABEL_MOST;
	name = length ? strndup(label, length) : strdup("anon");
	if (!name)
		return NULL;
	/* programs may name their memory, with slashes: [anon:a/b] */
	for (char *slash = strchr(name, '/'); slash; slash = strchr(slash, '/'))
		*slash = '_';
	return name;
}
