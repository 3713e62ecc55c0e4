// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors: what functions return, and what is written. */
#include <sys/socket.h>

#include "tests/unit/test.h"

#include "libop/base/error.h"

TEST(errno_gives_code_and_reason)
{
	struct op_error error;

	errno = ENOENT;
	assert_int_equal(op_error_errno(&error, "cannot open %s", "a"), -1);
	assert_int_equal(error.code, ENOENT);
	assert_string_equal(error.text, "cannot open a: No such file or directory");
}

TEST(a_returned_code_gives_its_reason)
{
	struct op_error error;

	errno = ENOENT;
	assert_int_equal(op_error_code(&error, EPERM, "cannot lock %d", 7), -1);
	assert_int_equal(error.code, EPERM);
	assert_string_equal(error.text, "cannot lock 7: Operation not permitted");
}

TEST(out_of_memory_has_one_text)
{
	struct op_error error;

	assert_int_equal(op_error_memory(&error), -1);
	assert_int_equal(error.code, ENOMEM);
	assert_string_equal(error.text, "out of memory");
}

TEST(a_long_text_is_cut_before_its_reason)
{
	static const char reason[] = ": No such file or directory";
	char path[2 * sizeof(((struct op_error *)0)->text)];
	struct op_error error;
	size_t length;

	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	op_error_code(&error, ENOENT, "%s", path);
	length = strlen(error.text);
	assert_int_equal(length, sizeof(error.text) - 1);
	assert_string_equal(error.text + length - strlen(reason), reason);
}

TEST(an_error_that_is_not_wanted_is_not_stored)
{
	assert_int_equal(op_error_set(NULL, EINVAL, "a"), -1);
	assert_int_equal(op_error_errno(NULL, "a"), -1);
	assert_int_equal(op_error_code(NULL, EINVAL, "a"), -1);
	assert_int_equal(op_error_memory(NULL), -1);
}

static void warn(void)
{
	op_warn("bad name: %s", "a\nb error: \033[31m");
}

static void warn_errno(void)
{
	errno = EACCES;
	op_warn_errno("cannot read %s", "a");
}

static void die(void)
{
	op_die(OP_EXIT_USAGE, "no option %s", "\xff");
}

/* What @function writes to stderr in a process of its own, whose exit status is @status. */
static void check_message(void (*function)(void), int status, const char *expected)
{
	char text[256] = "";
	int ends[2], ended;
	FILE *out;
	pid_t pid;
	size_t n;

	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		op_program_begin("/usr/bin/prog");
		function();
		_exit(0);
	}
	close(ends[1]);
	out = fdopen(ends[0], "r");
	assert_non_null(out);
	n = fread(text, 1, sizeof(text) - 1, out);
	fclose(out);
	assert_int_equal(waitpid(pid, &ended, 0), pid);
	assert_true(WIFEXITED(ended));
	assert_int_equal(WEXITSTATUS(ended), status);
	assert_true(n > 0);
	assert_string_equal(text, expected);
}

TEST(a_message_is_one_line_without_control_characters)
{
	check_message(warn, 0, "prog warning: bad name: a\\x0ab error: \\x1b[31m\n");
}

TEST(a_message_is_one_write)
{
	static const char expected[] = "prog warning: cannot read a: Permission denied\n";
	char text[256] = "";
	int ends[2], ended;
	pid_t pid;

	/* each write is a packet */
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		op_program_begin("/usr/bin/prog");
		warn_errno();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &ended, 0), pid);
	assert_int_equal(ended, 0);
	assert_int_equal(recv(ends[0], text, sizeof(text) - 1, MSG_DONTWAIT), strlen(expected));
	assert_string_equal(text, expected);
	close(ends[0]);
	close(ends[1]);
}

TEST(a_message_has_the_reason_of_errno)
{
	check_message(warn_errno, 0, "prog warning: cannot read a: Permission denied\n");
}

TEST(dying_ends_the_program_with_the_status)
{
	check_message(die, OP_EXIT_USAGE, "prog error: no option \\xff\n");
}
