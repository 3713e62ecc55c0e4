// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of strings: see strings.h.
 */
#include "strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static int strings_add(struct op_strings *list, const char *text, size_t length)
{
	char **larger = reallocarray(list->item, list->count + 1, sizeof(*larger));
	char *copy;

	if (!larger)
		return -1;
	list->item = larger;
	copy = strndup(text, length);
	if (!copy)
		return -1;
	list->item[list->count++] = copy;
	return 0;
}

int op_strings_add(struct op_strings *list, const char *text)
{
	return strings_add(list, text, strlen(text));
}

int op_strings_split(struct op_strings *list, const char *text, char separator)
{
	for (;;) {
		const char *end = strchrnul(text, separator);

		if (strings_add(list, text, (size_t)(end - text)))
			return -1;
		if (!*end)
			return 0;
		text = end + 1;
	}
}

bool op_strings_contain(const struct op_strings *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->item[i], text))
			return true;
	}
	return false;
}

void op_strings_free(struct op_strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->item[i]);
	free(list->item);
	*list = (struct op_strings){0};
}

char *op_command_line(int argc, const char *const *argv)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	fputs(op_program(), out);
	for (int i = 1; i < argc; i++) {
		const char *quote = strpbrk(argv[i], " \t\n") || !*argv[i] ? "'" : "";

		fprintf(out, " %s%s%s", quote, argv[i], quote);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	for (char *p = text; *p; p++)
		if (*p == '\n')
			*p = ' ';
	return text;
}
