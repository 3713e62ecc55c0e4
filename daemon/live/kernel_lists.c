// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols and modules of the kernel as text: see kallsyms.h.
 */
#include "kernel_lists.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts of a line; text ends with NUL. */
static bool is_end(char c)
{
	return !c || c == '\n';
}

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

static const char *skip_word(const char *at)
{
	while (!is_end(*at) && *at != ' ' && *at != '\t')
		at++;
	return at;
}

static const char *parse_hex(const char *at, uint64_t *value)
{
	const char *start = at;

	for (*value = 0; isxdigit((unsigned char)*at); at++) {
		int digit = isdigit((unsigned char)*at) ? *at - '0' : (*at | 0x20) - 'a' + 10;

		*value = *value << 4 | (uint64_t)digit;
	}
	return at > start && at <= start + 16 ? at : NULL;
}

/* address type name [module] */
static bool parse_symbol(const char *at, struct kernel_symbol *symbol)
{
	at = parse_hex(at, &symbol->address);
	if (!at || *at++ != ' ' || is_end(*at))
		return false;
	symbol->type = *at++;
	if (*at++ != ' ')
		return false;
	symbol->name = at;
	at = skip_word(at);
	symbol->name_length = (size_t)(at - symbol->name);
	at = skip_blanks(at);
	symbol->module = at;
	symbol->module_length = 0;
	if (*at == '[') {
		symbol->module = ++at;
		while (!is_end(*at) && *at != ']')
			at++;
		symbol->module_length = (size_t)(at - symbol->module);
	}
	return symbol->name_length;
}

bool kallsyms_next(const char **text, struct kernel_symbol *symbol)
{
	bool good = false;

	while (!good && **text) {
		const char *line = *text;

		*text = strchrnul(line, '\n');
		symbol->line = line;
		symbol->line_length = (size_t)(*text - line);
		if (**text)
			(*text)++;
		good = parse_symbol(line, symbol);
	}
	return good;
}

bool kallsyms_is_text(const struct kernel_symbol *symbol)
{
	return strchr("tTwW", symbol->type) != NULL;
}

bool kallsyms_address(const char *text, const char *name, uint64_t *address)
{
	struct kernel_symbol symbol;

	while (kallsyms_next(&text, &symbol)) {
		if (!symbol.module_length && symbol.name_length == strlen(name) &&
		    !memcmp(symbol.name, name, symbol.name_length)) {
			*address = symbol.address;
			return symbol.address;
		}
	}
	return false;
}

bool modules_next(const char **text, struct kernel_module *module)
{
	bool good = false;

	while (!good && **text) {
		const char *line = *text;
		int used = 0;

		*text = strchrnul(line, '\n');
		if (**text)
			(*text)++;
		/* a line that is too short would be read on into the next one */
		good = sscanf(line, "%127s %" SCNx64 " %" SCNx64 " %64[0-9a-f-]%n", module->name,
			      &module->address, &module->size, module->build_id, &used) == 4 &&
		       !memchr(line, '\n', (size_t)used) && !strchr(module->name, '/');
	}
	return good;
}

/*
 * Lines of symbols, of which a kernel has a hundred thousand: in one piece of memory that is
 * large enough for all.
 */
struct lines {
	char *text;
	size_t length;
};

/* @of, @also: texts from which lines will be added, each once at most; may be NULL */
static bool lines_init(struct lines *lines, const char *of, const char *also)
{
	/* the last line of each may lack its end */
	size_t most = (of ? strlen(of) : 0) + (also ? strlen(also) : 0) + 2;

	lines->length = 0;
	lines->text = malloc(most + 1);
	return lines->text;
}

static void lines_add(struct lines *lines, const struct kernel_symbol *symbol)
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

static void put_module(FILE *out, const struct kernel_module *module)
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
	struct kernel_symbol symbol;
	struct lines lines;

	if (!lines_init(&lines, raw, NULL))
		return NULL;
	while (kallsyms_next(&raw, &symbol)) {
		if (kallsyms_is_text(&symbol))
			lines_add(&lines, &symbol);
	}
	return lines_end(&lines);
}

char *modules_join(const char *now, const char *before)
{
	struct op_strings loaded = {0};
	struct kernel_module module;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int failed = 0;

	if (!out)
		return NULL;
	while (modules_next(&now, &module)) {
		put_module(out, &module);
		failed |= op_strings_add(&loaded, module.name);
	}
	while (before && modules_next(&before, &module)) {
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

/* A set of modules, asked for with the symbols of each module in a row. */
struct module_set {
	struct op_strings names;
	char last[128];
	bool has_last; /* whether @last is in the set */
};

/* Makes the module of @symbol the last one asked for.  Return: whether it was so already. */
static bool is_last(struct module_set *set, const struct kernel_symbol *symbol)
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

static int add_module(struct module_set *set, const struct kernel_symbol *symbol)
{
	if (is_last(set, symbol) || op_strings_contain(&set->names, set->last))
		return 0;
	return op_strings_add(&set->names, set->last);
}

static bool has_module(struct module_set *set, const struct kernel_symbol *symbol)
{
	if (!is_last(set, symbol))
		set->has_last = op_strings_contain(&set->names, set->last);
	return set->has_last;
}

char *kallsyms_join(const char *now, const char *before)
{
	struct module_set loaded = {0};
	struct kernel_symbol symbol;
	struct lines lines;
	int failed = 0;

	if (!lines_init(&lines, now, before))
		return NULL;
	while (kallsyms_next(&now, &symbol)) {
		lines_add(&lines, &symbol);
		if (symbol.module_length)
			failed |= add_module(&loaded, &symbol);
	}
	*loaded.last = '\0';
	while (before && kallsyms_next(&before, &symbol)) {
		if (symbol.module_length && !has_module(&loaded, &symbol))
			lines_add(&lines, &symbol);
	}
	op_strings_free(&loaded.names);
	if (!failed)
		return lines_end(&lines);
	free(lines.text);
	return NULL;
}
