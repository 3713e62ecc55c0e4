/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols and modules of the kernel as text: what /proc/kallsyms says, what reports are to
 * read, and joining what is loaded now with what was loaded before.
 */
#ifndef DAEMON_KALLSYMS_H
#define DAEMON_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/strings.h"

/* struct kernel_symbol - a line of kallsyms; the strings are not terminated */
struct kernel_symbol {
	uint64_t address;
	char type;
	const char *name, *module; /* module without brackets; length 0 for the kernel itself */
	size_t name_length, module_length;
	const char *line; /* all of it, without its end */
	size_t line_length;
};

/**
 * kallsyms_next - read a line and go on to the next
 * @text: where to read; moved behind the line.  Lines that make no sense are passed over
 *
 * Return: false at the end.
 */
bool kallsyms_next(const char **text, struct kernel_symbol *symbol);

/* Whether a symbol is code. */
bool kallsyms_is_text(const struct kernel_symbol *symbol);

/* The address of a symbol of the kernel itself.  Return: whether it is there, and not 0. */
bool kallsyms_address(const char *text, const char *name, uint64_t *address);

/* struct kernel_module - a line of OP_SAMPLES_MODULES (libop/session.h) */
struct kernel_module {
	char name[128];
	uint64_t address, size;
	char build_id[65]; /* hexadecimal, or "-" */
};

/* As kallsyms_next(). */
bool modules_next(const char **text, struct kernel_module *module);

/**
 * kallsyms_text_only - the lines of @raw that are code
 *
 * Return: a string that the caller frees, or NULL when out of memory.
 */
char *kallsyms_text_only(const char *raw);

/**
 * modules_join - @now, and those lines of @before whose names are not in @now
 * @before: may be NULL
 *
 * Return: a string that the caller frees, or NULL when out of memory.
 */
char *modules_join(const char *now, const char *before);

/**
 * kallsyms_join - @now, and those lines of @before whose modules have no line in @now
 * @before: may be NULL
 *
 * Return: a string that the caller frees, or NULL when out of memory.
 */
char *kallsyms_join(const char *now, const char *before);

#endif
