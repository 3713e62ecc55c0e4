// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions that last as long as the process: see temporary.h. */
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/pinned_path.h"
#include "libop/base/remove_tree.h"
#include "libop/foreign/output.h"

#define UNIQUE 6 /* characters that mkdtemp() chooses */

struct temporary {
	struct temporary *next;
	char *path, *shown;
	pid_t keeper; /* the child that makes and removes it; it ends when it reads the end of: */
	int socket;   /* our end of a pair */
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

/* What it says of the directory: errno, or 0 and the end of its name. */
struct answer {
	int error;
	char end[UNIQUE];
};

/*
 * The child makes the directory, too: there is none that nobody would remove, whenever this process
 * is killed.  It keeps nothing open that others wait for the end of: a pager waits for our output.
 */
static void keep_directory(char *path, int socket)
{
	struct answer answer = {.error = mkdtemp(path) ? 0 : errno};
	char byte;

	memcpy(answer.end, path + strlen(path) - UNIQUE, UNIQUE);
	dup2(socket, STDIN_FILENO);
	close_range(STDIN_FILENO + 1, ~0U, 0);
	if (send(STDIN_FILENO, &answer, sizeof(answer), MSG_NOSIGNAL) == sizeof(answer))
		while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
			;
	if (!answer.error)
		remove_directory(path);
}

/* ---- this process ---- */

static void temporary_free(struct temporary *temporary)
{
	free(temporary->path);
	free(temporary->shown);
	free(temporary);
}

/* 0, or -1 with errno set. */
static int start_keeper(struct temporary *temporary)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	fflush(NULL);
	temporary->keeper = fork();
	if (!temporary->keeper) {
		setsid(); /* signals to our group are not for it */
		ignore_signals();
		keep_directory(temporary->path, ends[0]);
		temporary_free(temporary);
		_exit(0);
	}
	close(ends[0]);
	temporary->socket = ends[1];
	if (temporary->keeper > 0)
		return 0;
	close(ends[1]);
	return -1;
}

/* Other children may have our end of the socket, too.  Return: the keeper's status of waitpid(). */
static int end_keeper(const struct temporary *temporary)
{
	int status = 0;

	shutdown(temporary->socket, SHUT_RDWR);
	close(temporary->socket);
	while (waitpid(temporary->keeper, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* 0, or -1 with errno set. */
static int wait_for_directory(struct temporary *temporary)
{
	struct answer answer;
	ssize_t got;

	do
		got = recv(temporary->socket, &answer, sizeof(answer), MSG_WAITALL);
	while (got < 0 && errno == EINTR);
	if (got == sizeof(answer) && !answer.error) {
		memcpy(temporary->path + strlen(temporary->path) - UNIQUE, answer.end, UNIQUE);
		return 0;
	}
	end_keeper(temporary);
	errno = got == sizeof(answer) ? answer.error : ECHILD; /* it was killed */
	return -1;
}

const char *op_temporary_session_make(const char *shown, struct op_error *error)
{
	const char *top = foreign_temporary_top();
	struct temporary *temporary = op_alloc(1, sizeof(*temporary));

	temporary->path = op_format("%s/oprofile-XXXXXX", top);
	temporary->shown = op_copy(shown);
	if (start_keeper(temporary) || wait_for_directory(temporary)) {
		op_error_errno(error, "%s: cannot create a temporary session in %s", shown, top);
		temporary_free(temporary);
		return NULL;
	}
	op_path_show_as(temporary->path, shown);
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
		if (end_keeper(temporary)) /* somebody has killed it */
			remove_directory(temporary->path);
		op_path_show_as(temporary->path, NULL);
		temporary_free(temporary);
	}
}
