/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lock of a session: one daemon at a time.
 *
 * The file OP_SESSION_LOCK holds the daemon's pid, and is locked with flock(2) while the daemon
 * runs.  A file that a killed daemon left is not locked, even if its pid is in use again.
 */
#ifndef LIBOP_SESSION_LOCK_H
#define LIBOP_SESSION_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/error.h"

/**
 * lock_take - become the daemon of a session
 *
 * Return: a descriptor to keep open, or -1 with @error set: EBUSY if there is a daemon.
 */
int lock_take(const char *session_dir, struct op_error *error);

/**
 * lock_find_daemon - the daemon of a session
 * @pid: set to its pid, or to 0 if none runs
 * @pidfd: if not NULL, set to a descriptor of it that the caller closes, or to -1
 *
 * It is believed if the session and the lock are this user's or root's, and if so is the process,
 * and if it is the one that has locked it.
 *
 * Return: 0, or -1 with @error set: the lock cannot be read, or the session is another user's.
 */
int lock_find_daemon(const char *session_dir, pid_t *pid, int *pidfd, struct op_error *error);

/* The daemon that held the lock of a session last, if it did not remove it: it was killed or has
 * crashed.  0 if none did, or one runs, or the session is another user's. */
pid_t lock_find_killed(const char *session_dir);

/**
 * lock_is_in_use - whether a living daemon writes a directory of samples
 * @samples_dir: SESSION/samples/NAME
 *
 * The lock of another user's session is not believed: any process of that user can hold it.
 */
bool lock_is_in_use(const char *samples_dir);

/* Removes the lock, if it is still ours, and closes @lock, of lock_take(). */
void lock_release(const char *session_dir, int lock);

#endif
