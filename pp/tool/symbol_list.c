// SPDX-License-Identifier: GPL-2.0-or-later
/* Options that take names of symbols. */
#include "symbol_list.h"

#include <stdlib.h>
#include <string.h>

#define OPERATOR "operator"

/* The bytes of "operator<<" and the like, whose brackets are no brackets; 0 at other text. */
static size_t operator_length(const char *text)
{
	size_t n = strlen(OPERATOR);

	if (strncmp(text, OPERATOR, n) != 0)
		return 0;
	return n + strspn(text + n, "<>=-");
}

/*
 * The bytes up to the first comma outside of brackets.  If brackets do not match, the name ends at
 * its first comma: "a<,b" is two names.
 */
static size_t name_length(const char *text)
{
	size_t at = 0;
	int depth = 0;

	while (text[at] && (text[at] != ',' || depth)) {
		size_t n = operator_length(text + at);

		depth += !n && strchr("(<[{", text[at]) != NULL;
		depth -= !n && strchr(")>]}", text[at]) != NULL;
		at += n ? n : 1;
	}
	return depth ? strcspn(text, ",") : at;
}

static int symbol_list_take(const struct op_option *option, void *field, const char *text,
			    struct op_error *error)
{
	for (const char *at = text;; at++) {
		size_t n = name_length(at);
		char *name = strndup(at, n);
		int added = name && n ? op_strings_add(field, name) : 0;

		free(name);
		if (!n)
			return op_option_refuse(option, text, error, "empty item in the list");
		if (!name || added)
			return op_error_memory(error);
		at += n;
		if (!*at)
			return 0;
	}
}

static void symbol_list_release(void *field)
{
	op_strings_free(field);
}

const struct op_option_type pp_option_symbol_list = {.take = symbol_list_take,
						     .release = symbol_list_release};
