/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a catalogue file: lines, tokens "tag:value", and errors with file and line.
 */
#ifndef LIBOP_EVENTS_CATALOGUE_TEXT_H
#define LIBOP_EVENTS_CATALOGUE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"

struct op_catalogue_text {
	char *path; /* for messages */
	char *text; /* is cut into pieces */
	size_t length, at;
	unsigned int line; /* number of the current line, from 1 */
};

/* Sets @error to "FILE:LINE: " and the text; LINE is 0 for the current line.  Return: -1. */
int op_catalogue_text_error(const struct op_catalogue_text *text, unsigned int line,
			    struct op_error *error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * op_catalogue_text_line - the next line that is neither empty nor a comment
 * @line: set to the line, without its end; NULL at the end of the text
 * @indented: set to whether the line began with a blank, which *@line does not
 *
 * Return: 0, or -1 with @error set: the line has a byte that is no text.
 */
int op_catalogue_text_line(struct op_catalogue_text *text, char **line, bool *indented,
			   struct op_error *error);

/* Cuts the next word off *@rest; NULL if there is none.  *@rest begins with no blank then. */
char *op_catalogue_text_word(char **rest);

/* Does the next word begin a description?  Then cuts it off: ": DESCRIPTION", else NULL. */
char *op_catalogue_text_description(char **rest);

/**
 * op_catalogue_text_tag - split a word "tag:value" and check that it is the first of its kind
 * @word: is cut at the ':'
 * @tags: the tags that there are
 * @n: their number, 32 at most
 * @seen: bit N is set once tag N was seen
 *
 * Return: the index of the tag, or -1 with @error set.
 */
int op_catalogue_text_tag(const struct op_catalogue_text *text, char *word, const char *const *tags,
			  size_t n, uint32_t *seen, char **value, struct op_error *error);

/* Reads hexadecimal with 0x, which must be there: 0, or -1 with @error set. */
int op_catalogue_text_hex(const struct op_catalogue_text *text, const char *what,
			  const char *digits, uint32_t *value, struct op_error *error);
/* Reads a decimal number up to @max: 0, or -1 with @error set. */
int op_catalogue_text_decimal(const struct op_catalogue_text *text, const char *what,
			      const char *digits, uint32_t max, uint32_t *value,
			      struct op_error *error);

#endif
