/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of files that others own, read for root by a confined process (libop/foreign/confined.h).
 */
#ifndef PP_SYMBOLS_SYMBOLS_APART_H
#define PP_SYMBOLS_SYMBOLS_APART_H

#include <stdbool.h>

#include "symbols.h"

/* Arguments of pp_symbols_read_file(), and what reads the file. */
struct pp_symbols_request {
	const char *path, *root;
	bool want_lines;
	enum pp_symbols_status (*read)(struct pp_symbols *symbols, const char *path,
				       const char *root, bool want_lines, struct op_error *error);
};

/**
 * pp_symbols_read_apart - have a confined process read a file, if it takes one
 * @symbols: zeroed; filled in
 * @status: set to what pp_symbols_read_file() returns; PP_SYMBOLS_DAMAGED with @error set, too, if
 *	the process was ended: then the file has no symbols
 *
 * Return: false if this process may read it, as it is not root, or the file is root's own.
 */
bool pp_symbols_read_apart(struct pp_symbols *symbols, const struct pp_symbols_request *request,
			   enum pp_symbols_status *status, struct op_error *error);

#endif
