// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines about symbols and modules of the kernel: see kallsyms.h.
 */
#include "kallsyms.h"

#include <string.h>

#include "field.h"

static void skip_line(const char **text)
{
	*text = strchrnul(*text, '\n');
	if (**text)
		(*text)++;
}

/* ---- symbols ---- */

static const char text_types[] = "tTwW";
#define TEXT_TYPES (sizeof(text_types) - 1)

/* "[module]", or nothing.  Return: whether it is one of these. */
static bool read_module_name(const char *at, struct op_kernel_symbol *symbol)
{
	symbol->module = at;
	symbol->module_length = 0;
	if (op_field_is_end(*at))
		return true;
	if (*at++ != '[')
		return false;
	symbol->module = at;
	while (!op_field_is_end(*at) && *at != ']')
		at++;
	symbol->module_length = (size_t)(at - symbol->module);
	return *at == ']' && symbol->module_length;
}

static bool read_symbol(const char *at, struct op_kernel_symbol *symbol)
{
	at = op_field_hex(at, &symbol->address);
	if (!at || !op_field_is_blank(*at))
		return false;
	at = op_field_skip_blanks(at);
	symbol->type = *at;
	if (op_field_is_end(*at) || !op_field_is_blank(at[1]))
		return false;
	symbol->name = op_field_skip_blanks(at + 1);
	at = op_field_skip_word(symbol->name);
	symbol->name_length = (size_t)(at - symbol->name);
	return symbol->name_length && read_module_name(op_field_skip_blanks(at), symbol);
}

bool op_kallsyms_next(const char **text, struct op_kernel_symbol *symbol)
{
	bool good = false;

	while (!good && **text) {
		const char *line = *text;

		*text = strchrnul(line, '\n');
		symbol->line = line;
		symbol->line_length = (size_t)(*text - line);
		if (**text)
			(*text)++;
		good = read_symbol(line, symbol);
	}
	return good;
}

bool op_kallsyms_next_text(const char **text, struct op_kernel_symbol *symbol)
{
	/* most lines are "0123456789abcdef T name": those of data are passed over unread */
	static const size_t type_at = 17;

	while (**text) {
		const char *line = *text, *end = strchrnul(line, '\n');

		if ((size_t)(end - line) > type_at + 1 && line[type_at - 1] == ' ' &&
		    line[type_at + 1] == ' ' && !memchr(text_types, line[type_at], TEXT_TYPES)) {
			*text = end + (*end != '\0');
			continue;
		}
		if (!op_kallsyms_next(text, symbol))
			return false;
		if (op_kallsyms_is_text(symbol))
			return true;
	}
	return false;
}

bool op_kallsyms_is_text(const struct op_kernel_symbol *symbol)
{
	return memchr(text_types, symbol->type, TEXT_TYPES) != NULL;
}

bool op_kallsyms_address(const char *text, const char *name, uint64_t *address)
{
	size_t length = strlen(name);

	/* the lists have some hundred thousand lines: only those with the name are read */
	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
		const char *line = at;
		struct op_kernel_symbol symbol;

		while (line > text && line[-1] != '\n')
			line--;
		if (!read_symbol(line, &symbol) || symbol.module_length || symbol.name != at ||
		    symbol.name_length != length)
			continue;
		*address = symbol.address;
		return symbol.address;
	}
	return false;
}

bool op_kallsyms_next_of_module(const char **text, struct op_kernel_symbol *symbol)
{
	for (const char *at = strchr(*text, '['); at; at = strchr(*text, '[')) {
		while (at > *text && at[-1] != '\n')
			at--;
		*text = at;
		if (op_kallsyms_next(text, symbol) && symbol->module_length)
			return true;
	}
	return false;
}

/* ---- modules ---- */

/* Copies a word into @out of @size bytes.  Return: what follows, or NULL if it does not fit. */
static const char *read_word(const char *at, char *out, size_t size)
{
	const char *word = op_field_skip_blanks(at), *end = op_field_skip_word(word);
	size_t length = (size_t)(end - word);

	if (!length || length >= size)
		return NULL;
	memcpy(out, word, length);
	out[length] = '\0';
	return end;
}

/* Reads a number that is a word of its own. */
static const char *read_number(const char *at, const char *read(const char *at, uint64_t *value),
			       uint64_t *value)
{
	at = read(op_field_skip_blanks(at), value);
	return at && (op_field_is_blank(*at) || op_field_is_end(*at)) ? at : NULL;
}

static const char *read_name(const char *at, struct op_kernel_module *module)
{
	at = read_word(at, module->name, sizeof(module->name));
	return at && !strchr(module->name, '/') ? at : NULL;
}

static bool read_module(const char *at, struct op_kernel_module *module)
{
	at = read_name(at, module);
	at = at ? read_number(at, op_field_hex, &module->address) : NULL;
	at = at ? read_number(at, op_field_hex, &module->size) : NULL;
	if (!at)
		return false;
	strcpy(module->build_id, "-");
	at = op_field_skip_blanks(at);
	return op_field_is_end(*at) ||
	       (read_word(at, module->build_id, sizeof(module->build_id)) &&
		!module->build_id[strspn(module->build_id, "0123456789abcdef-")]);
}

bool op_modules_next(const char **text, struct op_kernel_module *module)
{
	bool good = false;

	while (!good && **text) {
		good = read_module(*text, module);
		skip_line(text);
	}
	return good;
}

static bool read_proc_module(const char *at, struct op_kernel_module *module)
{
	strcpy(module->build_id, "-");
	at = read_name(at, module);
	at = at ? read_number(at, op_field_decimal, &module->size) : NULL;
	for (int i = 0; at && i < 3; i++) { /* users, used by, state */
		at = op_field_skip_blanks(at);
		at = op_field_is_end(*at) ? NULL : op_field_skip_word(at);
	}
	return at && read_number(at, op_field_hex, &module->address);
}

bool op_proc_modules_next(const char **text, struct op_kernel_module *module)
{
	bool good = false;

	while (!good && **text) {
		good = read_proc_module(*text, module);
		skip_line(text);
	}
	return good;
}
