/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines about symbols and modules of the kernel: of /proc/kallsyms and /proc/modules, and of the
 * list of modules that sessions keep (OP_SAMPLES_MODULES of libop/session/paths.h).
 *
 * Functions named _next read one line and advance @text past it.  Malformed lines are
 * skipped.  They return false at the end of the text.
 */
#ifndef LIBOP_ELF_KALLSYMS_H
#define LIBOP_ELF_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * struct op_kernel_symbol - a line "address type name[<TAB>[module]]"
 *
 * The strings point into the text and are not terminated.
 */
struct op_kernel_symbol {
	uint64_t address;
	char type;
	const char *name, *module; /* module without brackets; length 0 for the kernel itself */
	size_t name_length, module_length;
	const char *line; /* all of it, without its end */
	size_t line_length;
};

bool op_kallsyms_next(const char **text, struct op_kernel_symbol *symbol);

/* The next one that is code. */
bool op_kallsyms_next_text(const char **text, struct op_kernel_symbol *symbol);

/* The next one that is not of the kernel itself. */
bool op_kallsyms_next_of_module(const char **text, struct op_kernel_symbol *symbol);

/* Whether a symbol is code. */
bool op_kallsyms_is_text(const struct op_kernel_symbol *symbol);

/* The address of a symbol of the kernel itself.  Return: whether it is there, and not 0. */
bool op_kallsyms_address(const char *text, const char *name, uint64_t *address);

/* struct op_kernel_module - a module, or the kernel itself (OP_KERNEL_IMAGE) */
struct op_kernel_module {
	char name[128]; /* without '/' */
	uint64_t address, size;
	char build_id[65]; /* hexadecimal, or "-" */
};

/* A line of a session's list: "name address size [build-id]". */
bool op_modules_next(const char **text, struct op_kernel_module *module);

/* A line of /proc/modules: "name size users used-by state address"; @build_id is set to "-". */
bool op_proc_modules_next(const char **text, struct op_kernel_module *module);

#endif
