/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two profile specifications on one command line, "COMMON { OLD } { NEW }" or "OLD NEW COMMON", for
 * a report of the difference.
 */
#ifndef PP_SELECT_PAIR_H
#define PP_SELECT_PAIR_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

struct pp_pair {
	bool is_pair; /* false: there is one profile, and words[1] is empty */
	bool has_braces;
	struct op_strings words[2]; /* of the old and the new one, common ones first */
};

/**
 * pp_pair_options - move options inside of braces into the specification
 * @argv: a command line of @argc words
 * @out: gets the words, with "--session-dir=DIR" inside of braces as "session-dir:DIR"
 *
 * An option is valid for the whole command: of "{ --session-dir=A } { --session-dir=B }" the last
 * one would count for both.  Other options inside of braces are refused.
 *
 * Return: 0, or -1 with @error set.
 */
int pp_pair_options(struct op_strings *out, int argc, char **argv, struct op_error *error);

/**
 * pp_pair_split - find the braces
 * @pair: filled in; pp_pair_free() frees what it holds, whatever is returned
 * @words: the words of the command line; a brace is a word of its own, or "{}"
 *
 * Return: 0, or -1 with @error set: a brace is missing, or there are not two pairs of them.
 */
int pp_pair_split(struct pp_pair *pair, const struct op_strings *words, struct op_error *error);
/**
 * pp_pair_of_two - take the first two words for the old and the new profile
 * @pair: as of pp_pair_split()
 * @words: OLD NEW [COMMON...], or with braces, as of pp_pair_split()
 *
 * Return: 0, or -1 with @error set: there are fewer than two words, or a brace is missing.
 */
int pp_pair_of_two(struct pp_pair *pair, const struct op_strings *words, struct op_error *error);

void pp_pair_free(struct pp_pair *pair);

#endif
