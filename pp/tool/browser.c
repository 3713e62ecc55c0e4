// SPDX-License-Identifier: GPL-2.0-or-later
/* The desktop's browser: see browser.h. */
#include "browser.h"

#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"

#define OPENER "xdg-open"

/* Some desktops start the browser as a child of xdg-open, which then ends with it. */
#define START_MS 2000

/* Of xdg-open(1). */
#define NO_BROWSER 3

static int tool_browser_start(const char *path, pid_t *pid, struct op_error *error)
{
	const char *const argv[] = {OPENER, path, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int code = posix_spawnattr_init(&attributes);

	if (code)
		return op_error_code(error, code, "cannot run " OPENER);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
	code = posix_spawn_file_actions_init(&actions);
	if (!code)
		code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
	/* what programs of the desktop say is not a report */
	if (!code)
		code = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	if (!code)
		code = posix_spawnp(pid, OPENER, &actions, &attributes, (char *const *)argv,
				    environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (code == ENOENT)
		return op_error_set(error, ENOENT,
				    "--open: there is no " OPENER
				    " (Debian package xdg-utils); the "
				    "page is in %s",
				    path);
	return code ? op_error_code(error, code, "cannot run " OPENER) : 0;
}

/*
 * Whether this process has root's rights on behalf of a user, whose desktop it is: a browser would
 * have them as well, for all pages that it shows.
 */
static bool is_lent_root(void)
{
	static const char *const users[] = {"SUDO_UID", "PKEXEC_UID", "DOAS_USER"};

	for (size_t i = 0; !geteuid() && i < OP_ARRAY_SIZE(users); i++) {
		const char *user = getenv(users[i]);

		if (user && strcmp(user, "0") != 0 && strcmp(user, "root") != 0)
			return true;
	}
	return false;
}

int pp_browser_open(const char *path, struct op_error *error)
{
	char *absolute = realpath(path, NULL);
	int status = 0, fd;
	pid_t pid;

	if (!absolute)
		return op_error_errno(error, "%s", path);
	if (is_lent_root()) {
		op_error_set(error, EPERM,
			     "--open: no browser is started with root's rights; the page is in %s",
			     absolute);
		free(absolute);
		return -1;
	}
	if (tool_browser_start(absolute, &pid, error)) {
		free(absolute);
		return -1;
	}
	free(absolute);
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd >= 0) {
		struct pollfd ended = {.fd = fd, .events = POLLIN};

		poll(&ended, 1, START_MS);
		close(fd);
	}
	if (waitpid(pid, &status, WNOHANG) <= 0 || (WIFEXITED(status) && !WEXITSTATUS(status)))
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_BROWSER)
		return op_error_set(error, ENOENT,
				    "--open: this desktop has no browser; the page is in %s", path);
	if (WIFEXITED(status))
		return op_error_set(error, EIO,
				    "--open: " OPENER " failed (exit status %d); the page is in %s",
				    WEXITSTATUS(status), path);
	return op_error_set(error, EIO,
			    "--open: " OPENER " was ended by signal %d; the page is in %s",
			    WTERMSIG(status), path);
}
