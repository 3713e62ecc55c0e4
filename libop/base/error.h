/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors and messages, one way for all programs.
 *
 * A library function that can fail fills in a struct op_error and returns -1; only
 * main() decides what an error means for the program.  Messages go to stderr as
 * "PROGRAM error: ..." and "PROGRAM warning: ...".
 */
#ifndef LIBOP_ERROR_H
#define LIBOP_ERROR_H

#include <stdarg.h>

/* Exit codes of all programs. */
enum op_exit {
	OP_EXIT_OK = 0,
	OP_EXIT_FAILURE = 1, /* what was asked for could not be done */
	OP_EXIT_USAGE = 2,   /* the command line makes no sense; nothing was done */
};

struct op_error {
	int code; /* an errno value */
	char text[1024];
};

/* Fills in @error (which may be NULL) and returns -1. */
int op_error_set(struct op_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Remembers the name of the program, the last component of @argv0. */
void op_program_set(const char *argv0);
const char *op_program(void);

void op_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void op_complain(const char *format, ...)
	__attribute__((format(printf, 1, 2))); /* an error, and go on */
void op_die(enum op_exit status, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn)); /* for main() only */

#endif
