// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes as the records of live rings show them: see process.h. */
#include "process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/foreign/host.h"
#include "module/uapi/oprofile.h"

/* Of one process; further ones are a mistake or malice, and are not kept. */
#define MAPPINGS_MOST 65536
/* Images, before those that are not mapped any more are forgotten. */
#define IMAGES_LEAST (1 << 14)
/* Processes, before each is checked for its existence. */
#define SWEEP_LEAST 4096
/* Processes that must have ended before those are forgotten: a part of all, and some more. */
#define ENDED_PART  8
#define ENDED_LEAST 16

/* Seconds a second that are spent on reading maps again, for the processes of one account, and of
 * all.  Whoever moves code all the time makes each sample a reason. */
#define READING_EACH 0.1
#define READING_ALL  0.3

void perf_processes_init(struct perf_processes *processes)
{
	*processes = (struct perf_processes){
		.spaces = {.process_size = sizeof(struct perf_process),
			   .mappings_most = MAPPINGS_MOST,
			   .no_image = OPROFILE_NO_COOKIE},
		.round = 1,
		.sweep_at = SWEEP_LEAST,
		.images_sweep_at = IMAGES_LEAST,
		.mount = host_namespace(),
		.reading = {.each = READING_EACH, .all = READING_ALL, .seconds = 1},
	};
}

void perf_processes_free(struct perf_processes *processes)
{
	address_spaces_free(&processes->spaces);
	foreign_limit_reset(&processes->reading);
	perf_images_free(&processes->images);
}

struct perf_process *perf_process_find(const struct perf_processes *processes, uint32_t tgid)
{
	/* its first member */
	return (struct perf_process *)space_process_find(&processes->spaces, tgid);
}

/* ---- mappings ---- */

void perf_process_add(struct perf_processes *processes, struct perf_process *process,
		      const struct space_mapping *mapping)
{
	/* without memory, samples there are of no known image */
	(void)!space_process_map(&processes->spaces, &process->task, mapping);
}

const char *perf_process_label(const char *name, bool program)
{
	static const char *const kinds[] = {"/memfd:", "/dev/zero", "/anon_hugepage", "/SYSV"};

	if (!strcmp(name, "//anon") || !*name)
		return "";
	if (*name != '/')
		return name;
	if (program)
		return NULL;
	for (size_t i = 0; i < OP_ARRAY_SIZE(kinds); i++) {
		if (!strncmp(name, kinds[i], strlen(kinds[i])))
			return name + 1;
	}
	return NULL;
}

size_t perf_processes_running(const struct perf_processes *processes)
{
	const struct space_process *process = NULL;
	size_t n = 0;

	while ((process = address_spaces_next(&processes->spaces, process)))
		n += !process->ended && !kill((pid_t)process->pid, 0);
	return n;
}

char *perf_process_anon_text(const struct perf_process *process)
{
	const struct space_mapping *mapping;
	size_t count = space_process_mappings(&process->task, &mapping), length;
	char *text = NULL;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	for (; count--; mapping++) {
		if (mapping->image == OPROFILE_NO_COOKIE)
			fprintf(out, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:00 0 %s\n",
				mapping->start, mapping->end, mapping->label);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* ---- records ---- */

void perf_process_exec(struct perf_processes *processes, uint32_t tgid)
{
	struct perf_process *process =
		(struct perf_process *)space_process_exec(&processes->spaces, tgid);

	if (!process)
		return;
	process->read = processes->round; /* records of its mappings follow */
	process->read_next = 0;
	process->misses = 0;
}

void perf_process_exit(struct perf_processes *processes, uint32_t tgid)
{
	struct perf_process *process = perf_process_find(processes, tgid);

	if (!process)
		return;
	space_process_exit(&process->task, processes->round);
	processes->ended += process->task.ended == processes->round;
}

void perf_process_namespace(struct perf_processes *processes, uint32_t tgid, uint64_t mount)
{
	struct perf_process *process = perf_process_find(processes, tgid);

	if (process && mount)
		process->mount = mount;
}

void perf_processes_lost(struct perf_processes *processes)
{
	processes->stale = processes->round;
}

/* ---- forgetting ---- */

/* Those that are kept for now count for the next sweep. */
static bool has_ended(const struct space_process *process, void *context)
{
	struct perf_processes *processes = context;

	if (!process->ended)
		return false;
	if (process->ended + PERF_PROCESS_KEPT <= processes->round)
		return true;
	processes->ended++;
	return false;
}

/* The same, and processes whose end was missed. */
static bool is_gone(const struct space_process *process, void *context)
{
	if (process->ended)
		return has_ended(process, context);
	return kill((pid_t)process->pid, 0) && errno == ESRCH;
}

static void sweep_images(struct perf_processes *processes)
{
	struct space_process *process = NULL;
	const struct space_mapping *mapping;

	while ((process = address_spaces_next(&processes->spaces, process))) {
		size_t count = space_process_mappings(process, &mapping);

		space_process_runs(process); /* their images are not kept for a moment */
		perf_image_keep(&processes->images, process->app);
		for (; count--; mapping++)
			perf_image_keep(&processes->images, mapping->image);
	}
	perf_images_sweep(&processes->images);
}

static size_t twice(size_t count, size_t least)
{
	return 2 * count > least ? 2 * count : least;
}

void perf_processes_next_round(struct perf_processes *processes, uint64_t now)
{
	bool look_closer = processes->spaces.count > processes->sweep_at;

	processes->round++;
	processes->now = now;
	if (look_closer || processes->ended > processes->spaces.count / ENDED_PART + ENDED_LEAST) {
		processes->ended = 0;
		address_spaces_forget(&processes->spaces, look_closer ? is_gone : has_ended,
				      processes);
	}
	if (look_closer)
		processes->sweep_at = twice(processes->spaces.count, SWEEP_LEAST);
	if (processes->images.count > processes->images_sweep_at) {
		sweep_images(processes);
		processes->images_sweep_at = twice(processes->images.count, IMAGES_LEAST);
	}
}
