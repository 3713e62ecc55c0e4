/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file OP_SESSION_ABI: the layout of sample files on this machine, for readers on others.
 */
#ifndef LIBOP_SESSION_ABI_H
#define LIBOP_SESSION_ABI_H

#include "libop/base/error.h"

/* Writes the file.  Return: 0, or -1 with @error set. */
int abi_write(const char *session_dir, struct op_error *error);

#endif
