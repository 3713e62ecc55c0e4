/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of a process that only reads files (confined.h). */
#ifndef LIBOP_FOREIGN_SYSCALLS_H
#define LIBOP_FOREIGN_SYSCALLS_H

/**
 * foreign_filter_syscalls - allow this process to read files and to allocate memory only
 *
 * Any other system call fails with EPERM.  Where Landlock is there, it also cannot write to any
 * file, nor make or remove one, whatever its rights are.
 *
 * Return: 0, or -1 and errno; ENOSYS for a machine whose system calls are not known here is none.
 */
int foreign_filter_syscalls(void);

#endif
