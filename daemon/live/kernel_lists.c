// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's symbols and modules as text: see kernel_lists.h.
 */
#include "kernel_lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/strings.h"
#include "libop/elf/kallsyms.h"

/* A hundred thousand lines of symbols, in one allocation that is large enough for all. */
struct lines {
	char *text;
	size_t length;
};

/* @of, @also: texts whose lines will be added, each at most once; may be NULL */
static bool lines_init(struct lines *lines, const char *of, const char *also)
{
	/* the last line of each may lack its end */
	size_t most = (of ? strlen(of) : 0) + (also ? strlen(also) : 0) + 2;

	lines->length = 0;
	lines->text = malloc(most + 1);
	return lines->text;
}

static void lines_add(struct lines *lines, const struct op_kernel_symbol *symbol)
{
	memcpy(lines->text + lines->length, symbol->line, symbol->line_length);
	lines->length += symbol->line_length;
	lines->text[lines->length++] = '\n';
}

/* Return: a string that the caller frees. */
static char *lines_end(struct lines *lines)
{
	char *text;

	lines->text[lines->length] = '\0';
	text = realloc(lines->text, lines->length + 1);
	return text ? text : lines->text;
}

static void put_module(FILE *out, const struct op_kernel_module *module)
{
	fprintf(out, "%s %016" PRIx64 " %" PRIx64 " %s\n", module->name, module->address,
		module->size, module->build_id);
}

/* Ends a memory stream.  Return: its text, or NULL when out of memory. */
static char *end_text(FILE *out, char **text)
{
	if (!fclose(out))
		return *text;
	free(*text);
	return NULL;
}

char *kallsyms_text_only(const char *raw)
{
	struct op_kernel_symbol symbol;
	struct lines lines;

	if (!lines_init(&lines, raw, NULL))
		return NULL;
	while (op_kallsyms_next_text(&raw, &symbol))
		lines_add(&lines, &symbol);
	return lines_end(&lines);
}

char *modules_join(const char *now, const char *before)
{
	struct op_strings loaded = {0};
	struct op_kernel_module module;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int failed = 0;

	if (!out)
		return NULL;
	while (op_modules_next(&now, &module)) {
		put_module(out, &module);
		failed |= op_strings_add(&loaded, module.name);
	}
	while (before && op_modules_next(&before, &module)) {
		if (!op_strings_contain(&loaded, module.name))
			put_module(out, &module);
	}
	op_strings_free(&loaded);
	text = end_text(out, &text);
	if (!failed)
		return text;
	free(text);
	return NULL;
}

/* A set of modules; lookups are fast if the symbols of each module are consecutive. */
struct module_set {
	struct op_strings names;
	char last[128];
	bool has_last; /* whether @last is in the set */
};

/* Makes the module of @symbol the last one.  Return: whether it was the last one before. */
static bool is_last(struct module_set *set, const struct op_kernel_symbol *symbol)
{
	size_t length = symbol->module_length;

	if (length >= sizeof(set->last))
		length = sizeof(set->last) - 1;
	if (*set->last && strlen(set->last) == length && !memcmp(set->last, symbol->module, length))
		return true;
	memcpy(set->last, symbol->module, length);
	set->last[length] = '\0';
	return false;
}

static int add_module(struct module_set *set, const struct op_kernel_symbol *symbol)
{
	if (is_last(set, symbol) || op_strings_contain(&set->names, set->last))
		return 0;
	return op_strings_add(&set->names, set->last);
}

static bool has_module(struct module_set *set, const struct op_kernel_symbol *symbol)
{
	if (!is_last(set, symbol))
		set->has_last = op_strings_contain(&set->names, set->last);
	return set->has_last;
}

char *kallsyms_join(const char *now, const char *before)
{
	struct module_set loaded = {0};
	struct op_kernel_symbol symbol;
	struct lines lines;
	int failed = 0;

	if (!before)
		return strdup(now);
	if (!lines_init(&lines, now, before))
		return NULL;
	while (op_kallsyms_next(&now, &symbol)) {
		lines_add(&lines, &symbol);
		if (symbol.module_length)
			failed |= add_module(&loaded, &symbol);
	}
	*loaded.last = '\0';
	while (op_kallsyms_next(&before, &symbol)) {
		if (symbol.module_length && !has_module(&loaded, &symbol))
			lines_add(&lines, &symbol);
	}
	op_strings_free(&loaded.names);
	if (!failed)
		return lines_end(&lines);
	free(lines.text);
	return NULL;
}
