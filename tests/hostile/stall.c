// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library to preload: a disk that stalls.
 *
 *	OP_STALL=FILE	syncfs() does not return while FILE exists; each call adds a byte to
 *			FILE.calls
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void note(const char *file)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s.calls", file);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1)
		abort();
	close(fd);
}

int syncfs(int fd)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "syncfs");
	const char *file = getenv("OP_STALL");

	if (file)
		note(file);
	while (file && !access(file, F_OK))
		usleep(1000);
	return next(fd);
}
