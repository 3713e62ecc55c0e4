/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of files that others own, read for root by a process apart (libop/foreign/apart.h).
 */
#ifndef PP_SYMBOLS_SYMBOLS_APART_H
#define PP_SYMBOLS_SYMBOLS_APART_H

#include <stdbool.h>

#include "symbols.h"

/* Reads a file; @place is NULL unless it is the kernel's. */
typedef enum pp_symbols_status pp_symbols_reader(struct pp_symbols *symbols, const char *path,
						 const char *root, bool want_lines,
						 const struct pp_kernel_place *place,
						 struct op_error *error);

/* Arguments of pp_symbols_read_file() or pp_symbols_read_kernel_file(), and what reads the file. */
struct pp_symbols_request {
	const char *path, *root;
	bool want_lines;
	const struct pp_kernel_place *place;
	pp_symbols_reader *read;
};

/**
 * pp_symbols_read_apart - have a file read apart, if it takes that
 * @symbols: zeroed; filled in
 * @status: set to what pp_symbols_read_file() returns; PP_SYMBOLS_DAMAGED with @error set, too, if
 *	that failed: then the file has no symbols
 *
 * Return: false if this process may read it, as it is not root, or the file is root's own.
 */
bool pp_symbols_read_apart(struct pp_symbols *symbols, const struct pp_symbols_request *request,
			   enum pp_symbols_status *status, struct op_error *error);

#endif
