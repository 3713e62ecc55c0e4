/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removing a directory with all that is in it.
 */
#ifndef LIBOP_BASE_REMOVE_TREE_H
#define LIBOP_BASE_REMOVE_TREE_H

#include "error.h"

/**
 * op_tree_remove - remove directory @name of the opened directory @parent
 *
 * Symbolic links are removed, never followed, and mounted file systems are left alone, which
 * is the error EBUSY.  The depth of the tree doesn't matter.
 *
 * Return: 0, or -1 with @error set.
 */
int op_tree_remove(int parent, const char *name, struct op_error *error);

#endif
