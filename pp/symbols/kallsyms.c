// SPDX-License-Identifier: GPL-2.0-or-later
/* The saved kallsyms and list of modules. */
#include "pp/symbols/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/pack/text.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"

/* The next word of a line, ended with a NUL; NULL if there is none. */
static char *next_word(char **line)
{
	char *word;

	*line += strspn(*line, " \t");
	word = *line;
	*line += strcspn(*line, " \t");
	if (**line)
		*(*line)++ = '\0';
	return *word ? word : NULL;
}

static int read_hex(const char *text, uint64_t *out)
{
	char *end;

	if (!text || !strchr("0123456789abcdefABCDEF", *text))
		return -1;
	errno = 0;
	*out = strtoull(text, &end, 16);
	return errno || *end ? -1 : 0;
}

/* "ffffffffc0001000 t name	[module]" */
static int parse_symbol(char *line, struct pp_kernel_symbol *symbol)
{
	const char *address = next_word(&line), *type = next_word(&line);
	char *bracket;

	symbol->name = next_word(&line);
	if (!symbol->name || read_hex(address, &symbol->address) || strlen(type) != 1 ||
	    !strchr("tTwW", *type))
		return -1;
	symbol->module = next_word(&line);
	if (!symbol->module)
		return 0;
	bracket = strchr(symbol->module, ']');
	if (*symbol->module != '[' || !bracket)
		return -1;
	*bracket = '\0';
	symbol->module++;
	return 0;
}

/* "ext4 0xffffffffc0200000 f4000 build-id" */
static int parse_module(char *line, struct pp_kernel_module *module)
{
	module->name = next_word(&line);
	if (!module->name || read_hex(next_word(&line), &module->address) ||
	    read_hex(next_word(&line), &module->size))
		return -1;
	module->build_id = next_word(&line);
	if (module->build_id &&
	    (strlen(module->build_id) < 4 || module->build_id[strspn(module->build_id,
								      "0123456789abcdef")]))
		module->build_id = NULL;
	return 0;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct pp_kernel_symbol *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

static void parse_symbols(struct pp_kallsyms *kallsyms)
{
	char *rest = kallsyms->symbols_text, *line;
	uint64_t text = 0;
	size_t capacity = 0;

	while ((line = strsep(&rest, "\n")) != NULL) {
		struct pp_kernel_symbol *symbol;

		kallsyms->symbols = pp_grow(kallsyms->symbols, &capacity, kallsyms->n_symbols + 1,
					    sizeof(*symbol));
		symbol = &kallsyms->symbols[kallsyms->n_symbols];
		if (parse_symbol(line, symbol))
			continue;
		kallsyms->n_symbols++;
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

static void parse_modules(struct pp_kallsyms *kallsyms)
{
	char *rest = kallsyms->modules_text, *line;
	const struct pp_kernel_module *kernel;
	size_t capacity = 0;

	while (rest && (line = strsep(&rest, "\n")) != NULL) {
		kallsyms->modules = pp_grow(kallsyms->modules, &capacity, kallsyms->n_modules + 1,
					    sizeof(*kallsyms->modules));
		if (!parse_module(line, &kallsyms->modules[kallsyms->n_modules]))
			kallsyms->n_modules++;
	}
	kernel = pp_kallsyms_module(kallsyms, OP_KERNEL_IMAGE);
	kallsyms->build_id = kernel ? kernel->build_id : NULL;
}

int pp_kallsyms_read(struct pp_kallsyms *kallsyms, const char *samples_dir, struct op_error *error)
{
	char *path = pp_format("%s/" OP_SAMPLES_KALLSYMS, samples_dir);
	int result = 0;

	memset(kallsyms, 0, sizeof(*kallsyms));
	kallsyms->symbols_text = op_packed_read(path, OP_KALLSYMS_MOST, NULL, error);
	if (kallsyms->symbols_text) {
		parse_symbols(kallsyms);
		if (!kallsyms->n_symbols)
			result = op_error_set(error, EINVAL, "%s: no symbols in it", path);
	} else {
		result = -1;
	}
	free(path);
	path = pp_format("%s/" OP_SAMPLES_MODULES, samples_dir);
	kallsyms->modules_text = op_file_read(path, OP_KALLSYMS_MOST, NULL, NULL);
	parse_modules(kallsyms);
	free(path);
	return result;
}

void pp_kallsyms_free(struct pp_kallsyms *kallsyms)
{
	free(kallsyms->symbols);
	free(kallsyms->modules);
	free(kallsyms->symbols_text);
	free(kallsyms->modules_text);
	memset(kallsyms, 0, sizeof(*kallsyms));
}

void pp_kallsyms_tell(struct pp_warnings *trouble, const struct op_error *error)
{
	if (error->code != ENOENT)
		pp_warnings_add(trouble, PP_BAD_KALLSYMS, "the kernel has no symbols: %s",
			       error->text);
}
