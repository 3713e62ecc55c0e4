/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are written whole or not at all: an error keeps what was there.  Profiles are
 * confidential, so they are for the user and the group only.
 */
#ifndef PP_TOOL_WHOLE_FILE_H
#define PP_TOOL_WHOLE_FILE_H

#include <stdio.h>

#include "libop/base/error.h"
#include "libop/foreign/output.h"

struct pp_whole_file {
	FILE *file;	  /* to write to */
	const char *path; /* as it is called in errors */
	struct foreign_place place;
	char *fresh; /* the file there that takes the place of @path; NULL: written to directly */
};

/**
 * pp_whole_file_open - begin to write
 * @path: of the file; NULL and "-" are standard output; must live as long as @whole
 *
 * A device, a pipe or the like is written to, not replaced.
 *
 * Return: 0, or -1 with @error set; if 0, pp_whole_file_close() ends it.
 */
int pp_whole_file_open(struct pp_whole_file *whole, const char *path, struct op_error *error);

/**
 * pp_whole_file_close - end it
 * @result: of what wrote it; if that is not 0, the file stays as it was
 *
 * Return: @result; or if that is 0, -1 with @error set: it could not be written.
 */
int pp_whole_file_close(struct pp_whole_file *whole, int result, struct op_error *error);

#endif
