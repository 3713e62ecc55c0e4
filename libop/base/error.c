// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors and messages: see error.h.
 */
#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pinned_path.h"
#include "safe_text.h"

static const char *program = "oprofile";
static void (*prepare)(void);

/* Puts names in the place of pinned paths. */
static void show_names(char *text, size_t size)
{
	char *names = op_pinned_names(text);

	if (names)
		snprintf(text, size, "%s", names);
	free(names);
}

int op_error_set(struct op_error *error, int code, const char *format, ...)
{
	va_list args;

	if (!error)
		return -1;
	error->code = code;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	show_names(error->text, sizeof(error->text));
	return -1;
}

/* "FORMAT: REASON"; a long text is cut before the reason. */
static int set_reason(struct op_error *error, int code, const char *format, va_list args)
{
	const char *reason = strerror(code);
	size_t size = sizeof(error->text) - strlen(": ") - strlen(reason);
	size_t used;

	if (!error)
		return -1;
	error->code = code;
	if (vsnprintf(error->text, size, format, args) < 0)
		*error->text = '\0';
	show_names(error->text, size);
	used = strlen(error->text);
	snprintf(error->text + used, sizeof(error->text) - used, ": %s", reason);
	return -1;
}

int op_error_code(struct op_error *error, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_reason(error, code, format, args);
	va_end(args);
	return -1;
}

int op_error_errno(struct op_error *error, const char *format, ...)
{
	int code = errno;
	va_list args;

	va_start(args, format);
	set_reason(error, code, format, args);
	va_end(args);
	return -1;
}

int op_error_memory(struct op_error *error)
{
	return op_error_set(error, ENOMEM, OP_OUT_OF_MEMORY);
}

/* open() takes the lowest number that is free: those below @fd are open by then. */
static void open_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			op_die_errno(OP_EXIT_FAILURE, "/dev/null");
}

void op_program_begin(const char *argv0)
{
	const char *slash;

	open_standard_descriptors();
	if (!argv0 || !*argv0)
		return;
	slash = strrchr(argv0, '/');
	program = slash && slash[1] ? slash + 1 : argv0;
}

const char *op_program(void)
{
	return program;
}

void op_message_prepare(void (*function)(void))
{
	prepare = function;
}

static void error_put(FILE *out, const char *kind, int code, const char *format, va_list args)
{
	op_safe_printf(out, "%s %s: ", program, kind);
	op_safe_vprintf(out, format, args);
	if (code)
		fprintf(out, ": %s", strerror(code));
	fputc('\n', out);
}

/*
 * One line on stderr, after what stdout still holds; @code: 0, or an errno value.  stderr has no
 * buffer: the line is made in memory, so that it is one write(2) and lines of several processes do
 * not mix.  Without memory, it is written in pieces.
 */
static void say(const char *kind, int code, const char *format, va_list args)
{
	int saved = errno;
	char *line = NULL;
	size_t length = 0;
	FILE *memory;

	fflush(stdout);
	if (prepare)
		prepare();
	memory = open_memstream(&line, &length);
	error_put(memory ? memory : stderr, kind, code, format, args);
	if (memory && !fclose(memory))
		fwrite(line, 1, length, stderr);
	free(line);
	errno = saved;
}

void op_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("warning", 0, format, args);
	va_end(args);
}

void op_warn_errno(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("warning", errno, format, args);
	va_end(args);
}

void op_complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("error", 0, format, args);
	va_end(args);
}

void op_die(enum op_exit status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("error", 0, format, args);
	va_end(args);
	exit(status);
}

void op_die_errno(enum op_exit status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("error", errno, format, args);
	va_end(args);
	exit(status);
}
