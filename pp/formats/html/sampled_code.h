/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses that were sampled, and the lines of functions that are there, with their weights. */
#ifndef PP_FORMATS_HTML_SAMPLED_CODE_H
#define PP_FORMATS_HTML_SAMPLED_CODE_H

#include <stdbool.h>

#include "libop/base/hash.h"
#include "stack_tree.h"

/* An address of a side, or a line of a function in a file, of any side. */
struct place {
	uint32_t side;		 /* of a line: the newest that has it */
	struct prof_frame frame; /* of a line: the first of its addresses */
	uint32_t function;	 /* the innermost one there; of a line: that of the line */
	uint32_t symbol;	 /* that of the symbol */
	const char *file;	 /* or NULL */
	bool is_file_named;	 /* by debug information of the side: else by that of a newer one */
	int64_t line;
	const char *code;	    /* the file that has its code, or NULL; only then: */
	uint64_t key, symbol_start; /* keys of its symbols */
	uint64_t own, all;	    /* stack_tree_weight(): its samples, and with what it calls */
	uint64_t seen;		    /* the last sample that was counted for all */
	size_t first_line, n_lines; /* of an address: in sampled_code::lines_of, innermost first */
	bool has_own_line;	    /* the first one is that of the innermost function */
	uint32_t index;		    /* in its array */
	uint32_t number;	    /* of an address that a listing shows: from 1 on */
};

/* An address whose samples a line has. */
struct place_link {
	uint32_t line, address; /* by index */
	bool is_own;		/* not of what is inlined there */
};

struct places {
	struct place *items;
	size_t n, capacity;
	struct op_hash by_key;
};

/* A source file that debug information of a side names for a function. */
struct source_file {
	uint32_t function, side;
	const char *path;
};

struct sampled_code {
	struct stack_tree *tree;
	struct places addresses, lines; /* in the order of samples */
	struct place_link *links;	/* by line */
	size_t n_links, links_capacity;
	uint32_t *first_link; /* of each line, and an end */

	/* While it is made. */
	uint32_t *lines_of; /* of each address, see struct place */
	size_t n_lines_of, lines_of_capacity;
	uint64_t n_samples;
	struct source_file *files;
	size_t n_files, files_capacity;
	struct op_hash by_file; /* by function and base name */
};

/**
 * sampled_code_make - gather the places of all samples of a tree that was begun
 * @code: takes the place of what was there; sampled_code_free() frees it
 *
 * Functions are added to @tree.
 */
void sampled_code_make(struct sampled_code *code, struct stack_tree *tree);
void sampled_code_free(struct sampled_code *code);

/* The place of an address, or NULL. */
const struct place *sampled_code_address(const struct sampled_code *code, uint32_t side,
					 const struct prof_frame *frame);

/* The image of a place in its profile. */
const struct prof_image *sampled_code_image(const struct sampled_code *code,
					    const struct place *place);

/* The code at an address or a line, as names_code(). */
bool sampled_code_at(const struct sampled_code *code, const struct place *at,
		     struct prof_code_place *place);

#endif
