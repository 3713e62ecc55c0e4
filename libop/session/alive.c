// SPDX-License-Identifier: GPL-2.0-or-later
/* How long a daemon has profiled: see alive.h. */
#include "alive.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"
#include "paths.h"

/* "PROFILING_MS CPU_MS\n", of one length, so that a note replaces the one before. */
#define LINE	    "%020" PRIu64 " %020" PRIu64 "\n"
#define LINE_LENGTH 42

static char *path_in(const char *samples_dir)
{
	return op_path("%s/" OP_SAMPLES_ALIVE, samples_dir);
}

int op_alive_open(const char *samples_dir)
{
	char *path = path_in(samples_dir);
	int fd =
		path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, OP_SESSION_FILE_MODE)
		     : -1;

	free(path);
	return fd;
}

void op_alive_write(int fd, const struct op_alive_times *times)
{
	char line[LINE_LENGTH + 1];
	ssize_t ignored;

	if (fd < 0)
		return;
	snprintf(line, sizeof(line), LINE, times->profiling_ms, times->cpu_ms);
	ignored = pwrite(fd, line, LINE_LENGTH, 0);
	(void)ignored;
}

bool op_alive_read(const char *samples_dir, struct op_alive_times *times)
{
	char *path = path_in(samples_dir);
	char *text = path ? foreign_read(path, LINE_LENGTH, NULL, NULL) : NULL;
	const char *at = text;
	bool is_read = text && op_number_take(&at, 10, UINT64_MAX, &times->profiling_ms) &&
		       *at++ == ' ' && op_number_take(&at, 10, UINT64_MAX, &times->cpu_ms) &&
		       *at == '\n';

	free(text);
	free(path);
	return is_read;
}

void op_alive_close(int fd)
{
	int ignored = ftruncate(fd, 0);

	(void)ignored;
	close(fd);
}

void op_alive_end(int fd, const char *samples_dir)
{
	char *path = fd >= 0 ? path_in(samples_dir) : NULL;

	if (path)
		unlink(path);
	free(path);
	if (fd >= 0)
		close(fd);
}
