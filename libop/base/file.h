/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small files and directories: read whole, written whole, made, walked.
 */
#ifndef LIBOP_BASE_FILE_H
#define LIBOP_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "error.h"

/**
 * op_path - a path made as by printf
 *
 * Return: a string that the caller frees, or NULL when out of memory.
 */
char *op_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * op_file_read - read a whole file, which may be one of /proc or of oprofilefs
 * @path: the file
 * @limit: the most bytes it may have; more is the error EFBIG
 * @length: set to the number of bytes; may be NULL
 *
 * Return: the bytes and a NUL after them, which the caller frees, or NULL with @error set.
 */
char *op_file_read(const char *path, size_t limit, size_t *length, struct op_error *error);

/**
 * op_file_read_open - the same for a file that is open
 *
 * Return: as op_file_read(), with errno in the place of an error.
 */
char *op_file_read_open(int fd, size_t limit, size_t *length);

/**
 * op_file_write - write @text to a file that exists, such as one of oprofilefs, in one write(2)
 *
 * Return: 0, or -1 with @error set.
 */
int op_file_write(const char *path, const char *text, struct op_error *error);

/* Writes all of @bytes to an open file, whatever interrupts it.  Return: 0, or -1 with errno set:
 * some may be written then. */
int op_file_write_all(int fd, const void *bytes, size_t length);

/**
 * op_file_replace - replace @path by a file with the given bytes, atomically
 * @mode: of the new file
 *
 * Return: 0, or -1 with @error set; then @path is what it was.
 */
int op_file_replace(const char *path, const void *bytes, size_t length, mode_t mode,
		    struct op_error *error);

/**
 * op_mkdir_parents - make the directories that are missing on the way to @path
 *
 * Those are its components that a '/' follows: "a/b/" makes a and a/b, "a/b" makes a.
 *
 * Return: 0, or -1 with @error set.
 */
int op_mkdir_parents(const char *path, mode_t mode, struct op_error *error);

/* Whether an open directory has no entries; false, too, if it can't be read. */
bool op_directory_is_empty(int fd);

/**
 * op_walk - call a function for each file below a directory
 * @dir: the directory; entries are visited in the order of their names
 * @visit: called with the path, which begins with @dir, and its lstat(2); not called for
 *	directories; a result other than 0 ends the walk
 *
 * Symbolic links are not followed.
 *
 * Return: 0, what @visit returned, or -1 with @error set.
 */
int op_walk(const char *dir,
	    int (*visit)(const char *path, const struct stat *status, void *context), void *context,
	    struct op_error *error);

/**
 * op_program_beside - the path of a program in the directory of this one
 * @name: of the program
 *
 * Return: the path; @name alone, for a search in PATH, if no such program is there.  The caller
 * frees it.  NULL: there is no memory.
 */
char *op_program_beside(const char *name);

#endif
