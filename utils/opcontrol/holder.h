/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the process that has a file open, so that errors can name it.
 */
#ifndef UTILS_OPCONTROL_HOLDER_H
#define UTILS_OPCONTROL_HOLDER_H

#include <sys/types.h>

#define HOLDER_NAME_SIZE 16

/**
 * holder_find - a process, other than this one, that uses a file or what is below a directory
 * @path: absolute, without symbolic links in it; or what /proc/PID/fd shows for a file without a
 *	path, such as "anon_inode:[perf_event]"
 * @name: set to the name of its program (the kernel's, at most 15 bytes)
 *
 * Open files and working directories count; processes that may not be looked at do not.
 *
 * Return: its pid, or 0 if there is none.
 */
pid_t holder_find(const char *path, char name[HOLDER_NAME_SIZE]);

#endif
