// SPDX-License-Identifier: GPL-2.0-or-later
/* Files, pagers and colours. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/progress.h"
#include "libop/base/memory.h"
#include "libop/foreign/output.h"

const char *const pp_color_words[] = {"auto", "always", "never", NULL};

static bool wants_color(enum pp_color color, bool is_terminal)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color != PP_COLOR_AUTO)
		return color == PP_COLOR_ALWAYS;
	return is_terminal && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

/* ---- the terminal ---- */

bool pp_output_is_for_terminal(const char *path)
{
	return !path && isatty(STDOUT_FILENO);
}

/* Terminals that do not know their size have 80 columns; so have those with fewer than 20. */
static size_t count_columns(void)
{
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 20)
		return 80;
	return size.ws_col;
}

/* ---- the pager ---- */

static bool is_in_path(const char *name)
{
	const char *path = getenv("PATH");
	char *copy = op_copy(path ? path : "/usr/bin:/bin"), *rest = copy, *dir;
	bool found = false;

	while (!found && (dir = strsep(&rest, ":")) != NULL) {
		char *file = op_format("%s/%s", *dir ? dir : ".", name);

		found = !access(file, X_OK);
		free(file);
	}
	free(copy);
	return found;
}

/* A shell command, or NULL. */
static const char *choose_pager(void)
{
	const char *pager = getenv("PAGER");

	if (!pager)
		return is_in_path("less") ? "less" : NULL;
	return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
}

static int start_pager(struct pp_output *output, const char *command, struct op_error *error)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], code;

	if (pipe2(ends, O_CLOEXEC))
		return op_error_errno(error, "cannot make a pipe to the pager");
	output->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	setenv("LESS", "FRX", 0);
	code = posix_spawn_file_actions_init(&actions);
	if (!code)
		code = posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	if (!code)
		code = posix_spawn(&output->pager, "/bin/sh", &actions, NULL, (char *const *)argv,
				   environ);
	posix_spawn_file_actions_destroy(&actions);
	if (!code && output->terminal >= 0) {
		fflush(stdout);
		signal(SIGPIPE, SIG_IGN);
		dup2(ends[1], STDOUT_FILENO);
	}
	close(ends[0]);
	close(ends[1]);
	if (!code)
		return 0;
	output->pager = 0;
	close(output->terminal);
	return op_error_code(error, code, "cannot run the pager '%s'", command);
}

/* Nothing was read if the shell could not run it. */
static int wait_for_pager(struct pp_output *output, struct op_error *error)
{
	int status;

	dup2(output->terminal, STDOUT_FILENO);
	close(output->terminal);
	while (waitpid(output->pager, &status, 0) < 0)
		if (errno != EINTR)
			return op_error_errno(error, "lost the pager");
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127))
		return op_error_set(error, ENOENT,
				    "the pager '%s' cannot be run; --no-pager or another PAGER "
				    "shows the report",
				    choose_pager());
	return 0;
}

/* ---- all of it ---- */

int pp_output_open(struct pp_output *output, const struct pp_output_options *options,
		   const char *path, struct op_error *error)
{
	bool is_terminal = pp_output_is_for_terminal(path);
	const char *pager = is_terminal && !options->no_pager ? choose_pager() : NULL;

	op_progress_end();
	*output = (struct pp_output){.path = path,
				     .color = wants_color(options->color, is_terminal),
				     .is_terminal = is_terminal,
				     .columns = is_terminal ? count_columns() : 0};
	output->file =
		path ? foreign_create_stream(path, FOREIGN_PARENTS_FIND, FOREIGN_REPLACE, error)
		     : stdout;
	if (!output->file)
		return -1;
	return pager ? start_pager(output, pager, error) : 0;
}

int pp_output_close(struct pp_output *output, struct op_error *error)
{
	const char *name = output->path ? output->path : "standard output";
	bool failed;
	int code;

	errno = 0;
	failed = fflush(output->file) || ferror(output->file);
	code = errno;
	if (output->path && fclose(output->file))
		failed = true;
	if (output->pager) {
		if (wait_for_pager(output, error))
			return -1;
		failed = failed && code != EPIPE;
	}
	return failed ? op_error_set(error, EIO, "cannot write the whole report to %s", name) : 0;
}
