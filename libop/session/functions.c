// SPDX-License-Identifier: GPL-2.0-or-later
/* See functions.h. */
#include "functions.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"

#define FUNCTIONS_MOST ((size_t)1 << 30)

static bool is_escaped(const char *at)
{
	return (unsigned char)*at < ' ' || (at[0] == '\\' && at[1] == 'x');
}

char *op_functions_escape(const char *name)
{
	enum { ESCAPE = 4 };
	char *text = op_alloc(ESCAPE, strlen(name) + 1), *to = text;

	for (const char *at = name; *at; at++) {
		if (is_escaped(at))
			to += sprintf(to, "\\x%02x", (unsigned char)*at);
		else
			*to++ = *at;
	}
	return text;
}

/* In place.  Other escapes are those of names that sessions of older versions have as they are. */
static char *unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		uint8_t byte;

		if (at[0] == '\\' && at[1] == 'x' && op_bytes_take(at + 2, &byte, 1) && byte &&
		    (byte < ' ' || byte == '\\')) {
			*to++ = (char)byte;
			at += 3;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
	return text;
}

static void add_function(struct op_functions *functions, char *line)
{
	char *name = unescape(strsep(&line, "\t"));

	functions->items = op_grow(functions->items, &functions->capacity, functions->n + 1,
				   sizeof(*functions->items));
	functions->items[functions->n++] =
		(struct op_function){name, line && *line ? unescape(line) : NULL};
}

static void add_key(struct op_functions *functions, size_t image, const char *line)
{
	struct op_function_key key = {.image = image};
	uint64_t function;

	if (!op_number_take(&line, 16, UINT64_MAX, &key.key) || *line++ != ' ' ||
	    !op_number_take(&line, 10, UINT64_MAX, &function) || *line++ != ' ' ||
	    !op_number_take(&line, 10, UINT64_MAX, &key.line) || *line ||
	    function >= functions->n || image == SIZE_MAX)
		return;
	key.function = (size_t)function;
	functions->keys = op_grow(functions->keys, &functions->keys_capacity, functions->n_keys + 1,
				  sizeof(*functions->keys));
	functions->keys[functions->n_keys++] = key;
}

void op_functions_read(struct op_functions *functions, const char *samples_dir)
{
	char *path = op_format("%s/" OP_FUNCTIONS, samples_dir), *rest, *line;
	size_t image = SIZE_MAX;
	struct op_error ignored;

	*functions = (struct op_functions){0};
	functions->text = rest = foreign_read(path, FUNCTIONS_MOST, NULL, &ignored);
	free(path);
	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, "f ", 2))
			add_function(functions, line + 2);
		else if (!strncmp(line, "i ", 2))
			image = op_names_index(&functions->images, unescape(line + 2));
		else if (!strncmp(line, "k ", 2))
			add_key(functions, image, line + 2);
	}
}

void op_functions_free(struct op_functions *functions)
{
	op_names_free(&functions->images);
	free(functions->items);
	free(functions->keys);
	free(functions->text);
	*functions = (struct op_functions){0};
}
