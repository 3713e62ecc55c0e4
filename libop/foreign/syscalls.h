/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of a process that only reads files (confined.h). */
#ifndef LIBOP_FOREIGN_SYSCALLS_H
#define LIBOP_FOREIGN_SYSCALLS_H

/* Which files the process may open. */
enum foreign_reading {
	FOREIGN_READS_ITS_OWN, /* what its ids may read */
	FOREIGN_READS_PUBLIC,  /* programs and libraries of the system; without Landlock, none */
};

/**
 * foreign_filter_syscalls - allow this process to read files and to allocate memory only
 *
 * Any other system call fails with EPERM.  Where Landlock is there, it also cannot write to any
 * file, nor make or remove one, whatever its rights are.
 *
 * Return: 0, or -1 and errno.  For a machine whose system calls are not known here, ENOSYS is no
 * error with FOREIGN_READS_ITS_OWN, of a process that has given its ids away.
 */
int foreign_filter_syscalls(enum foreign_reading reading);

#endif
