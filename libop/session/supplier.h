/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose profile a session was imported from.
 *
 * A session that root imports is root's, but it names the files that another user chose: whoever
 * reads it opens them with that user's rights.  The file OP_SAMPLES_SUPPLIER, in the directory of
 * samples or in one above it in the session, has the user.
 */
#ifndef LIBOP_SESSION_SUPPLIER_H
#define LIBOP_SESSION_SUPPLIER_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/error.h"

/* Writes it into @dir.  Return: 0, or -1 with @error set. */
int op_supplier_write(const char *dir, uid_t user, struct op_error *error);

/**
 * op_supplier_read - who supplied what is in a directory
 * @user: set to that user; FOREIGN_NOBODY if the file can't be read or understood
 *
 * Return: false if the directory has no such file, or names root, or this user.
 */
bool op_supplier_read(const char *dir, uid_t *user);

#endif
