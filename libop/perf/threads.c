// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The threads of processes: see threads.h.
 */
#include "threads.h"
#include "libop/base/number.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int threads_add(pid_t thread, pid_t **threads, size_t *count)
{
	pid_t *larger = reallocarray(*threads, *count + 1, sizeof(**threads));

	if (!larger)
		return -1;
	*threads = larger;
	larger[(*count)++] = thread;
	return 0;
}

static int add_threads_of(pid_t process, pid_t **threads, size_t *count, struct op_error *error)
{
	size_t before = *count;
	struct dirent *entry;
	uint64_t tid;
	int result = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
	dir = opendir(path);
	if (!dir && errno == ENOENT)
		return op_error_set(error, ESRCH, "no process %d", (int)process);
	if (!dir)
		return op_error_errno(error, "cannot read %s", path);
	while (!result && (entry = readdir(dir))) {
		if (op_number_all(entry->d_name, 10, INT32_MAX, &tid))
			result = threads_add((pid_t)tid, threads, count);
	}
	closedir(dir);
	if (result)
		return op_error_memory(error);
	/* it ended while the directory was read */
	if (*count == before)
		return op_error_set(error, ESRCH, "no process %d", (int)process);
	return 0;
}

static int threads_compare(const void *a, const void *b)
{
	pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

	return (left > right) - (left < right);
}

int op_threads_list(const pid_t *processes, size_t n, pid_t **threads, size_t *count,
		    struct op_error *error)
{
	*threads = NULL;
	*count = 0;
	for (size_t i = 0; i < n; i++) {
		if (add_threads_of(processes[i], threads, count, error)) {
			free(*threads);
			*threads = NULL;
			*count = 0;
			return -1;
		}
	}
	if (*count)
		qsort(*threads, *count, sizeof(**threads), threads_compare);
	return 0;
}

int op_threads_new(const pid_t *processes, size_t n, const pid_t *threads, size_t count,
		   struct op_error *error)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++) {
		pid_t *now = NULL;
		size_t there = 0;

		if (add_threads_of(processes[i], &now, &there, error) && error->code != ESRCH)
			result = -1;
		for (size_t j = 0; !result && j < there; j++)
			result = !bsearch(&now[j], threads, count, sizeof(*threads),
					  threads_compare);
		free(now);
	}
	return result;
}
