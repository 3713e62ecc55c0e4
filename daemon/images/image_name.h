/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name of an image in sample files.
 *
 * An image is named by its path if the path names that very file for the daemon.  Else a component
 * in front of the path gives the reason and identifies the file, so that offsets of different files
 * with one path are never counted together:
 *
 *	/usr/bin/x
 *	/[deleted ID]/usr/bin/x			removed or replaced since it was mapped
 *	/[mount namespace ID]/usr/bin/x		a path of another mount namespace
 *	/[changed ID]/usr/bin/x			the file at the path now; the session has sample
 *						files of an earlier one
 *	/[no path]/ID				the kernel reports no path
 *
 * ID is the first 16 hexadecimal digits of the file's build-id, or MAJOR:MINOR-INODE with
 * "-gGENERATION" and "-tMTIME" after it where these are known.
 */
#ifndef DAEMON_IMAGES_IMAGE_NAME_H
#define DAEMON_IMAGES_IMAGE_NAME_H

#include "daemon/sources/source.h"

/* The name of an image.  The caller frees it; NULL when out of memory. */
char *image_name(const struct image_facts *facts);

/* The name for an image whose path has sample files of another version already. */
char *image_name_changed(const struct image_facts *facts);

/*
 * The label of anonymous memory in names of sample files, of the first @length characters of what
 * /proc/PID/maps calls it.  The caller frees it; NULL when out of memory.
 */
char *image_name_anon(const char *label, size_t length);

#endif
