// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What sample files call an image: see image_name.h.
 */
#include "image_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "libop/base/file.h"

#define ID_SIZE		 128
#define ID_BUILD_ID_SIZE 8
#define DELETED		 " (deleted)" /* what the kernel appends to paths of files that are gone */

static void make_id(const struct image_facts *facts, char id[ID_SIZE])
{
	const struct oprofile_image *told = &facts->reported;
	int used;

	if (told->flags & OPROFILE_IMAGE_BUILD_ID && told->build_id_size >= ID_BUILD_ID_SIZE) {
		for (int i = 0; i < ID_BUILD_ID_SIZE; i++)
			sprintf(id + 2 * i, "%02x", told->build_id[i]);
		return;
	}
	used = sprintf(id, "%u:%u-%" PRIu64, major(told->device), minor(told->device),
		       (uint64_t)told->inode);
	if (told->generation)
		used += sprintf(id + used, "-g%" PRIu32, (uint32_t)told->generation);
	if (facts->mtime)
		sprintf(id + used, "-t%" PRIu64, facts->mtime);
}

/* How much of the path is path. */
static int path_length(const struct oprofile_image *told)
{
	size_t length = strlen(told->path), tail = strlen(DELETED);

	if (told->flags & OPROFILE_IMAGE_DELETED && length > tail &&
	    !strcmp(told->path + length - tail, DELETED))
		length -= tail;
	return (int)length;
}

static char *behind(const char *what, const struct image_facts *facts)
{
	char id[ID_SIZE];

	make_id(facts, id);
	return op_path("/[%s %s]%.*s", what, id, path_length(&facts->reported), facts->reported.path);
}

char *image_name(const struct image_facts *facts)
{
	const struct oprofile_image *told = &facts->reported;
	char id[ID_SIZE];

	if (told->flags & OPROFILE_IMAGE_NO_PATH || *told->path != '/') {
		make_id(facts, id);
		return op_path("/[no path]/%s", id);
	}
	if (facts->present)
		return strdup(told->path);
	return behind(told->flags & OPROFILE_IMAGE_FOREIGN_NS ? "mount namespace" : "deleted",
		      facts);
}

char *image_name_changed(const struct image_facts *facts)
{
	return behind("changed", facts);
}
