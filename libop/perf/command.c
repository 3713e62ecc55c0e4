// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command to profile: see command.h.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/strings.h"

static void close_both(int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

/* Waits for the byte, executes the command, and writes errno to @failed if that fails. */
static void be_command(int go, int failed, char *const *argv)
{
	char byte;
	int code;

	if (read(go, &byte, 1) != 1)
		_exit(OP_EXIT_FAILURE);
	execvp(argv[0], argv);
	code = errno;
	/* an error of write(2) cannot be reported */
	_exit(write(failed, &code, sizeof(code)) == sizeof(code) ? COMMAND_NOT_FOUND
								 : OP_EXIT_FAILURE);
}

static int cannot(const char *name, int code, struct op_error *error)
{
	return op_error_code(error, code, "%s cannot be executed", name);
}

/* Return: 0, or an errno value.  A directory may be searched, which is no execution. */
static int refuse_path(const char *path)
{
	struct stat status;

	if (access(path, X_OK))
		return errno;
	return !stat(path, &status) && S_ISREG(status.st_mode) ? 0 : EACCES;
}

/* Looks for a program as a shell does.  Return: 0 with *@found set, which the caller frees; or an
 * errno. */
static int perf_command_find(const char *name, char **found)
{
	const char *path = getenv("PATH");
	struct op_strings list = {0};
	int code = ENOENT;

	*found = NULL;
	if (strchr(name, '/'))
		return (code = refuse_path(name))    ? code
		       : (*found = strdup(name)) ? 0
						 : ENOMEM;
	if (op_strings_split(&list, path ? path : "/bin:/usr/bin", ':'))
		code = ENOMEM;
	for (size_t i = 0; code && code != ENOMEM && i < list.count; i++) {
		char *file = op_path("%s/%s", *list.item[i] ? list.item[i] : ".", name);
		int refused = file ? refuse_path(file) : ENOMEM;

		if (!refused || refused == ENOMEM || (refused == EACCES && !access(file, F_OK)))
			code = refused;
		if (code)
			free(file);
		else
			*found = file;
	}
	op_strings_free(&list);
	return code;
}

int command_check(const char *name, struct op_error *error)
{
	char *path;
	int code = perf_command_find(name, &path);

	free(path);
	return code ? cannot(name, code, error) : 0;
}

char *command_path(const char *name)
{
	char *path;

	perf_command_find(name, &path);
	return path;
}

int command_failure(const struct op_error *error)
{
	return error->code == ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_EXECUTABLE;
}

int command_prepare(struct command *command, char *const *argv, struct op_error *error)
{
	int go[2], failed[2];

	*command = (struct command){.go = -1, .failed = -1};
	if (pipe2(go, O_CLOEXEC))
		return op_error_errno(error, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC)) {
		op_error_errno(error, "cannot make a pipe");
		close_both(go);
		return -1;
	}
	command->pid = fork();
	if (!command->pid) {
		close(go[1]);
		close(failed[0]);
		be_command(go[0], failed[1], argv);
	}
	close(go[0]);
	close(failed[1]);
	command->go = go[1];
	command->failed = failed[0];
	if (command->pid > 0)
		return 0;
	op_error_errno(error, "cannot fork");
	command->pid = 0;
	command_abandon(command);
	return -1;
}

int command_go(struct command *command, const char *name, struct op_error *error)
{
	int code;
	ssize_t n;

	if (write(command->go, "", 1) != 1)
		return op_error_errno(error, "%s cannot be started", name);
	do {
		n = read(command->failed, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	if (n == sizeof(code)) {
		command_abandon(command);
		return cannot(name, code, error);
	}
	return 0;
}

void command_abandon(struct command *command)
{
	if (command->go >= 0)
		close(command->go);
	if (command->failed >= 0)
		close(command->failed);
	command->go = command->failed = -1;
	if (command->pid)
		waitpid(command->pid, NULL, 0);
	command->pid = 0;
}

int command_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
