/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Import: what is packed in a session.
 */
#ifndef PP_ARCHIVE_IMPORT_PACKS_H
#define PP_ARCHIVE_IMPORT_PACKS_H

#include <stddef.h>

#include "libop/base/error.h"
#include "libop/base/warnings.h"

struct pp_import_packs {
	const char *type; /* name of the CPU type, or NULL: that of the files */
	struct op_warnings *warnings;
	size_t imported, failed; /* files, added up */
};

/**
 * pp_import_packs - make one pack of all parts (libop/pack/parts.h) of a session
 * @dir: its samples/NAME
 * @out: the pack; must not exist
 *
 * Parts that cannot be read cost their files, with a warning.
 *
 * Return: 0, or -1 with @error set: @out cannot be written.
 */
int pp_import_packs(struct pp_import_packs *import, const char *dir, const char *out,
		    struct op_error *error);

#endif
