// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines and words of catalogue files: see catalogue_text.h.
 */
#include "catalogue_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libop/base/number.h"

static const char blanks[] = " \t\r";

int op_catalogue_text_error(const struct op_catalogue_text *text, unsigned int line,
			    struct op_error *error, const char *format, ...)
{
	char reason[sizeof(error->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return op_error_set(error, EINVAL, "%s:%u: %s", text->path, line ? line : text->line,
			    reason);
}

int op_catalogue_text_line(struct op_catalogue_text *text, char **line, bool *indented,
			   struct op_error *error)
{
	while (text->at < text->length) {
		char *start = text->text + text->at;
		size_t left = text->length - text->at;
		char *end = memchr(start, '\n', left);
		size_t length = end ? (size_t)(end - start) : left;

		text->at += end ? length + 1 : length;
		text->line++;
		start[length] = '\0';
		for (size_t i = 0; i < length; i++) {
			if (iscntrl((unsigned char)start[i]) && !strchr("\t\r", start[i] ?: 1))
				return op_catalogue_text_error(text, 0, error,
							       "the byte 0x%02x is not text",
							       (unsigned char)start[i]);
		}
		*line = start + strspn(start, blanks);
		*indented = *line != start;
		if (**line && **line != '#')
			return 0;
	}
	*line = NULL;
	return 0;
}

char *op_catalogue_text_word(char **rest)
{
	char *word = *rest;
	size_t length = strcspn(word, blanks);

	if (!length)
		return NULL;
	*rest = word + length;
	if (**rest)
		*(*rest)++ = '\0';
	*rest += strspn(*rest, blanks);
	return word;
}

char *op_catalogue_text_description(char **rest)
{
	char *text = *rest;
	size_t length;

	if (*text != ':')
		return NULL;
	text++;
	text += strspn(text, blanks);
	length = strlen(text);
	while (length && strchr(blanks, text[length - 1]))
		text[--length] = '\0';
	*rest = text + length;
	return text;
}

int op_catalogue_text_tag(const struct op_catalogue_text *text, char *word, const char *const *tags,
			  size_t n, uint32_t *seen, char **value, struct op_error *error)
{
	char *colon = strchr(word, ':');

	if (!colon)
		return op_catalogue_text_error(text, 0, error, "\"%s\" is not tag:value", word);
	*colon = '\0';
	*value = colon + 1;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(tags[i], word))
			continue;
		if (*seen & 1u << i)
			return op_catalogue_text_error(text, 0, error, "a second %s: on this line",
						       word);
		if (!**value)
			return op_catalogue_text_error(text, 0, error, "%s: has no value", word);
		*seen |= 1u << i;
		return (int)i;
	}
	return op_catalogue_text_error(text, 0, error, "unknown tag %s:", word);
}

int op_catalogue_text_hex(const struct op_catalogue_text *text, const char *what,
			  const char *digits, uint32_t *value, struct op_error *error)
{
	struct op_error cause;
	uint64_t number;

	if (digits[0] != '0' || (digits[1] != 'x' && digits[1] != 'X'))
		return op_catalogue_text_error(
			text, 0, error, "%s: \"%s\" is not hexadecimal with 0x", what, digits);
	if (op_number_parse(digits, what, 0, UINT32_MAX, &number, &cause))
		return op_catalogue_text_error(text, 0, error, "%s", cause.text);
	*value = (uint32_t)number;
	return 0;
}

int op_catalogue_text_decimal(const struct op_catalogue_text *text, const char *what,
			      const char *digits, uint32_t max, uint32_t *value,
			      struct op_error *error)
{
	struct op_error cause;
	uint64_t number;

	if (digits[strspn(digits, "0123456789")])
		return op_catalogue_text_error(text, 0, error, "%s: \"%s\" is not a decimal number",
					       what, digits);
	if (op_number_parse(digits, what, 0, max, &number, &cause))
		return op_catalogue_text_error(text, 0, error, "%s", cause.text);
	*value = (uint32_t)number;
	return 0;
}
