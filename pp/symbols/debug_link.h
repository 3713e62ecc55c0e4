/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The separate debug file of an image, which its build-id or .gnu_debuglink names. */
#ifndef PP_SYMBOLS_DEBUG_LINK_H
#define PP_SYMBOLS_DEBUG_LINK_H

#include "elf_file.h"

/**
 * pp_debug_link_find - find the separate debug file of an image
 * @object: the image
 * @path: its path
 * @root: prefix of /usr/lib/debug; "" for none
 *
 * Tries ROOT/usr/lib/debug/.build-id/XX/YYY.debug, which must have the same build-id; then the name
 * in .gnu_debuglink in DIR/.debug, ROOT/usr/lib/debug/DIR and DIR, which must have the same CRC;
 * then the servers that the user has configured (debuginfod.h).
 *
 * Return: a path that the caller frees, or NULL.
 */
char *pp_debug_link_find(const struct pp_elf_file *object, const char *path, const char *root);

/* Where the debug file with a build-id of two bytes or more would be, without a root:
 * /usr/lib/debug/.build-id/XX/YYY.debug.  The caller frees it. */
char *pp_debug_link_build_id_path(const char *build_id);

#endif
