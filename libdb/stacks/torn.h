/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a loss of power leaves of units that were never synced.
 *
 * Pages of a file reach the disk in any order, so the header may name units whose page has not:
 * there are zeros up to the end of a page, or the file ends.  Units that were synced name no later
 * ones, so what is left is told by what it names:
 *
 * - a unit of zeros is a frame at 0 in no image below the root, which says that the callers of
 *   those below it are not known; so they stay
 * - an image whose name is not there as a whole, and nodes in it, are none
 * - the text of a name whose image is not there is none
 */
#ifndef LIBDB_STACKS_TORN_H
#define LIBDB_STACKS_TORN_H

#include <stdbool.h>

#include "scan.h"

/* Whether a unit is all zeros. */
bool stacks_torn_is_zero(const struct stacks_unit *unit);

/**
 * stacks_torn_load - stacks_load(), and empty what is there only in part
 *
 * Images that are left are numbered anew.  bytes->torn is set if the file is to be written anew
 * before anything is added.  Damage of other kinds stays as it is.
 *
 * Return: as stacks_load().
 */
int stacks_torn_load(struct stacks_bytes *bytes, int fd, const char *path, struct odb_error *error);

#endif
