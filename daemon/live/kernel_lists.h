/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's symbols and modules as text, as sessions keep them: OP_SAMPLES_KALLSYMS and
 * OP_SAMPLES_MODULES of libop/session/paths.h.
 */
#ifndef DAEMON_LIVE_KERNEL_LISTS_H
#define DAEMON_LIVE_KERNEL_LISTS_H

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
