// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors and messages: see error.h.
 */
#include "error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

static const char *program = "oprofile";

int op_error_set(struct op_error *error, int code, const char *format, ...)
{
	va_list args;

	if (!error)
		return -1;
	error->code = code;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return -1;
}

void op_program_set(const char *argv0)
{
	const char *slash;

	if (!argv0 || !*argv0)
		return;
	slash = strrchr(argv0, '/');
	program = slash && slash[1] ? slash + 1 : argv0;
}

const char *op_program(void)
{
	return program;
}

/* One line on stderr in one piece, after what stdout still holds. */
static void say(const char *kind, const char *format, va_list args)
{
	int saved = errno;

	fflush(stdout);
	op_progress_clear();
	flockfile(stderr);
	fprintf(stderr, "%s %s: ", program, kind);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	funlockfile(stderr);
	errno = saved;
}

void op_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("warning", format, args);
	va_end(args);
}

void op_complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("error", format, args);
	va_end(args);
}

void op_die(enum op_exit status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("error", format, args);
	va_end(args);
	exit(status);
}
