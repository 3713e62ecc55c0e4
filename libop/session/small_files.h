/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small files of a session, which are read and written whole: lists of lines, and files that hold
 * one number, decimal, and a newline.
 */
#ifndef LIBOP_SESSION_SMALL_FILES_H
#define LIBOP_SESSION_SMALL_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libop/base/error.h"

/**
 * list_file_read - read the lines of a file
 * @dir, @name: where it is
 * @most: bytes that it may have
 * @take: gets each line, without its end; it may change it, and it is gone when @take returns
 *
 * A file that is missing, too long or not to be read has no lines.
 */
void list_file_read(const char *dir, const char *name, size_t most,
		    void (*take)(void *list, char *line), void *list);

/**
 * list_file_save - replace a file, if all of it can be written
 * @put: writes the lines
 *
 * Return: 0, or -1 with @error set; then the file is what it was.
 */
int list_file_save(const char *dir, const char *name, void (*put)(FILE *out, const void *list),
		   const void *list, struct op_error *error);

/* The number in the file, whose path may be NULL; 0 if there is no such file, or no number. */
uint64_t number_file_read(const char *path);

/* The same of the file @name in @dir. */
uint64_t number_file_read_below(const char *dir, const char *name);

/**
 * number_file_save - have the file hold @value
 * @path: directories that are missing on the way are made; NULL: there was no memory for it
 *
 * A file that holds it already is left alone: most numbers of a session stay what they are.
 *
 * Return: 0, or -1 with @error set.
 */
int number_file_save(const char *path, uint64_t value, struct op_error *error);

#endif
