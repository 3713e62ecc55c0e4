/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's symbols of a session, OP_SAMPLES_KALLSYMS: a line "shared NAME" and the lines that
 * only this session has, or all lines, packed.
 *
 * A hundred thousand symbols stay the same until the next boot; they are kept once for all sessions
 * (store.h).  Symbols of BPF programs and other generated code, which change from one minute to the
 * next, are the session's own.
 */
#ifndef LIBOP_SAVED_KERNEL_SYMBOLS_H
#define LIBOP_SAVED_KERNEL_SYMBOLS_H

#include "libop/base/error.h"

/**
 * saved_kallsyms_read - the lines of a session
 * @samples_dir: SESSION/samples/NAME
 *
 * Return: a text that the caller frees, or NULL with @error set: ENOENT if the session has none.
 */
char *saved_kallsyms_read(const char *samples_dir, struct op_error *error);

/**
 * saved_kallsyms_write - make @text the lines of a session
 *
 * Return: 0, or -1 with @error set.
 */
int saved_kallsyms_write(const char *samples_dir, const char *text, struct op_error *error);

/**
 * saved_kallsyms_reference - what names the lines of a session whose symbols are shared
 *
 * Return: a text that the caller frees; NULL if there is none.
 */
char *saved_kallsyms_reference(const char *samples_dir);

/**
 * saved_kallsyms_refer - give a session the lines that @reference names
 * @error: may be NULL
 *
 * Return: 0, or -1 with @error set: ENODATA if they are not there any more.
 */
int saved_kallsyms_refer(const char *samples_dir, const char *reference, struct op_error *error);

/* The path of the shared lines of a session; @name is set to their name below OP_SAMPLES_SYMBOLS.
 * The caller frees both; NULL if it has none, or they are not there. */
char *saved_kallsyms_shared(const char *samples_dir, char **name);

#endif
