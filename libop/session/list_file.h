/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small files of a session that are lists of lines, which are read and written whole.
 */
#ifndef LIBOP_SESSION_LIST_FILE_H
#define LIBOP_SESSION_LIST_FILE_H

#include <stddef.h>
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

#endif
