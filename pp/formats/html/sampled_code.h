/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses that were sampled, and the lines of functions that are there, with their samples. */
#ifndef PP_FORMATS_HTML_SAMPLED_CODE_H
#define PP_FORMATS_HTML_SAMPLED_CODE_H

#include <stdbool.h>

#include "libop/base/hash.h"
#include "stack_tree.h"

/* Values of a place, each of all of the side's events: its own samples, those with what is inlined
 * there, and those with what is called there. */
enum { SAMPLED_OWN, SAMPLED_WITHIN, SAMPLED_ALL, SAMPLED_KINDS };

/* An address, or a line of a function in a file, with samples: its own, and with all it calls. */
struct place {
	struct prof_frame frame; /* of a line: the first of its addresses */
	uint32_t function;	 /* the innermost one there; of a line: that of the line */
	uint32_t symbol;	 /* that of the symbol */
	const char *file;	 /* or NULL */
	int64_t line;
	uint64_t symbol_start; /* a key; only if has_code */
	bool has_code;
	size_t values;	   /* sampled_n_values() of them, from here on */
	uint64_t seen;	   /* the last sample that was counted for all */
	size_t lines;	   /* of an address: the first of its lines, in sampled_code::lines_of */
	size_t n_lines;	   /* innermost first */
	bool has_own_line; /* the first one is that of the innermost function */
	uint32_t number;   /* of an address: its stack_tree_place(); of a line: its own number */
};

/* A place of the tree whose samples a line or row has. */
struct place_link {
	uint32_t line; /* its number */
	uint32_t place;
	bool is_own; /* not of what is inlined there */
};

struct places {
	struct place *items;
	size_t n, capacity;
	struct op_hash by_key;
};

struct sampled_code {
	struct stack_tree *tree;
	const struct stack_tree_side *side; /* the last one */
	uint32_t side_number;
	struct places addresses, lines; /* in any order */
	struct prof_value *values;
	size_t n_values, values_capacity;
	struct place_link *links; /* of lines to addresses, by line */
	size_t n_links, links_capacity;
	uint32_t *first_link; /* of each line by its number, and an end */

	/* While it is made. */
	uint32_t *lines_of; /* of each address, see struct place */
	size_t n_lines_of, lines_of_capacity;
};

static inline size_t sampled_n_events(const struct sampled_code *code)
{
	return code->side->prof->n_events;
}

static inline size_t sampled_n_values(const struct sampled_code *code)
{
	return SAMPLED_KINDS * sampled_n_events(code);
}

/**
 * sampled_code_make - gather the samples of the last side of @tree
 * @code: takes the place of what was there; sampled_code_free() frees it
 *
 * Functions of code that was inlined are added to @tree.
 */
void sampled_code_make(struct sampled_code *code, struct stack_tree *tree);
void sampled_code_free(struct sampled_code *code);

/* Adds a value up. */
void sampled_add(struct prof_value *sum, const struct prof_value *value);

#endif
