/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors and messages, one way for all programs.
 *
 * A library function that can fail fills in a struct op_error and returns -1; only
 * main() decides what an error means for the program.  Messages go to stderr as
 * "PROGRAM error: ..." and "PROGRAM warning: ...", one line each: control characters and what is
 * not UTF-8 are escaped (safe_text.h).
 */
#ifndef LIBOP_BASE_ERROR_H
#define LIBOP_BASE_ERROR_H

#include <stdarg.h>

/* Exit codes of all programs. */
enum op_exit {
	OP_EXIT_OK = 0,
	OP_EXIT_FAILURE = 1, /* the command failed */
	OP_EXIT_USAGE = 2,   /* the command line is wrong; nothing was done */
	OP_EXIT_FINDING = 3, /* all was done, and what was asked about is not so */
};

struct op_error {
	int code; /* an errno value */
	char text[1024];
};

/* Fills in @error (which may be NULL) and returns -1. */
int op_error_set(struct op_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The text of op_error_memory(). */
#define OP_OUT_OF_MEMORY "out of memory"

/**
 * op_error_errno - as op_error_set(), for a system call that failed
 * @error: filled in with errno and "FORMAT: strerror(errno)"; may be NULL
 *
 * A text that is too long is cut before the reason.
 *
 * Return: -1.
 */
int op_error_errno(struct op_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* As op_error_errno(), for @code, an errno value that a function returned. */
int op_error_code(struct op_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Fills in @error (which may be NULL) with ENOMEM and returns -1. */
int op_error_memory(struct op_error *error);

/**
 * op_program_begin - to be called first in main()
 * @argv0: its last component is the name of the program; lives as long as the program
 *
 * Standard input, output and error that the caller has closed are opened, so that no file of ours
 * gets their numbers and what is meant for them; to read or to write them still fails.
 */
void op_program_begin(const char *argv0);
const char *op_program(void);

void op_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void op_complain(const char *format, ...)
	__attribute__((format(printf, 1, 2))); /* an error, and go on */
void op_die(enum op_exit status, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn)); /* for main() only */

/* The same, with ": strerror(errno)" after it. */
void op_warn_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));
void op_die_errno(enum op_exit status, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/*
 * From now on @prepare is called before a message is written, to clear the line that the cursor
 * is on.  NULL: nothing is called.
 */
void op_message_prepare(void (*prepare)(void));

#endif
