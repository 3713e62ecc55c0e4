// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports by opreport: see reports.h. */
#include "reports.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/safe_text.h"
#include "libop/session/paths.h"

/* Arguments of opreport, beside its name and the session. */
#define ARGUMENTS_MOST 3

/* Signals that operf blocks, for it handles them itself, are not blocked in the child.  Return: 0,
 * or an errno value. */
static int reports_start(char *const *argv, bool on_stderr, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	int code = posix_spawnattr_init(&attributes);

	if (code)
		return code;
	code = posix_spawn_file_actions_init(&files);
	if (!code && on_stderr)
		code = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (!code)
		code = posix_spawnp(pid, argv[0], &files, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return code;
}

static int reports_wait(pid_t pid, const char *program, struct op_error *error)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return op_error_errno(error, "cannot wait for %s", program);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFSIGNALED(status))
		return op_error_set(error, EIO, "%s was ended by signal %d", program,
				    WTERMSIG(status));
	return op_error_set(error, EIO, "%s failed: see its message above", program);
}

/* Runs opreport on the session.  @arguments: at most ARGUMENTS_MOST, then NULL. */
static int reports_run(const struct request *request, char *const *arguments, bool on_stderr,
		       struct op_error *error)
{
	char *program = op_program_beside("opreport");
	char *dir = op_path("--session-dir=%s", request->session_dir);
	char *argv[ARGUMENTS_MOST + 3] = {program, dir};
	int code, result = -1;
	pid_t pid;

	for (size_t i = 0; arguments[i]; i++)
		argv[i + 2] = arguments[i];
	if (program && dir) {
		code = reports_start(argv, on_stderr, &pid);
		result = code ? op_error_code(error, code, "cannot run %s", program)
			      : reports_wait(pid, program, error);
	} else {
		op_error_memory(error);
	}
	free(program);
	free(dir);
	return result;
}

int reports_page(const struct request *request, struct op_error *error)
{
	char *html = op_path("--html=%s", request->html);
	char *arguments[] = {html, request->open ? (char *)"--open" : NULL, NULL};
	struct op_error why;
	int result = html ? reports_run(request, arguments, false, &why) : op_error_memory(&why);

	if (result)
		op_error_set(error, why.code, "%s is not written: %s", request->html, why.text);
	free(html);
	return result;
}

int reports_hottest(const struct request *request, struct op_error *error)
{
	char *arguments[] = {(char *)"--hottest", (char *)"--no-pager", NULL};

	return reports_run(request, arguments, true, error);
}

void reports_name_others(const struct request *request)
{
	char *here = op_session_dir(NULL);
	bool is_here = here && !strcmp(here, request->session_dir);

	fputs("\nnext: opreport --symbols | --tree | --lines | --html=FILE, opannotate --source\n",
	      stderr);
	if (!is_here)
		op_safe_line(stderr, "      with --session-dir=%s", request->session_dir);
	free(here);
}
