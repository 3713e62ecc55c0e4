/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text in the columns of a terminal: how wide it is, names that are shortened to a width, and lines
 * that are broken between words.  All of it is UTF-8, and escaped already (safe_text.h).
 */
#ifndef LIBOP_TEXT_SHORTEN_H
#define LIBOP_TEXT_SHORTEN_H

#include <stddef.h>
#include <stdio.h>

/* Columns of @n bytes of @text; sequences that set colours have none. */
size_t op_text_columns(const char *text, size_t n);

/**
 * op_text_shorten - shorten a name so that its ends stay
 * @name: of a function, an image or a file
 * @columns: how many it may have, 1 at least
 *
 * Template arguments go first, the innermost ones before the others, then parameters, then the
 * middle:
 *
 *	std::map<int, std::vector<char> >::find(int const&) const
 *	std::map<int, std::vector<…> >::find(int const&) const
 *	std::map<…>::find(int const&) const
 *	std::map<…>::find(…) const
 *	std::map…>::find(…) const
 *
 * Return: the name, which the caller frees.
 */
char *op_text_shorten(const char *name, size_t columns);

/**
 * op_text_fold - write lines, broken at blanks so that none has more than @columns
 * @text: @n bytes of whole lines
 * @columns: 0: lines stay as they are
 *
 * What continues a line is indented by two columns more than the line; a word that is longer than a
 * line is shortened.
 */
void op_text_fold(const char *text, size_t n, size_t columns, FILE *out);

#endif
