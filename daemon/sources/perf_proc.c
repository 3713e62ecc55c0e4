// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that were there before: see perf_proc.h.
 */
#include "perf_proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "daemon/live/machine.h"
#include "module/uapi/oprofile.h"

/* A line of /proc/PID/maps; the name is cut off at the newline. */
struct line {
	uint64_t start, end, offset, inode;
	unsigned int major, minor;
	bool executable;
	char *name;
};

static bool parse_line(char *text, struct line *line)
{
	char permissions[5];
	int used = 0;

	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n",
		   &line->start, &line->end, permissions, &line->offset, &line->major, &line->minor,
		   &line->inode, &used) != 7)
		return false;
	line->executable = permissions[2] == 'x';
	line->name = text + used + strspn(text + used, " ");
	return true;
}

/* A way to open the very file that is mapped: by its address as root, else by its path. */
static void access_path(const struct perf_process *process, const struct line *line,
			char path[static 64])
{
	snprintf(path, 64, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, process->tgid,
		 line->start, line->end);
}

static uint64_t cookie_of(struct perf_processes *processes, const struct perf_process *process,
			  const struct line *line)
{
	const struct perf_file file = {
		.path = line->name,
		.device = makedev(line->major, line->minor),
		.inode = line->inode,
		.foreign = process->mount && process->mount != processes->mount,
	};
	struct stat status;
	char path[64];

	access_path(process, line, path);
	if (access(path, R_OK) && !stat(line->name, &status) && status.st_ino == line->inode)
		return perf_image_cookie_of_mapped(&processes->images, &file, line->name);
	return perf_image_cookie_of_mapped(&processes->images, &file, path);
}

/* The path of its program, as the kernel tells it; NULL if it has none.  The caller frees it. */
static char *program_path(const struct perf_process *process)
{
	char link[64], path[OPROFILE_PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", process->tgid);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return NULL;
	path[length] = '\0';
	return strdup(path);
}

static void take_line(struct perf_processes *processes, struct perf_process *process,
		      const struct line *line, const char *program)
{
	bool is_program = program && !strcmp(program, line->name);
	const char *label = perf_process_label(line->name, is_program);
	struct perf_mapping mapping = {
		.start = line->start,
		.end = line->end,
		.offset = line->offset,
		.cookie = OPROFILE_NO_COOKIE,
		.label = (char *)label,
	};

	if (!label) {
		mapping.cookie = cookie_of(processes, process, line);
		if (program ? is_program : process->app == OPROFILE_NO_COOKIE)
			process->app = mapping.cookie;
	}
	perf_process_add(process, &mapping);
}

static void take_maps(struct perf_processes *processes, struct perf_process *process, char *text)
{
	char *program = program_path(process), *rest = text, *next;
	struct line line;

	while ((next = strsep(&rest, "\n"))) {
		if (parse_line(next, &line) && line.executable)
			take_line(processes, process, &line, program);
	}
	free(program);
}

/* The number of links of /proc/PID/task tells how many threads there are. */
static void count_threads(struct perf_process *process)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", process->tgid);
	if (!stat(path, &status) && status.st_nlink > 2)
		process->threads = (uint32_t)status.st_nlink - 2;
}

void perf_proc_read(struct perf_processes *processes, struct perf_process *process, bool anew)
{
	char *text = machine_maps(process->tgid);
	struct stat status;
	char path[64];

	if (!text)
		return;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/mnt", process->tgid);
	if (!stat(path, &status))
		process->mount = status.st_ino;
	count_threads(process);
	if (anew) {
		perf_process_drop(process);
		process->app = OPROFILE_NO_COOKIE;
	}
	take_maps(processes, process, text);
	free(text);
}

int perf_processes_read_all(struct perf_processes *processes)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int result = 0;

	if (!proc)
		return 0; /* then there is nothing to read; samples say so */
	while (!result && (entry = readdir(proc))) {
		char *end;
		unsigned long tgid = strtoul(entry->d_name, &end, 10);

		if (isdigit((unsigned char)*entry->d_name) && !*end && tgid <= UINT32_MAX &&
		    !perf_process_get(processes, (uint32_t)tgid))
			result = -1;
	}
	closedir(proc);
	return result;
}
