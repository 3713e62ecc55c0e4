// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions that last as long as the process: see temporary.h. */
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/remove_tree.h"

struct temporary {
	struct temporary *next;
	char *path, *shown;
	pid_t remover; /* the child that removes it, when it reads the end of a pipe: */
	int pipe;      /* our end of it */
};

static struct temporary *all;

/* Whatever goes wrong, there is nobody to tell it to. */
static void remove_directory(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char *parent = op_format("%.*s", (int)(name - path), path);
	int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct op_error ignored;

	if (fd >= 0) {
		op_tree_remove(fd, name, &ignored);
		close(fd);
	}
	free(parent);
}

/* ---- the child ---- */

static void ignore_signals(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};

	for (size_t i = 0; i < OP_ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_IGN);
}

/* It keeps nothing open that others wait for the end of: a pager waits for our output. */
static void wait_for_end(int pipe)
{
	char byte;

	dup2(pipe, STDIN_FILENO);
	close_range(STDIN_FILENO + 1, ~0U, 0);
	while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
		;
}

static int start_remover(struct temporary *temporary)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	fflush(NULL);
	temporary->remover = fork();
	if (!temporary->remover) {
		setsid(); /* signals to our group are not for it */
		ignore_signals();
		wait_for_end(ends[0]);
		remove_directory(temporary->path);
		_exit(0);
	}
	close(ends[0]);
	temporary->pipe = ends[1];
	if (temporary->remover > 0)
		return 0;
	close(ends[1]);
	return -1;
}

/* ---- this process ---- */

static void temporary_free(struct temporary *temporary)
{
	free(temporary->path);
	free(temporary->shown);
	free(temporary);
}

/* Of root, none that another user could exchange, as $TMPDIR may be after "sudo -E". */
static const char *choose_top(void)
{
	const char *top = getenv("TMPDIR");
	struct stat status;

	if (!top || *top != '/')
		return "/tmp";
	return !geteuid() && (stat(top, &status) || status.st_uid) ? "/tmp" : top;
}

const char *op_temporary_session_make(const char *shown, struct op_error *error)
{
	const char *top = choose_top();
	struct temporary *temporary = op_alloc(1, sizeof(*temporary));

	temporary->path = op_format("%s/oprofile-XXXXXX", top);
	temporary->shown = op_copy(shown);
	if (!mkdtemp(temporary->path)) {
		op_error_errno(error, "%s: cannot create a temporary session in %s", shown, top);
		temporary_free(temporary);
		return NULL;
	}
	if (start_remover(temporary)) {
		op_error_errno(error, "%s: a temporary session", shown);
		remove_directory(temporary->path);
		temporary_free(temporary);
		return NULL;
	}
	temporary->next = all;
	all = temporary;
	return temporary->path;
}

const char *op_session_shown(const char *path)
{
	for (const struct temporary *temporary = all; temporary; temporary = temporary->next) {
		size_t n = strlen(temporary->path);

		if (!strncmp(path, temporary->path, n) && (!path[n] || path[n] == '/'))
			return temporary->shown;
	}
	return path;
}

void op_temporary_sessions_remove(void)
{
	struct temporary *temporary;

	while ((temporary = all)) {
		all = temporary->next;
		remove_directory(temporary->path);
		kill(temporary->remover, SIGKILL);
		while (waitpid(temporary->remover, NULL, 0) < 0 && errno == EINTR)
			;
		close(temporary->pipe);
		temporary_free(temporary);
	}
}
