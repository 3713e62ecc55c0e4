// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names and cgroups of running threads: see tasks.h.
 */
#include "tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"

#define TEXT_MOST 65536

/* The first line of a file of /proc; NULL: the thread has ended.  The caller frees it. */
static char *read_line(const char *format, int32_t tgid, int32_t tid)
{
	char path[64], *text, *end;

	snprintf(path, sizeof(path), format, (int)tgid, (int)tid);
	text = op_file_read(path, TEXT_MOST, NULL, NULL);
	/* a name may hold line ends; only the last one is the file's */
	end = text ? strrchr(text, '\n') : NULL;
	if (end)
		*end = '\0';
	return text;
}

/* The path of the unified hierarchy, "0::/PATH"; without one, of the first. */
static const char *path_of(char *cgroups)
{
	char *line = !strncmp(cgroups, "0::", 3) ? cgroups : strstr(cgroups, "\n0::");
	char *colon;

	if (!line)
		line = cgroups;
	if (*line == '\n')
		line++;
	line[strcspn(line, "\n")] = '\0';
	colon = strchr(line, ':');
	colon = colon ? strchr(colon + 1, ':') : NULL;
	return colon ? colon + 1 : NULL;
}

static void describe(struct model *model, uint32_t number)
{
	const struct model_thread *thread = &model->thread[number];
	char *comm, *cgroups;

	if (!thread->tgid) {
		model_describe(model, number, NULL, "/");
		return;
	}
	comm = read_line("/proc/%d/task/%d/comm", thread->tgid, thread->tid);
	cgroups = read_line("/proc/%d/task/%d/cgroup", thread->tgid, thread->tid);
	model_describe(model, number, comm, cgroups ? path_of(cgroups) : NULL);
	free(comm);
	free(cgroups);
}

void tasks_describe(struct model *model)
{
	unsigned int left = TASKS_READ_MOST;

	for (uint32_t i = 1; i < model->threads && left; i++) {
		const struct model_thread *thread = &model->thread[i];

		if (thread->described >= 0 && (thread->seen <= thread->described ||
					       model->clock < thread->described + TASKS_READ_AGAIN))
			continue;
		describe(model, i);
		left--;
	}
}
