// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of kernel and modules from the saved kallsyms. */
#include "symbols.h"

#include <errno.h>
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/session/paths.h"
#include "libop/base/memory.h"

#define obstack_chunk_alloc op_chunk
#define obstack_chunk_free  free

/* Maximum size of the last symbol before a gap, if nothing else ends it. */
#define LAST_SYMBOL 4096

/* Selects the symbols of the image; keys are relative to its start. */
struct choice {
	const char *module; /* NULL: the kernel itself; not ended by a NUL */
	size_t length;	    /* of module */
	bool everything;
	uint64_t start, end;
};

static int kallsyms_choose(const struct pp_kallsyms *kallsyms, const char *name,
			   struct choice *choice, struct op_error *error)
{
	const struct pp_kernel_module *module;

	*choice = (struct choice){.end = UINT64_MAX};
	if (!strcmp(name, OP_NO_VMLINUX)) {
		choice->everything = true;
		return 0;
	}
	if (!strcmp(name, OP_KERNEL_IMAGE)) {
		choice->start = kallsyms->start;
		if (!choice->start)
			return op_error_set(error, ENOENT,
					    "no _stext among the saved kernel symbols");
		return 0;
	}
	/* "[bpf]": kernel code that kallsyms lists but that is not in a module. */
	if (*name == '[') {
		choice->module = name + 1;
		choice->length = strcspn(name + 1, "]");
		return 0;
	}
	module = pp_kallsyms_module(kallsyms, name);
	if (!module)
		return op_error_set(error, ENOENT, "no module of this name was loaded");
	choice->module = module->name;
	choice->length = strlen(module->name);
	choice->start = module->address;
	choice->end = module->address + module->size;
	if (choice->end < choice->start)
		choice->end = UINT64_MAX;
	return 0;
}

static bool is_chosen(const struct choice *choice, const struct pp_kernel_symbol *symbol)
{
	if (symbol->address < choice->start || symbol->address >= choice->end)
		return false;
	if (choice->everything)
		return true;
	if (!choice->module)
		return !symbol->module;
	return symbol->module && strlen(symbol->module) == choice->length &&
	       !memcmp(choice->module, symbol->module, choice->length);
}

/* Prefer functions to the linker's marker symbols. */
static uint32_t rank_name(const char *name)
{
	if (!strcmp(name, "_stext") || !strcmp(name, "_text") || !strcmp(name, "_etext"))
		return 2;
	return *name == '_';
}

static void free_names(void *owner)
{
	obstack_free(owner, NULL);
	free(owner);
}

int pp_symbols_read_kernel(struct pp_symbols *symbols, const struct pp_kallsyms *kallsyms,
			   const char *name, struct op_error *error)
{
	struct pp_raw_symbol *raw;
	struct obstack *names;
	struct choice choice;
	static const struct pp_starts none;
	size_t n = 0;

	memset(symbols, 0, sizeof(*symbols));
	if (kallsyms_choose(kallsyms, name, &choice, error))
		return -1;
	symbols->owner = names = op_alloc(1, sizeof(*names));
	symbols->release = free_names;
	obstack_init(names);
	raw = op_alloc(kallsyms->n_symbols, sizeof(*raw));
	for (size_t i = 0; i < kallsyms->n_symbols; i++) {
		const struct pp_kernel_symbol *symbol = &kallsyms->symbols[i];

		if (!is_chosen(&choice, symbol))
			continue;
		raw[n] = (struct pp_raw_symbol){.start = symbol->address - choice.start,
						.rank = rank_name(symbol->name),
						.name = symbol->name};
		if (choice.everything && symbol->module) {
			obstack_printf(names, "%s [%s]", symbol->name, symbol->module);
			obstack_1grow(names, '\0');
			raw[n].name = obstack_finish(names);
		}
		n++;
	}
	symbols->code = op_alloc(1, sizeof(*symbols->code));
	symbols->n_code = 1;
	symbols->code->vma = choice.start;
	symbols->code->end = choice.end - choice.start;
	if (n && choice.end == UINT64_MAX) /* symbols are in the order of their addresses */
		symbols->code->end = raw[n - 1].start + LAST_SYMBOL;
	pp_symbols_tidy(symbols, raw, n, &none, false);
	free(raw);
	return 0;
}
