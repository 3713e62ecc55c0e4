/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is counted, as a file.
 */
#ifndef UTILS_OPTOP_SAVE_H
#define UTILS_OPTOP_SAVE_H

#include <stdio.h>

#include "libop/base/error.h"
#include "view.h"

/**
 * save_file - write a new file
 * @path: if it ends in ".folded", the call chains since the start, as flame graphs are made of and
 *	opimport reads; else the table that is shown, all rows of it
 *
 * Return: 0, or -1 with @error set; a file that exists is left as it is.
 */
int save_file(const char *path, const struct model *model, const struct view *view,
	      const struct view_request *request, struct op_error *error);

#endif
