/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories of sessions that last as long as the process: a command that reads sessions makes one
 * of a profile of another format.
 */
#ifndef LIBOP_SESSION_TEMPORARY_H
#define LIBOP_SESSION_TEMPORARY_H

#include "libop/base/error.h"

/**
 * op_temporary_session_make - make an empty directory for a session
 * @shown: what users call the session, such as the path of the profile; is copied
 *
 * It is in $TMPDIR, or /tmp, and only this user can read it; of root, not in a $TMPDIR of another.
 * A child process makes it, and removes it when this process has ended, even by a signal.  To be
 * called before threads are made.
 *
 * Return: its absolute path, which lives until op_temporary_sessions_remove(), or NULL with @error
 * set.
 */
const char *op_temporary_session_make(const char *shown, struct op_error *error);

/**
 * op_session_shown - what users call a session
 * @path: of the directory of a session, or of something in it
 *
 * Return: of a temporary one, its @shown; else @path.
 */
const char *op_session_shown(const char *path);

/* Removes all of them, and waits for that. */
void op_temporary_sessions_remove(void);

#endif
