/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Import: sample files of other machines and older versions become native ones.
 */
#ifndef PP_IMPORT_H
#define PP_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/base/error.h"
#include "libop/base/warnings.h"

struct pp_import {
	const char *abi;  /* a file "abi" that the sample files must agree with, or NULL */
	const char *type; /* name of the CPU type, or NULL: as the file has it */
	bool force;	  /* import what is native already, or does not agree with abi */
};

/**
 * pp_import_file - make a native sample file
 * @path: a sample file of any version and byte order
 * @out: must not exist; after an error it does not
 *
 * All counts, and all of the header, are kept.  CPU types, which versions before 0x13 number
 * in another way, are translated; one that is not known becomes "unknown", with a warning.
 *
 * Return: 0, or -1 with @error set: EALREADY if the file is native and @import does not force
 * it.
 */
int pp_import_file(const struct pp_import *import, const char *path, const char *out,
		   struct op_error *error);

struct pp_import_result {
	size_t imported; /* sample files */
	size_t failed;	 /* of which @trouble was told */
	size_t copied;	 /* other files */
};

/**
 * pp_import_tree - import all sample files below a directory
 * @dir: a session directory, or a part of one
 * @out: where the new tree goes; must not exist
 * @trouble: told of sample files that can't be imported, which are left out
 *
 * Files that are native already are imported as well.  Other files are copied, but for those
 * that only mean something to a daemon: the lock, the description of the ABI.
 *
 * Return: 0, or -1 with @error set: @dir can't be read or @out can't be written.
 */
int pp_import_tree(const struct pp_import *import, const char *dir, const char *out,
		   struct pp_import_result *result, struct pp_warnings *trouble,
		   struct op_error *error);

#endif
