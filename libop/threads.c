// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The threads of processes: see threads.h.
 */
#include "threads.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(pid_t thread, pid_t **threads, size_t *count)
{
	pid_t *larger = reallocarray(*threads, *count + 1, sizeof(**threads));

	if (!larger)
		return -1;
	*threads = larger;
	larger[(*count)++] = thread;
	return 0;
}

int op_threads_add(pid_t process, pid_t **threads, size_t *count, struct op_error *error)
{
	struct dirent *entry;
	int result = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
	dir = opendir(path);
	if (!dir && errno == ENOENT)
		return op_error_set(error, ESRCH, "there is no process %d", (int)process);
	if (!dir)
		return op_error_set(error, errno, "cannot read %s: %s", path, strerror(errno));
	while (!result && (entry = readdir(dir))) {
		if (isdigit((unsigned char)*entry->d_name))
			result = add((pid_t)strtol(entry->d_name, NULL, 10), threads, count);
	}
	closedir(dir);
	return result ? op_error_set(error, ENOMEM, "out of memory") : 0;
}
