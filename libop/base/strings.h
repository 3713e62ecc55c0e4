/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of strings that grows; and how to mark what is no string.
 */
#ifndef LIBOP_BASE_STRINGS_H
#define LIBOP_BASE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

/* For an array of char without a NUL at its end, such as a magic; clang knows it since 21. */
#if __has_attribute(nonstring)
#define OP_NONSTRING __attribute__((nonstring))
#else
#define OP_NONSTRING
#endif

/* All zero is an empty list. */
struct op_strings {
	char **item;
	size_t count;
};

/* Adds a copy of @text at the end.  Return: 0, or -1 when out of memory. */
int op_strings_add(struct op_strings *list, const char *text);
/* Adds the parts of @text between separators, empty ones too.  Return: as op_strings_add(). */
int op_strings_split(struct op_strings *list, const char *text, char separator);
bool op_strings_contain(const struct op_strings *list, const char *text);
/* Frees the strings; the list is empty then. */
void op_strings_free(struct op_strings *list);

/**
 * op_command_line - a command line as one line, words with blanks in quotes
 *
 * The program is op_program(); line ends become blanks.
 *
 * Return: a text that the caller frees, or NULL when out of memory.
 */
char *op_command_line(int argc, const char *const *argv);

#endif
