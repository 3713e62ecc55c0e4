/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel symbols that the daemon saved with the samples (OP_SAMPLES_KALLSYMS and
 * OP_SAMPLES_MODULES).
 */
#ifndef PP_SYMBOLS_KALLSYMS_H
#define PP_SYMBOLS_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/warnings.h"

struct pp_kernel_symbol {
	uint64_t address;
	const char *name;
	const char *module; /* NULL: of the kernel itself */
};

struct pp_kernel_module {
	char *name;
	uint64_t address, size;
	char *build_id; /* hexadecimal, or NULL */
};

struct pp_kallsyms {
	struct pp_kernel_symbol *symbols; /* by address; text only */
	size_t n_symbols;
	struct pp_kernel_module *modules; /* in file order */
	size_t n_modules;
	const char *build_id; /* of the kernel itself, or NULL */
	uint64_t start;	      /* _stext, or _text; 0 if neither is there */
	uint64_t end;	      /* _etext, or 0 */
	char *symbols_text;   /* backing store of the names of symbols */
};

/* The module of this name, or NULL. */
const struct pp_kernel_module *pp_kallsyms_module(const struct pp_kallsyms *kallsyms,
						  const char *name);

/* Adds the modules of a list as of OP_SAMPLES_MODULES, which may be NULL; the kernel itself is one
 * of them, and sets the build-id. */
void pp_kallsyms_take_modules(struct pp_kallsyms *kallsyms, const char *text);

/**
 * pp_kallsyms_read - read the kernel symbols of a session
 * @kallsyms: filled in; pp_kallsyms_free() frees what it holds, whatever is returned
 * @samples_dir: SESSION/samples/NAME
 *
 * Invalid lines are skipped.  A missing list of modules is no error.
 *
 * Return: 0, or -1 with @error set: no symbols could be read; ENOENT if none were saved.
 */
int pp_kallsyms_read(struct pp_kallsyms *kallsyms, const char *samples_dir, struct op_error *error);
void pp_kallsyms_free(struct pp_kallsyms *kallsyms);

/* Warns why pp_kallsyms_read() failed, unless nothing was saved. */
void pp_kallsyms_warn(struct op_warnings *warnings, const struct op_error *error);

#endif
