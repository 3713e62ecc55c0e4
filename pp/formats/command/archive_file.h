/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives that oparchive wrote into one file (pp/archive/writer.h), for commands. */
#ifndef PP_FORMATS_COMMAND_ARCHIVE_FILE_H
#define PP_FORMATS_COMMAND_ARCHIVE_FILE_H

#include <stdbool.h>

#include "libop/base/error.h"

/* Whether @path is one, or a directory that one was unpacked to.  For root, no file of another user
 * is: their bytes are not parsed. */
bool archive_file_is(const char *path);

/**
 * archive_file_unpack - unpack one into a directory that lasts as long as the process
 *
 * It must have regular files only, and unpack to no more than INPUT_GATHERED_RATIO allows, where
 * each entry takes 4 KiB at least, nor to more than half of the free space.
 *
 * Return: the directory (libop/session/temporary.h), or NULL with @error set.
 */
const char *archive_file_unpack(const char *path, struct op_error *error);

#endif
