/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes an archive: as files below a directory, or as a tar file, compressed as its name says.
 */
#ifndef PP_ARCHIVE_WRITER_H
#define PP_ARCHIVE_WRITER_H

#include "libop/base/error.h"
#include "files.h"

/**
 * pp_archive_write_directory - copy the files below a directory
 * @dir: empty, or is created
 * @warnings: warns of files that can't be read, which are left out
 *
 * Files keep their times: reports compare those of images with what was profiled.
 *
 * Return: 0, or -1 with @error set.
 */
int pp_archive_write_directory(const char *dir, const struct pp_archive_files *files,
			       struct op_warnings *warnings, struct op_error *error);

/**
 * pp_archive_check_name - whether the name of a tar file says how it is to be compressed
 *
 * Return: 0, or -1 with @error set: EINVAL, with the suffixes that there are.
 */
int pp_archive_check_name(const char *path, struct op_error *error);

/**
 * pp_archive_write_tar - write the files into one tar file
 * @path: pp_archive_check_name() takes it; it must not exist, and after an error it does not
 *
 * Return: as above.
 */
int pp_archive_write_tar(const char *path, const struct pp_archive_files *files,
			 struct op_warnings *warnings, struct op_error *error);

#endif
