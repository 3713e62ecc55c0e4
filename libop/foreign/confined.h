/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that can do nothing but read files and answer.
 *
 * What keeps it from all else needs no right of root: a filter of system calls, Landlock, limits. A
 * process of root gives its ids away as well; another one keeps them, and so may open nothing but
 * programs and libraries, if anything.
 */
#ifndef LIBOP_FOREIGN_CONFINED_H
#define LIBOP_FOREIGN_CONFINED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether this is such a process. */
bool confined_is_entered(void);

/* How large its files in memory may be, in bytes: symbols, or a profile, that it unpacks. */
extern uint64_t confined_file_most;

/**
 * confined_id - the user, and the group, that such processes belong to
 *
 * It is no user's, nor a subordinate one.  For one thread at a time.
 *
 * Return: 0 if there is none in this user namespace: then there are no such processes.
 */
uint32_t confined_id(void);

/**
 * confined_kill - kill such a process, also without CAP_KILL
 *
 * CAP_SETUID is enough.  Return: false if that is missing, too.
 */
bool confined_kill(pid_t pid);

/**
 * confined_enter - take what is not needed away from this process
 * @user: of a process of root, whose files it may read, without any group
 * @memory: bytes that it may allocate
 * @time: seconds that it may compute, in all
 * @fd: the only descriptor that stays open
 *
 * For a child, before it looks at a foreign file.  It has no privileges then and no way to get any,
 * and its system calls are those of syscalls.h: it has no network.  Of root, it belongs to
 * confined_id(), so no user can signal, stop, trace or slow it down.  It ends with its parent, is
 * the first to end where memory is short, and its environment has no servers of debug files.
 *
 * The parent, if it is root's, has called confined_id() before.  Return: false if that failed: then
 * it must end.
 */
bool confined_enter(uid_t user, uint64_t memory, unsigned int time, int fd);

#endif
