// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs the daemon in the background: see background.h.
 */
#include "background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/error.h"

/* The first process: waits for the last one's byte, or for the end of the pipe without one. */
static void wait_until_ready(int fd, pid_t child)
{
	int status = 0;
	char byte;
	ssize_t n;

	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 1)
		_exit(OP_EXIT_OK);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : OP_EXIT_FAILURE);
}

int background_start(void)
{
	int ready[2];
	pid_t child;

	if (pipe2(ready, O_CLOEXEC))
		return -1;
	fflush(NULL);
	child = fork();
	if (child < 0) {
		close(ready[0]);
		close(ready[1]);
		return -1;
	}
	close(ready[child ? 1 : 0]);
	if (child)
		wait_until_ready(ready[0], child);
	/* the daemon opens no terminal that could become its controlling one */
	setsid();
	return ready[1];
}

void background_ready(int fd)
{
	static const char byte = 1;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
	while (write(fd, &byte, 1) < 0 && errno == EINTR)
		;
	close(fd);
}
