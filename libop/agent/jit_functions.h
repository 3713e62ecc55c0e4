/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions in perf-TGID.map and jit-TGID.dump, as they were written: they overlap where memory
 * was used again.  Files may say anything.
 */
#ifndef LIBOP_AGENT_JIT_FUNCTIONS_H
#define LIBOP_AGENT_JIT_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/hash.h"

struct jit_line {
	uint64_t address; /* code from there up to the next line of the function */
	const char *file;
	uint32_t number;
	uint32_t order; /* in the file: of lines at one address the last one counts */
};

struct jit_function {
	uint64_t start, end; /* addresses, without end */
	const char *name;
	uint32_t first_line, n_lines; /* in lines, by address */
};

/* All zero: none.  Names and files are those of the text that was parsed. */
struct jit_functions {
	struct jit_function *items; /* as they were written */
	size_t n, capacity;
	struct jit_line *lines;
	size_t n_lines, lines_capacity;
	bool is_full; /* there are more than FOREIGN_JIT_FUNCTIONS_MOST, or FOREIGN_JIT_LINES_MOST
		       */
	/* The index of the last function at each start, + 1; for the first n_hashed of them. */
	struct op_hash_map by_start;
	size_t n_hashed;
};

/* The lines of @text, "START SIZE NAME"; other lines are passed over.  @text is changed. */
void jit_functions_parse_map(struct jit_functions *all, char *text);

/* Return: 0, or -1 with @error set; what is before the damage is in @all. */
int jit_functions_parse_dump(struct jit_functions *all, const char *text, size_t length,
			     struct op_error *error);

/* Frees all but the text. */
void jit_functions_free(struct jit_functions *all);

#endif
