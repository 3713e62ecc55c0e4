/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session that operf writes.
 */
#ifndef DAEMON_OPERF_SESSION_H
#define DAEMON_OPERF_SESSION_H

#include <stdbool.h>

#include "libop/base/error.h"

#define SESSION_PREVIOUS "previous"	     /* samples of the previous run, below samples */
#define SESSION_LOG	 "samples/operf.log" /* below the session directory */

/**
 * session_let_sudo_user_read - have the session that is made belong to the group of sudo's user
 *
 * It stays root's: what its user could change, root would have to refuse the next time.
 * Nothing is done unless root runs this by sudo(8) for a user.
 */
void session_let_sudo_user_read(void);

/**
 * session_begin - lock the session and, unless @append, move older samples aside
 * @dir: of op_session_open()
 *
 * Samples of the previous run become samples/previous and replace those of an earlier one.
 *
 * Return: the lock, for lock_release(), or -1 with @error set.
 */
int session_begin(const char *dir, bool append, struct op_error *error);

#endif
