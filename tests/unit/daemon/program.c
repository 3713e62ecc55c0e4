// SPDX-License-Identifier: GPL-2.0-or-later
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define ARGUMENTS_MOST 32

const char *program_path;

void program_start(struct program *program, const char *const *arguments)
{
	const char *list[ARGUMENTS_MOST] = {program_path};
	posix_spawn_file_actions_t actions;
	int pipe_ends[2], result;

	for (int i = 0; arguments[i]; i++)
		list[i + 1] = arguments[i];
	*program = (struct program){0};
	assert_return_code(pipe2(pipe_ends, O_CLOEXEC), errno);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
	result = posix_spawn(&program->pid, program_path, &actions, NULL, (char **)list, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_ends[1]);
	program->output = pipe_ends[0];
	if (result)
		fail_msg("%s: %s", program_path, strerror(result));
}

/* Return: false at the end of the output. */
static bool read_more(struct program *program)
{
	size_t room = sizeof(program->text) - 1 - program->length;
	char rest[4096];
	ssize_t n = room ? read(program->output, program->text + program->length, room)
			 : read(program->output, rest, sizeof(rest));

	if (n <= 0)
		return false;
	if (room)
		program->length += (size_t)n;
	program->text[program->length] = '\0';
	return true;
}

bool program_wait_for(struct program *program, const char *text)
{
	while (!strstr(program->text, text)) {
		if (!read_more(program))
			return false;
	}
	return true;
}

int program_end(struct program *program)
{
	int status;

	while (read_more(program))
		;
	close(program->output);
	assert_int_equal(waitpid(program->pid, &status, 0), program->pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int program_run(struct program *program, const char *const *arguments)
{
	program_start(program, arguments);
	return program_end(program);
}
