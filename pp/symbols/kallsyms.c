// SPDX-License-Identifier: GPL-2.0-or-later
/* The saved kallsyms and list of modules. */
#include "kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/elf/kallsyms.h"
#include "libop/saved/kernel_symbols.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"

/* The least length of a build-id in digits. */
#define BUILD_ID_DIGITS_LEAST 4

/* @text is a writable copy of the text that a string is in: terminates and returns the string. */
static const char *terminate(char *text, const char *string, size_t length)
{
	char *copy = text + (string - text);

	copy[length] = '\0';
	return copy;
}

static bool is_build_id(const char *text)
{
	return strlen(text) >= BUILD_ID_DIGITS_LEAST && !text[strspn(text, "0123456789abcdef")];
}

static int compare_symbols(const void *a, const void *b)
{
	const struct pp_kernel_symbol *left = a, *right = b;

	return op_compare_u64(left->address, right->address);
}

static void add_symbol(struct pp_kallsyms *kallsyms, size_t *capacity,
		       const struct op_kernel_symbol *line)
{
	char *text = kallsyms->symbols_text;

	kallsyms->symbols = op_grow(kallsyms->symbols, capacity, kallsyms->n_symbols + 1,
				    sizeof(*kallsyms->symbols));
	kallsyms->symbols[kallsyms->n_symbols++] = (struct pp_kernel_symbol){
		.address = line->address,
		.name = terminate(text, line->name, line->name_length),
		.module = line->module_length ? terminate(text, line->module, line->module_length)
					      : NULL,
	};
}

static void parse_symbols(struct pp_kallsyms *kallsyms)
{
	const char *rest = kallsyms->symbols_text;
	struct op_kernel_symbol line;
	uint64_t text = 0;
	size_t capacity = 0;

	while (op_kallsyms_next(&rest, &line)) {
		const struct pp_kernel_symbol *symbol;

		if (!op_kallsyms_is_text(&line))
			continue;
		add_symbol(kallsyms, &capacity, &line);
		symbol = &kallsyms->symbols[kallsyms->n_symbols - 1];
		if (symbol->module)
			continue;
		if (!strcmp(symbol->name, "_stext"))
			kallsyms->start = symbol->address;
		else if (!strcmp(symbol->name, "_text"))
			text = symbol->address;
		else if (!strcmp(symbol->name, "_etext"))
			kallsyms->end = symbol->address;
	}
	if (!kallsyms->start)
		kallsyms->start = text;
	if (kallsyms->n_symbols)
		qsort(kallsyms->symbols, kallsyms->n_symbols, sizeof(*kallsyms->symbols),
		      compare_symbols);
}

const struct pp_kernel_module *pp_kallsyms_module(const struct pp_kallsyms *kallsyms,
						  const char *name)
{
	for (size_t i = 0; i < kallsyms->n_modules; i++)
		if (!strcmp(kallsyms->modules[i].name, name))
			return &kallsyms->modules[i];
	return NULL;
}

void pp_kallsyms_take_modules(struct pp_kallsyms *kallsyms, const char *text)
{
	const struct pp_kernel_module *kernel;
	struct op_kernel_module line;
	size_t capacity = 0;

	while (text && op_modules_next(&text, &line)) {
		kallsyms->modules = op_grow(kallsyms->modules, &capacity, kallsyms->n_modules + 1,
					    sizeof(*kallsyms->modules));
		kallsyms->modules[kallsyms->n_modules++] = (struct pp_kernel_module){
			.name = op_copy(line.name),
			.address = line.address,
			.size = line.size,
			.build_id = is_build_id(line.build_id) ? op_copy(line.build_id) : NULL,
		};
	}
	kernel = pp_kallsyms_module(kallsyms, OP_KERNEL_IMAGE);
	kallsyms->build_id = kernel ? kernel->build_id : NULL;
}

int pp_kallsyms_read(struct pp_kallsyms *kallsyms, const char *samples_dir, struct op_error *error)
{
	char *path, *modules;
	int result = 0;

	memset(kallsyms, 0, sizeof(*kallsyms));
	kallsyms->symbols_text = saved_kallsyms_read(samples_dir, error);
	if (kallsyms->symbols_text) {
		parse_symbols(kallsyms);
		if (!kallsyms->n_symbols)
			result = op_error_set(error, EINVAL,
					      "%s/" OP_SAMPLES_KALLSYMS ": no symbols in it",
					      samples_dir);
	} else {
		result = -1;
	}
	path = op_format("%s/" OP_SAMPLES_MODULES, samples_dir);
	modules = foreign_read(path, OP_KALLSYMS_MOST, NULL, NULL);
	pp_kallsyms_take_modules(kallsyms, modules);
	free(modules);
	free(path);
	return result;
}

void pp_kallsyms_free(struct pp_kallsyms *kallsyms)
{
	for (size_t i = 0; i < kallsyms->n_modules; i++) {
		free(kallsyms->modules[i].name);
		free(kallsyms->modules[i].build_id);
	}
	free(kallsyms->symbols);
	free(kallsyms->modules);
	free(kallsyms->symbols_text);
	memset(kallsyms, 0, sizeof(*kallsyms));
}

void pp_kallsyms_warn(struct op_warnings *warnings, const struct op_error *error)
{
	if (error->code != ENOENT)
		op_warnings_add(warnings, OP_BAD_KALLSYMS, "the kernel has no symbols: %s",
				error->text);
}
