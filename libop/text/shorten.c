// SPDX-License-Identifier: GPL-2.0-or-later
/* Text in the columns of a terminal: see shorten.h. */
#include "shorten.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "libop/base/memory.h"
#include "libop/base/utf8.h"

static const char ellipsis[] = "…";

/* Names are anything that others choose: brackets are looked at up to these limits. */
enum { LENGTH_MOST = 65536, DEPTH_MOST = 16 };

/* ---- columns ---- */

/* The C library's table of widths is part of a locale. */
static size_t width_of(uint32_t code)
{
	static locale_t utf8;
	locale_t before;
	int width;

	if (code < 0x80)
		return 1;
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	if (!utf8)
		return 1;
	before = uselocale(utf8);
	width = wcwidth((wchar_t)code);
	uselocale(before);
	return width < 0 ? 1 : (size_t)width;
}

/* Bytes of a sequence that sets colours (SGR of ECMA-48), or 0. */
static size_t color_length(const char *text, size_t n)
{
	size_t i = 2;

	if (n < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (i < n && ((text[i] >= '0' && text[i] <= '9') || text[i] == ';'))
		i++;
	return i < n && text[i] == 'm' ? i + 1 : 0;
}

/* One character; *@columns is set to its width.  Return: its length. */
static size_t step(const char *text, size_t n, size_t *columns)
{
	size_t length = color_length(text, n);
	uint32_t code;

	*columns = 0;
	if (length)
		return length;
	length = op_utf8_character(text, n, &code);
	*columns = length ? width_of(code) : 1;
	return length ? length : 1;
}

size_t op_text_columns(const char *text, size_t n)
{
	size_t columns = 0, width;

	for (size_t i = 0; i < n; columns += width)
		i += step(text + i, n - i, &width);
	return columns;
}

/* The length of the start of @text that has @columns at most. */
static size_t fitting(const char *text, size_t n, size_t columns)
{
	size_t i = 0, width;

	while (i < n) {
		size_t length = step(text + i, n - i, &width);

		if (width > columns)
			break;
		columns -= width;
		i += length;
	}
	return i;
}

/* The start of the end of @text that has @columns at most. */
static size_t fitting_end(const char *text, size_t n, size_t columns)
{
	size_t all = op_text_columns(text, n), i = 0, width;

	while (i < n && all > columns) {
		i += step(text + i, n - i, &width);
		all -= width;
	}
	return i;
}

/* ---- brackets of C++ and Rust ---- */

/* Bytes of signs that are no brackets behind "operator". */
static size_t operator_length(const char *signs)
{
	size_t blanks = strspn(signs, " ");

	if (!strncmp(signs + blanks, "()", 2))
		return blanks + 2;
	return blanks + strspn(signs + blanks, "<>=-");
}

/* Bytes of what has no brackets: a word, or what looks as if it had some; or 0. */
static size_t plain_length(const char *name)
{
	static const char space[] = "(anonymous namespace)", sign[] = "operator";
	size_t word = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_");

	if (word == strlen(sign) && !strncmp(name, sign, word))
		return word + operator_length(name + word);
	if (!strncmp(name, "->", 2))
		return 2;
	return strncmp(name, space, strlen(space)) ? word : strlen(space);
}

/* Copies @name without what is in brackets of @open and @close deeper than @depth. */
static char *without(const char *name, char open, char close, size_t depth)
{
	char *text = op_alloc((1 + strlen(ellipsis)) * strlen(name) + 1, 1), *end = text;
	size_t level = 0;

	while (*name) {
		size_t n = plain_length(name);
		bool is_open = !n && *name == open, is_close = !n && *name == close && level;

		n = n ? n : 1;
		if (is_close)
			level--;
		if (level <= depth)
			end = mempcpy(end, name, n);
		if (is_open && level++ == depth && name[1] != close)
			end = stpcpy(end, ellipsis);
		name += n;
	}
	*end = '\0';
	return text;
}

static size_t deepest(const char *name, char open, char close)
{
	size_t level = 0, most = 0;

	while (*name) {
		size_t n = plain_length(name);

		if (!n && *name == open && ++level > most)
			most = level;
		if (!n && *name == close && level)
			level--;
		name += n ? n : 1;
	}
	return most;
}

static bool fits(const char *name, size_t columns)
{
	return op_text_columns(name, strlen(name)) <= columns;
}

/* Leaves out brackets of *@name, from the innermost ones on, until it fits. */
static bool shorten_brackets(char **name, size_t columns, char open, char close)
{
	size_t depth = deepest(*name, open, close);

	for (depth = depth < DEPTH_MOST ? depth : DEPTH_MOST; depth--;) {
		char *shorter = without(*name, open, close, depth);

		free(*name);
		*name = shorter;
		if (fits(*name, columns))
			return true;
	}
	return false;
}

/* ---- shortening ---- */

/* Two thirds of what is left are of the end, where names differ. */
static char *without_middle(const char *name, size_t columns)
{
	size_t n = strlen(name), front = (columns - 1) / 3, back = columns - 1 - front;
	size_t start = fitting_end(name, n, back);

	return op_format("%.*s%s%s", (int)fitting(name, n, front), name, ellipsis, name + start);
}

char *op_text_shorten(const char *name, size_t columns)
{
	char *text = op_copy(name), *shorter;

	if (fits(text, columns))
		return text;
	if (strlen(text) <= LENGTH_MOST && (shorten_brackets(&text, columns, '<', '>') ||
					    shorten_brackets(&text, columns, '(', ')')))
		return text;
	shorter = without_middle(text, columns);
	free(text);
	return shorter;
}

/* ---- lines ---- */

/* Bytes of @line before the blank at which it is broken: what fits, one word at least. */
static size_t first_part(const char *line, size_t n, size_t columns)
{
	size_t end = fitting(line, n, columns), blank;

	if (end == n)
		return n;
	for (blank = end; blank && line[blank] != ' ';)
		blank--;
	while (blank && line[blank - 1] == ' ')
		blank--;
	if (blank)
		return blank;
	while (end < n && line[end] != ' ')
		end++;
	return end;
}

static void put_part(const char *text, size_t n, size_t indent, size_t columns, FILE *out)
{
	char *word, *shorter;

	for (size_t i = 0; i < indent; i++)
		putc_unlocked(' ', out);
	if (op_text_columns(text, n) <= columns) {
		fwrite_unlocked(text, 1, n, out);
	} else {
		word = op_format("%.*s", (int)n, text);
		shorter = without_middle(word, columns);
		fputs(shorter, out);
		free(shorter);
		free(word);
	}
	putc_unlocked('\n', out);
}

static void fold_line(const char *line, size_t n, size_t columns, FILE *out)
{
	size_t lead = 0, indent;

	while (lead < n && line[lead] == ' ')
		lead++;
	if (op_text_columns(line, n) <= columns || lead + 2 >= columns) {
		put_part(line, n, 0, columns, out);
		return;
	}
	line += lead;
	n -= lead;
	for (indent = lead; n; indent = lead + 2) {
		size_t part = first_part(line, n, columns - indent);

		put_part(line, part, indent, columns - indent, out);
		while (part < n && line[part] == ' ')
			part++;
		line += part;
		n -= part;
	}
}

void op_text_fold(const char *text, size_t n, size_t columns, FILE *out)
{
	const char *end = text + n, *line_end;

	if (!columns) {
		fwrite_unlocked(text, 1, n, out);
		return;
	}
	for (; text < end; text = line_end + 1) {
		line_end = memchr(text, '\n', (size_t)(end - text));
		line_end = line_end ? line_end : end;
		fold_line(text, (size_t)(line_end - text), columns, out);
	}
}
