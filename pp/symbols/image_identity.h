/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images whose path does not name the profiled file: removed, replaced, or of another mount
 * namespace.  The daemon prefixes the path with a component that identifies the file, as
 * oprofile-session(5) has it:
 *
 *	/[deleted 0123456789abcdef]/usr/bin/x		by its build-id
 *	/[changed 8:1-4711-g3-t1700000000]/usr/bin/x	by device, inode, generation, mtime
 *	/[no path]/0123456789abcdef
 */
#ifndef PP_SYMBOLS_IMAGE_IDENTITY_H
#define PP_SYMBOLS_IMAGE_IDENTITY_H

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

/* Parses the name of an image of kind OP_IMAGE_FILE. */
void pp_image_identity_parse(struct pp_image_identity *identity, const char *name);

/**
 * pp_image_identity_fits - is this the file that was profiled?
 *
 * Return: true if the build-id starts with the recorded bytes, or, if only the inode is known, if
 * inode and modification time match, or inode and device.
 */
bool pp_image_identity_fits(const struct pp_image_identity *identity, const char *path);

/* "/usr/bin/x (deleted, 0123456789abcdef)": as reports show it; the caller frees it. */
char *pp_image_identity_text(const struct pp_image_identity *identity);

#endif
