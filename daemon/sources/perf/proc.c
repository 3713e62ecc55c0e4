// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes as /proc shows them: see proc.h. */
#include "proc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "daemon/live/machine.h"
#include "libop/elf/proc_maps.h"
#include "module/uapi/oprofile.h"

/* A path that opens the file that is mapped, whatever its own path names now; root only. */
static void access_path(uint32_t thread, uint64_t start, uint64_t end, char path[static 64])
{
	snprintf(path, 64, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, thread, start, end);
}

uint64_t perf_proc_cookie(struct perf_processes *processes, uint32_t thread, uint64_t start,
			  uint64_t end, const struct perf_file *file)
{
	struct stat status;
	char path[64];

	access_path(thread, start, end, path);
	if (access(path, R_OK) && !stat(file->path, &status) && status.st_ino == file->inode)
		return perf_image_cookie_of_mapped(&processes->images, file, file->path);
	return perf_image_cookie_of_mapped(&processes->images, file, path);
}

static uint64_t cookie_of(struct perf_processes *processes, const struct perf_process *process,
			  uint32_t thread, const struct op_maps_line *line)
{
	const struct perf_file file = {
		.path = line->name,
		.device = makedev(line->major, line->minor),
		.inode = line->inode,
		.foreign = process->mount && process->mount != processes->mount,
	};

	return perf_proc_cookie(processes, thread, line->start, line->end, &file);
}

/* The path of its program, or NULL.  The caller frees it. */
static char *program_path(uint32_t thread)
{
	char link[64], path[OPROFILE_PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", thread);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return NULL;
	path[length] = '\0';
	return strdup(path);
}

static void add_mapping(struct perf_processes *processes, struct perf_process *process,
			uint32_t thread, const struct op_maps_line *line, const char *program)
{
	bool is_program = program && !strcmp(program, line->name);
	const char *label = perf_process_label(line->name, is_program);
	struct space_mapping mapping = {
		.start = line->start,
		.end = line->end,
		.offset = line->offset,
		.image = OPROFILE_NO_COOKIE,
		.label = (char *)label,
	};

	if (!label) {
		mapping.image = cookie_of(processes, process, thread, line);
		if (program ? is_program : process->task.app == OPROFILE_NO_COOKIE)
			process->task.app = mapping.image;
	}
	perf_process_add(processes, process, &mapping);
}

static void add_mappings(struct perf_processes *processes, struct perf_process *process,
			 uint32_t thread, char *text)
{
	char *program = program_path(thread);
	const char *rest = text;
	struct op_maps_line line;

	while (op_maps_next(&rest, &line)) {
		text[line.name + line.name_length - text] = '\0';
		if (line.executable)
			add_mapping(processes, process, thread, &line, program);
	}
	free(program);
}

/* The number of links of /proc/PID/task is two more than that of threads. */
static void count_threads(struct perf_process *process)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", (uint32_t)process->task.pid);
	if (!stat(path, &status) && status.st_nlink > 2)
		process->task.threads = (uint32_t)status.st_nlink - 2;
}

void perf_proc_read(struct perf_processes *processes, struct perf_process *process, bool forget)
{
	char *text = machine_maps((uint32_t)process->task.pid);
	uint32_t thread = machine_thread((uint32_t)process->task.pid);
	struct stat status;
	char path[64];

	if (!text)
		return;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/mnt", thread);
	if (!stat(path, &status))
		process->mount = status.st_ino;
	count_threads(process);
	if (forget) {
		space_process_clear(&process->task);
		process->task.app = OPROFILE_NO_COOKIE;
	}
	add_mappings(processes, process, thread, text);
	free(text);
}
