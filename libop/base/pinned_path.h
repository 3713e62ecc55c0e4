/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An open directory as a path.
 *
 * A path below "/proc/self/fd/N" reaches the directory that is open as N, whatever its name
 * stands for by now.  Errors, messages and logs show the name it was opened by instead, as they
 * do of what has a path only for the time of the process.
 * One thread at a time may pin and close; others must not write messages meanwhile.
 */
#ifndef LIBOP_BASE_PINNED_PATH_H
#define LIBOP_BASE_PINNED_PATH_H

/**
 * op_pinned_path - the path of an open directory
 * @fd: belongs to the path; closed on error
 * @shown: what they show in its place; is copied
 *
 * Return: a path that op_pinned_close() frees, or NULL when out of memory.
 */
char *op_pinned_path(int fd, const char *shown);

/* Closes the directory and frees @path, of op_pinned_path() or NULL. */
void op_pinned_close(char *path);

/**
 * op_path_show_as - have errors, messages and logs show a path otherwise
 * @path: of a file or directory, of a name that no other has; is copied, as @shown is
 * @shown: what they show in its place; of what is below it, that is the beginning.  NULL: @path
 *	itself from now on
 *
 * Without memory, @path is shown.
 */
void op_path_show_as(const char *path, const char *shown);

/**
 * op_pinned_names - a text with names in the place of pinned paths, and of others shown otherwise
 *
 * Return: a copy that the caller frees, or NULL if there is nothing to replace, or no memory.
 */
char *op_pinned_names(const char *text);

#endif
