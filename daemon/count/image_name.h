/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sample files call an image.
 *
 * A file is called by its path while the path names that very file for the daemon.  Else the
 * path stands behind a component that says so and tells files with one path apart, so that
 * offsets of different files are never counted together:
 *
 *	/usr/bin/x
 *	/[deleted ID]/usr/bin/x			removed or replaced since it was mapped
 *	/[mount namespace ID]/usr/bin/x		a path of another mount namespace
 *	/[changed ID]/usr/bin/x			what is at the path now, while the session has
 *						sample files of what was there before
 *	/[no path]/ID				the kernel cannot tell a path
 *
 * ID is the first 16 hexadecimal digits of the file's build-id, or MAJOR:MINOR-INODE with
 * "-gGENERATION" and "-tMTIME" after it where these are known.
 */
#ifndef DAEMON_IMAGE_NAME_H
#define DAEMON_IMAGE_NAME_H

#include "daemon/sources/source.h"

/* The name of an image.  The caller frees it; NULL when out of memory. */
char *image_name(const struct image_facts *facts);

/* The name for an image whose path has sample files of another version already. */
char *image_name_changed(const struct image_facts *facts);

#endif
