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

/* The pid in an open lock that a daemon holds, or 0. */
pid_t lock_holder(int fd);

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
