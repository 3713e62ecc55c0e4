/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lock of a session: one daemon at a time.
 *
 * The file OP_SESSION_LOCK holds the daemon's pid, and is locked with flock(2) while the daemon
 * runs.  A file that a killed daemon left is not locked, even if its pid is in use again.
 */
#ifndef LIBOP_SESSION_LOCK_H
#define LIBOP_SESSION_LOCK_H

#include "libop/base/error.h"

/**
 * lock_take - become the daemon of a session
 *
 * Return: a descriptor to keep open, or -1 with @error set: EBUSY if there is a daemon.
 */
int lock_take(const char *session_dir, struct op_error *error);

/* Removes the lock, if it is still ours, and closes @lock, of lock_take(). */
void lock_release(const char *session_dir, int lock);

#endif
