/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths, component by component, for kernels and filters without openat2(2).
 */
#ifndef LIBOP_FOREIGN_WALK_H
#define LIBOP_FOREIGN_WALK_H

#include <stdbool.h>

#include "links.h"

/**
 * foreign_walk - find a file as openat2() does with RESOLVE_NO_MAGICLINKS
 * @from: a directory, where a relative path begins; or AT_FDCWD
 * @links: FOREIGN_NONE is as RESOLVE_NO_SYMLINKS, FOREIGN_NOT_LAST as O_NOFOLLOW
 * @is_root: as RESOLVE_IN_ROOT: "/" is @from, and no ".." leads out of it
 *
 * Each component is found, not followed, and asked what it is; the next one is found from there.
 * Links of others in directories like /tmp are not followed, whatever fs.protected_symlinks says.
 *
 * Return: a descriptor that only tells what the file is (O_PATH), or -1 and errno.
 */
int foreign_walk(int from, const char *path, enum foreign_links links, bool is_root);

#endif
