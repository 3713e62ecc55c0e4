/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images that are not what their path names: removed, replaced, of another mount namespace.
 * The daemon puts a component before the path of such an image that says so and tells which
 * file it was (oprofile-session(5)):
 *
 *	/[deleted 0123456789abcdef]/usr/bin/x		by its build-id
 *	/[changed 8:1-4711-g3-t1700000000]/usr/bin/x	by device, inode, generation, mtime
 *	/[no path]/0123456789abcdef
 */
#ifndef PP_IMAGE_IDENTITY_H
#define PP_IMAGE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pp_image_state {
	PP_IMAGE_IN_PLACE, /* an ordinary path */
	PP_IMAGE_DELETED,
	PP_IMAGE_FOREIGN, /* of another mount namespace */
	PP_IMAGE_CHANGED,
	PP_IMAGE_NO_PATH,
};

/* The daemon writes only the first bytes of a build-id. */
#define PP_IDENTITY_BUILD_ID 8

struct pp_image_identity {
	enum pp_image_state state;
	const char *path; /* points into the name; "" without a path */
	const char *id;	  /* likewise, @id_length characters */
	size_t id_length;
	bool has_build_id;
	unsigned char build_id[PP_IDENTITY_BUILD_ID];
	bool has_inode;
	unsigned int major, minor;
	uint64_t inode, mtime; /* mtime is 0 if it is not known */
};

/* Takes the name of an image of kind OP_IMAGE_FILE apart. */
void pp_image_identity_parse(struct pp_image_identity *identity, const char *name);

/**
 * pp_image_identity_fits - is this the file that was profiled?
 *
 * Return: true if the build-id begins as it should, or, where only the inode is known, if that
 * and the time of the last change are the same, or that and the device.
 */
bool pp_image_identity_fits(const struct pp_image_identity *identity, const char *path);

/* "/usr/bin/x (deleted, 0123456789abcdef)": for people; the caller frees it. */
char *pp_image_identity_text(const struct pp_image_identity *identity);

#endif
