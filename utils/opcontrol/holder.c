// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A walk over /proc/PID/fd.  The links are read and not followed: stat(2) on a file of a dead
 * network server would hang.
 */
#include "holder.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/number.h"

static bool points_below(const char *link, const char *path)
{
	size_t length = strlen(path);
	char target[PATH_MAX];
	ssize_t size = readlink(link, target, sizeof(target) - 1);

	if (size < 0)
		return false;
	target[size] = '\0';
	return !strncmp(target, path, length) && (!target[length] || target[length] == '/');
}

static bool uses(const char *pid, const char *path)
{
	char name[64 + NAME_MAX];
	struct dirent *entry;
	bool found;
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%s/cwd", pid);
	if (points_below(name, path))
		return true;
	snprintf(name, sizeof(name), "/proc/%s/fd", pid);
	dir = opendir(name);
	if (!dir)
		return false;
	found = false;
	while (!found && (entry = readdir(dir))) {
		snprintf(name, sizeof(name), "/proc/%s/fd/%s", pid, entry->d_name);
		found = points_below(name, path);
	}
	closedir(dir);
	return found;
}

static void program_name(pid_t pid, char name[HOLDER_NAME_SIZE])
{
	char path[64], *text;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	text = op_file_read(path, 64, NULL, NULL);
	snprintf(name, HOLDER_NAME_SIZE, "%.*s", text ? (int)strcspn(text, "\n") : 1,
		 text ? text : "?");
	free(text);
}

pid_t holder_find(const char *path, char name[HOLDER_NAME_SIZE])
{
	struct dirent *entry;
	uint64_t number;
	pid_t pid = 0;
	DIR *proc;

	proc = opendir("/proc");
	if (!proc)
		return 0;
	while (!pid && (entry = readdir(proc))) {
		if (op_number_all(entry->d_name, 10, INT32_MAX, &number) &&
		    (pid_t)number != getpid() && uses(entry->d_name, path))
			pid = (pid_t)number;
	}
	closedir(proc);
	if (pid)
		program_name(pid, name);
	return pid;
}
