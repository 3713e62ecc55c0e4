/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of libarchive that unpack inputs and archives.  Loading the library, and those that
 * it needs, takes as long as a report: it is done when the first input is packed.
 */
#ifndef PP_FORMATS_INPUT_ARCHIVE_LIBRARY_H
#define PP_FORMATS_INPUT_ARCHIVE_LIBRARY_H

#include <archive.h>
#include <archive_entry.h>

#include "libop/base/error.h"

#define ARCHIVE_FUNCTIONS(ROW)                                                                     \
	ROW(error_string)                                                                          \
	ROW(set_error)                                                                             \
	ROW(read_new)                                                                              \
	ROW(read_support_filter_gzip)                                                              \
	ROW(read_support_filter_bzip2)                                                             \
	ROW(read_support_filter_xz)                                                                \
	ROW(read_support_filter_zstd)                                                              \
	ROW(read_support_format_raw)                                                               \
	ROW(read_support_format_empty)                                                             \
	ROW(read_support_format_tar)                                                               \
	ROW(read_open)                                                                             \
	ROW(read_open_fd)                                                                          \
	ROW(read_next_header)                                                                      \
	ROW(read_data)                                                                             \
	ROW(read_free)                                                                             \
	ROW(entry_pathname)                                                                        \
	ROW(entry_filetype)                                                                        \
	ROW(entry_perm)                                                                            \
	ROW(entry_mtime)                                                                           \
	ROW(entry_mtime_nsec)

struct archive_library {
#define ARCHIVE_MEMBER(name) __typeof__(archive_##name) *name;
	ARCHIVE_FUNCTIONS(ARCHIVE_MEMBER)
#undef ARCHIVE_MEMBER
};

/**
 * archive_library - load it, if that was not done yet
 *
 * A process that is about to be confined (libop/foreign/confined.h) calls it before.
 *
 * Return: the functions, or NULL with @error set: ENOSYS.
 */
const struct archive_library *archive_library(struct op_error *error);

#endif
