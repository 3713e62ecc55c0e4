/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that a recording names itself: the file "functions" of a session, which an import
 * of a profile with names makes.  They name code of which no file is found.
 *
 *	f FUNCTION \t FILE		functions, numbered from 0; the file may be missing
 *	i IMAGE				the image of the lines below, as sample files name it
 *	k KEY NUMBER LINE		the key, in hexadecimal, of code in a function; inlined ones
 *					come before those that they are in, with the same key
 *
 * In the names of functions, files and images, a control character is "\xHH", and so is a backslash
 * that an x follows.
 */
#ifndef LIBOP_SESSION_FUNCTIONS_H
#define LIBOP_SESSION_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "libop/tables/name_index.h"

#define OP_FUNCTIONS "functions"

struct op_function {
	const char *name;
	const char *file; /* or NULL */
};

/* Code at a key of an image. */
struct op_function_key {
	size_t image, function; /* indices */
	uint64_t key, line;
};

struct op_functions {
	struct op_function *items;
	size_t n, capacity;
	struct op_names images;
	struct op_function_key *keys; /* those of an image stand together, in ascending order */
	size_t n_keys, keys_capacity;
	char *text; /* what the others point into */
};

/**
 * op_functions_read - read the file of a session
 * @functions: filled in; op_functions_free() frees what it holds
 *
 * A missing file is an empty one; malformed lines are skipped.
 */
void op_functions_read(struct op_functions *functions, const char *samples_dir);
void op_functions_free(struct op_functions *functions);

/* A name as a line of the file has it; the caller frees it. */
char *op_functions_escape(const char *name);

#endif
