/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that resemble a word: what may have been meant by one that is unknown.
 */
#ifndef LIBOP_BASE_SIMILAR_H
#define LIBOP_BASE_SIMILAR_H

#include <stdbool.h>

#define OP_NOT_SIMILAR (~0u)

/**
 * op_similarity - how near a name is to a word
 *
 * Capitals are like small letters.  A name resembles a word that is part of it, or that two letters
 * make it of: changed, added, left out, or exchanged with the next one.  One letter, if the word
 * has three.  Words of two letters, or of more than 64 bytes, must be part of it, and nothing
 * resembles a word of one.
 *
 * Return: 0 for the word itself, more for less like it, or OP_NOT_SIMILAR.
 */
unsigned int op_similarity(const char *word, const char *name);

/* struct op_similar - the nearest of the names that were tried; all zero but for @word before */
struct op_similar {
	const char *word;
	const char *name; /* NULL: no name resembles it */
	unsigned int distance;
};

/* Compares one more @name, which stays where it is.  Of equally near ones the first wins. */
void op_similar_try(struct op_similar *similar, const char *name);

/* The nearest of @names, which NULL ends, to @word. */
struct op_similar op_similar_of(const char *word, const char *const *names);

/**
 * op_similar_entry - what a path that does not exist may have been meant to be
 * @path: the names of its directory are compared with its last part
 * @directories: directories are meant, else files; hidden ones are not
 *
 * Return: the name without its directory, which the caller frees; NULL: none resembles it.
 */
char *op_similar_entry(const char *path, bool directories);

/*
 * For the end of an error: these three as arguments of OP_SIMILAR_FORMAT.  @before: dashes of an
 * option, or "".
 */
#define OP_SIMILAR_FORMAT "%s%s%s%s"
#define OP_SIMILAR_ARGUMENTS(similar, before)                                                      \
	(similar).name ? "; did you mean " : "", (similar).name ? (before) : "",                   \
		(similar).name ? (similar).name : "", (similar).name ? "?" : ""

#endif
