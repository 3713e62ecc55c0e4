// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of deleted, replaced and foreign images. */
#include "image_identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/elf/build_id.h"
#include "libop/foreign/door.h"

static const struct {
	enum pp_image_state state;
	const char *mark;  /* prefix of the name */
	const char *words; /* shown in reports */
} states[] = {
	{PP_IMAGE_DELETED, "/[deleted ", "deleted"},
	{PP_IMAGE_FOREIGN, "/[mount namespace ", "in another mount namespace"},
	{PP_IMAGE_CHANGED, "/[changed ", "changed meanwhile"},
};

#define N_STATES OP_ARRAY_SIZE(states)

static const char no_path[] = "/[no path]/";

/* 16 hexadecimal digits */
static bool parse_build_id(struct pp_image_identity *identity)
{
	if (identity->id_length != 2 * PP_IDENTITY_BUILD_ID ||
	    strspn(identity->id, "0123456789abcdef") < identity->id_length)
		return false;
	return op_bytes_take(identity->id, identity->build_id, PP_IDENTITY_BUILD_ID);
}

/* Takes @mark and the number after it; @at and @number are untouched if they are not there. */
static void take_suffix(const char **at, const char *mark, uint64_t *number)
{
	const char *digits = *at + strlen(mark);

	if (!strncmp(*at, mark, strlen(mark)) && op_number_take(&digits, 10, UINT64_MAX, number))
		*at = digits;
}

/* MAJOR:MINOR-INODE[-gGENERATION][-tMTIME] */
static bool parse_inode(struct pp_image_identity *identity)
{
	uint64_t major, minor, generation;
	const char *at = identity->id;

	if (!op_number_take(&at, 10, UINT32_MAX, &major) || *at++ != ':' ||
	    !op_number_take(&at, 10, UINT32_MAX, &minor) || *at++ != '-' ||
	    !op_number_take(&at, 10, UINT64_MAX, &identity->inode))
		return false;
	identity->major = (unsigned int)major;
	identity->minor = (unsigned int)minor;
	identity->mtime = 0;
	take_suffix(&at, "-g", &generation);
	take_suffix(&at, "-t", &identity->mtime);
	return true;
}

void pp_image_identity_parse(struct pp_image_identity *identity, const char *name)
{
	*identity = (struct pp_image_identity){.path = name, .id = ""};
	if (!strncmp(name, no_path, sizeof(no_path) - 1)) {
		identity->state = PP_IMAGE_NO_PATH;
		identity->id = name + sizeof(no_path) - 1;
		identity->id_length = strlen(identity->id);
		identity->path = "";
	}
	for (size_t i = 0; i < N_STATES; i++) {
		size_t n = strlen(states[i].mark);
		const char *end = strstr(name, "]/");

		if (strncmp(name, states[i].mark, n) != 0 || !end || end < name + n)
			continue;
		identity->state = states[i].state;
		identity->id = name + n;
		identity->id_length = end - identity->id;
		identity->path = end + 1;
	}
	if (identity->state == PP_IMAGE_IN_PLACE)
		return;
	identity->has_build_id = parse_build_id(identity);
	identity->has_inode = !identity->has_build_id && parse_inode(identity);
}

static bool fits_build_id(const struct pp_image_identity *identity, const char *path)
{
	uint8_t id[BUILD_ID_MAX];
	int fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	bool fits;

	if (fd < 0)
		return false;
	fits = build_id_of_open(fd, path, id) >= PP_IDENTITY_BUILD_ID &&
	       !memcmp(id, identity->build_id, PP_IDENTITY_BUILD_ID);
	close(fd);
	return fits;
}

bool pp_image_identity_fits(const struct pp_image_identity *identity, const char *path)
{
	struct stat status;

	if (identity->has_build_id)
		return fits_build_id(identity, path);
	if (!identity->has_inode || stat(path, &status) || status.st_ino != identity->inode)
		return false;
	/* On btrfs and overlayfs stat(2) shows another device than the kernel module. */
	if (identity->mtime)
		return (uint64_t)status.st_mtime == identity->mtime;
	return major(status.st_dev) == identity->major && minor(status.st_dev) == identity->minor;
}

char *pp_image_identity_text(const struct pp_image_identity *identity)
{
	int n = (int)identity->id_length;

	if (identity->state == PP_IMAGE_NO_PATH)
		return op_format("(no path, %.*s)", n, identity->id);
	for (size_t i = 0; i < N_STATES; i++)
		if (identity->state == states[i].state)
			return op_format("%s (%s, %.*s)", identity->path, states[i].words, n,
					 identity->id);
	return op_copy(identity->path);
}
