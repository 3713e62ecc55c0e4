/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Import: sample files of other machines and older versions become native ones.
 */
#ifndef PP_ARCHIVE_IMPORT_H
#define PP_ARCHIVE_IMPORT_H

#include <stdbool.h>
#include <sys/types.h>
#include <stddef.h>

#include "libop/base/error.h"
#include "libop/base/warnings.h"

struct pp_import {
	const char *abi;  /* a file "abi" that the sample files must agree with, or NULL */
	const char *type; /* name of the CPU type, or NULL: that of the file */
	bool force;	  /* import files that are native already, or contradict abi */
	bool is_supplied; /* a tree is another user's, @supplier (supplier.h) */
	uid_t supplier;
};

/**
 * pp_import_file - make a native sample file
 * @path: a sample file of any version and byte order
 * @out: must not exist; after an error it does not
 *
 * All counts, and all of the header, are kept.  CPU types, which versions before 0x13 number
 * in another way, are translated; an unknown one becomes "unknown", with a warning.
 *
 * Return: 0, or -1 with @error set: EALREADY if the file is native and @import does not force
 * it.
 */
int pp_import_file(const struct pp_import *import, const char *path, const char *out,
		   struct op_error *error);

struct pp_import_result {
	size_t imported; /* sample files */
	size_t failed;	 /* failed, with a warning each */
	size_t copied;	 /* other files */
};

/**
 * pp_import_tree - import all sample files below a directory
 * @dir: a session directory, or a part of one
 * @out: the new tree; must not exist
 * @warnings: warns of sample files that can't be imported, which are left out
 *
 * Native files are imported as well, those of a pack into a pack.  Other files are copied, but for
 * those that only a daemon uses: the lock, the description of the ABI.
 *
 * Return: 0, or -1 with @error set: @dir can't be read or @out can't be written.  After an error,
 * or without any sample file, there is no @out.
 */
int pp_import_tree(const struct pp_import *import, const char *dir, const char *out,
		   struct pp_import_result *result, struct op_warnings *warnings,
		   struct op_error *error);

#endif
