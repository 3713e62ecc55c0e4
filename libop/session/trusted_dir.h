/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories of sessions that are written.
 *
 * Such a directory is trusted if only the effective user and root can change what is in
 * it: one of them owns it, and neither its group nor others may write to it.  Names in a trusted
 * directory mean the same between check and use, so only the way to the first one needs care.
 */
#ifndef LIBOP_SESSION_TRUSTED_DIR_H
#define LIBOP_SESSION_TRUSTED_DIR_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/error.h"

enum trusted_dir_missing {
	TRUSTED_DIR_FIND, /* it is the error ENOENT */
	TRUSTED_DIR_MAKE, /* it is made, with OP_SESSION_DIR_MODE, for OP_SESSION_GROUP */
};

/**
 * trusted_dir_set_readers - choose the group that may read what root makes from now on, instead of
 * OP_SESSION_GROUP
 *
 * Directories stay root's, so that nobody else can change what is in them.
 */
void trusted_dir_set_readers(gid_t group);

/**
 * trusted_dir_open - open a directory by a path that the user chose
 * @path: resolved once, as any path, but for its last component: that is followed as a symbolic
 *	link only if the effective user or root owns the link
 *
 * TRUSTED_DIR_MAKE makes missing parents, too.
 *
 * Return: a descriptor, or -1 with @error set, which names the directory and, if that is not
 * trusted (EPERM), why; then nothing was changed.
 */
int trusted_dir_open(const char *path, enum trusted_dir_missing missing, struct op_error *error);

/**
 * trusted_dir_open_below - open directory @name of a trusted one; links are not followed
 * @path: what errors call it
 *
 * Return: as trusted_dir_open().
 */
int trusted_dir_open_below(int parent, const char *name, const char *path,
			   enum trusted_dir_missing missing, struct op_error *error);

/**
 * trusted_dir_open_holder - open the directory of a file that is to be replaced
 * @path: of the file, as the user chose it
 * @name: set to the file's name in there, which the caller frees; links of root that lead to it
 *	are followed by root, others are not
 *
 * The file may be replaced: others cannot exchange it, and the file, or the link, is of the
 * effective user or of root.  A file that is missing is no error here.
 *
 * Return: a descriptor, or -1 with @error set.
 */
int trusted_dir_open_holder(const char *path, char **name, struct op_error *error);

/**
 * trusted_dir_pin - the path by which to use an open directory: pinned_path.h
 * @fd: belongs to the path, and is closed on error
 *
 * Return: a path for op_pinned_close(), or NULL with @error set.
 */
char *trusted_dir_pin(int fd, const char *path, struct op_error *error);

/**
 * trusted_dir_check_holder - whether others can exchange what the owner has in a directory
 * @path: what errors call it
 *
 * They cannot in a trusted directory, nor in one of root or the effective user with the sticky
 * bit, such as /tmp.
 *
 * Return: 0, or -1 with @error set: EPERM.
 */
int trusted_dir_check_holder(int fd, const char *path, struct op_error *error);

/**
 * trusted_dir_check_tree - whether all directories of a tree are trusted
 * @path: of its top, a directory that was opened as trusted, below a pinned path
 *
 * Return: 0, or -1 with @error set: EPERM.
 */
int trusted_dir_check_tree(const char *path, struct op_error *error);

/**
 * trusted_dir_check_read - whether a directory that is only read is one's own or root's
 * @owner: set to another user who can change what is in it, or to 65534 if anybody can
 *
 * For root, a group that can change it is another user.  A directory that is missing is no error
 * here.
 *
 * Return: 0, or -1 with @error set: EPERM.
 */
int trusted_dir_check_read(const char *path, uid_t *owner, struct op_error *error);

#endif
