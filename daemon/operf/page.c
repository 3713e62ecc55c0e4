// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages by opreport: see page.h. */
#include "page.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/file.h"

/* Signals that operf blocks, for it handles them itself, are not blocked in the child. */
static int page_start(char *const *argv, pid_t *pid)
{
	posix_spawnattr_t attributes;
	sigset_t none;
	int code = posix_spawnattr_init(&attributes);

	if (code)
		return code;
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	code = posix_spawnp(pid, argv[0], NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	return code;
}

static int page_run(char *const *argv, const char *page, struct op_error *error)
{
	int status, code;
	pid_t pid;

	code = page_start(argv, &pid);
	if (code)
		return op_error_code(error, code, "%s is not written: cannot run %s", page,
				     argv[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return op_error_errno(error, "cannot wait for %s", argv[0]);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFSIGNALED(status))
		return op_error_set(error, EIO, "%s was ended by signal %d", argv[0],
				    WTERMSIG(status));
	return op_error_set(error, EIO, "%s failed: see its message above", argv[0]);
}

int page_make(const struct request *request, struct op_error *error)
{
	char *program = op_program_beside("opreport"), *dir = op_path("--session-dir=%s", request->session_dir);
	char *html = op_path("--html=%s", request->html);
	int result;

	if (program && dir && html) {
		char *argv[] = {program, dir, html, request->open ? (char *)"--open" : NULL, NULL};

		result = page_run(argv, request->html, error);
	} else {
		result = op_error_memory(error);
	}
	free(program);
	free(dir);
	free(html);
	return result;
}
