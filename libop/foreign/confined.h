/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that can do nothing but read files and answer.
 */
#ifndef LIBOP_FOREIGN_CONFINED_H
#define LIBOP_FOREIGN_CONFINED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How large its files in memory may be, in bytes: symbols, or a profile, that it unpacks. */
extern uint64_t confined_file_most;

/**
 * confined_enter - take what is not needed away from this process
 * @user: whose rights it has from now on, without any group
 * @memory: bytes that it may allocate
 * @time: seconds that it may compute, in all
 * @fd: the only descriptor that stays open
 *
 * For a child of a process of root, before it looks at a foreign file.  It has no privileges then
 * and no way to get any, nobody can trace it, it ends with its parent, and its system calls are
 * those of syscalls.h.  Its environment has no servers of debug files.
 *
 * Return: false if that failed: then it must end.
 */
bool confined_enter(uid_t user, uint64_t memory, unsigned int time, int fd);

#endif
