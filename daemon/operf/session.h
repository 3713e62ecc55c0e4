/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session that operf writes.
 */
#ifndef DAEMON_OPERF_SESSION_H
#define DAEMON_OPERF_SESSION_H

#include "libop/base/error.h"

#define SESSION_PREVIOUS  "previous" /* samples of the previous run, below samples */
#define SESSION_RUN	  "run-%u"   /* samples of one of several runs, from 1 */
#define SESSION_RUNS_MOST 99
#define SESSION_LOG	  "samples/operf.log" /* below the session directory */

/**
 * session_let_sudo_user_read - have the session that is made belong to the group of sudo's user
 *
 * It stays root's: what its user could change, root would have to refuse the next time.
 * Nothing is done unless root runs this by sudo(8) for a user.
 */
void session_let_sudo_user_read(void);

enum session_begin {
	SESSION_BEGIN,
	SESSION_BEGIN_RUNS, /* and remove the sessions of an earlier series of runs */
	SESSION_APPEND,	    /* add to the samples */
};

/**
 * session_begin - lock the session and, unless it is SESSION_APPEND, move older samples aside
 * @dir: of op_session_open()
 *
 * Samples of the previous run become samples/previous and replace those of an earlier one.
 *
 * Return: the lock, for lock_release(), or -1 with @error set.
 */
int session_begin(const char *dir, enum session_begin how, struct op_error *error);

/**
 * session_drop_runs - remove samples/run-1 to samples/run-99 of an earlier series
 * @dir: of op_session_open(), locked
 *
 * Return: 0, or -1 with @error set: EEXIST if one of them has no samples of a session; then none is
 * removed.
 */
int session_drop_runs(const char *dir, struct op_error *error);

/**
 * session_keep_run - move samples/current to samples/run-N
 * @dir: of op_session_open(), locked
 * @run: N, from 1 to SESSION_RUNS_MOST
 *
 * Return: 0, or -1 with @error set: nothing was moved, as if there is a samples/run-N.
 */
int session_keep_run(const char *dir, unsigned int run, struct op_error *error);

#endif
