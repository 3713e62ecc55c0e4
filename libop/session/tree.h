/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directories of a session that is written: all of them are trusted (trusted_dir.h), and what
 * is written goes below the one that was checked.
 */
#ifndef LIBOP_SESSION_TREE_H
#define LIBOP_SESSION_TREE_H

#include "libop/base/error.h"

/**
 * op_session_open - open a session to write it, and make its directories that are missing
 *
 * Makes @session_dir, its samples directory and samples/current.  Those that it makes
 * belong to OP_SESSION_GROUP, if there is such a group, and have the set-group-ID bit, so
 * that all that is made below them belongs to it as well.  Those that are there must be trusted
 * (trusted_dir.h), with the directories of samples/current.
 *
 * Return: a path of the session directory, whatever is renamed meanwhile, for
 * op_pinned_close(), or NULL with @error set: EPERM if it is not trusted, and nothing changed.
 */
char *op_session_open(const char *session_dir, struct op_error *error);

/**
 * op_session_suggest - say what to do where op_session_open() was refused
 * @option: of the command: what names another place
 *
 * Adds to @error, if it is one of the place: it may not be written, is full, or is no directory.
 */
void op_session_suggest(const char *option, struct op_error *error);

/**
 * op_session_find - open a session that exists, to write @below, a directory "samples/NAME"
 *
 * Return: as op_session_open().
 */
char *op_session_find(const char *session_dir, const char *below, struct op_error *error);

/* As op_session_open() and op_pinned_close() at once.  Return: 0, or -1 with @error set. */
int op_session_make(const char *session_dir, struct op_error *error);

#endif
