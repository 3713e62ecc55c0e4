// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds processes and their mappings: see resolve.h. */
#include "resolve.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "libop/base/number.h"
#include "module/uapi/oprofile.h"
#include "proc.h"

/*
 * Memory that mremap(2) moves has no record, nor has what was mapped before a lost one.  So
 * /proc/PID/maps is read again for an address that is unknown: at once, but after readings that
 * did not have it after 1 ms, 2 ms and so on up to 1 s; and no more than a tenth of the time is
 * spent on the processes of one account.
 */
#define READ_AGAIN_NS	UINT64_C(1000000)
#define READ_AGAIN_MOST 10

static uint64_t clock_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static void read_again(struct perf_processes *processes, struct perf_process *process)
{
	bool stale = process->read < processes->stale;

	process->read = processes->round;
	process->read_next = processes->now;
	perf_proc_read(processes, process, stale);
}

/* Whether the account of the process may have its maps read again for an unknown address. */
static bool read_for_unknown(struct perf_processes *processes, struct perf_process *process)
{
	uint64_t begin = clock_ns(), account;
	struct stat status;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", (unsigned int)process->task.pid);
	if (stat(path, &status))
		return false;
	account = foreign_account(status.st_uid);
	if (foreign_limit_left(&processes->reading, account) <= 0)
		return false;
	read_again(processes, process);
	foreign_limit_use(&processes->reading, account, (double)(clock_ns() - begin) / 1e9);
	return true;
}

struct perf_process *perf_process_get(struct perf_processes *processes, uint32_t tgid)
{
	struct perf_process *process = perf_process_find(processes, tgid);

	if (!process) {
		process = (struct perf_process *)space_process_get(&processes->spaces, tgid);
		if (process)
			read_again(processes, process);
	} else if (process->read < processes->stale && !process->task.ended) {
		read_again(processes, process);
	}
	return process;
}

const struct space_mapping *perf_process_where(struct perf_processes *processes,
					       struct perf_process *process, uint64_t address)
{
	const struct space_mapping *mapping = perf_process_known(process, address);

	if (mapping || process->task.ended || processes->now < process->read_next)
		return mapping;
	if (!read_for_unknown(processes, process)) {
		process->read_next = processes->now + READ_AGAIN_NS;
		return NULL;
	}
	mapping = perf_process_known(process, address);
	if (mapping) {
		process->misses = 0;
	} else {
		process->read_next += READ_AGAIN_NS << process->misses;
		process->misses += process->misses < READ_AGAIN_MOST;
	}
	return mapping;
}

int perf_processes_read_all(struct perf_processes *processes)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int result = 0;

	if (!proc)
		return 0; /* then there is nothing to read; samples say so */
	while (!result && (entry = readdir(proc))) {
		uint64_t tgid;

		if (op_number_all(entry->d_name, 10, UINT32_MAX, &tgid) &&
		    !perf_process_get(processes, (uint32_t)tgid))
			result = -1;
	}
	closedir(proc);
	return result;
}

/* ---- records ---- */

void perf_process_fork(struct perf_processes *processes, uint32_t tgid, uint32_t parent)
{
	struct perf_process *process = perf_process_find(processes, tgid);
	const struct perf_process *from;

	if (tgid == parent) { /* a thread */
		if (process)
			process->task.threads++;
		return;
	}
	from = perf_process_get(processes, parent);
	if (!from)
		return;
	process = (struct perf_process *)space_process_fork(&processes->spaces, tgid, &from->task);
	if (!process)
		return;
	process->read = from->read;
	process->read_next = from->read_next;
	process->mount = from->mount;
}

void perf_process_map(struct perf_processes *processes, uint32_t tgid, uint64_t start, uint64_t end,
		      uint64_t offset, const struct perf_file *file)
{
	struct perf_process *process = perf_process_get(processes, tgid);
	struct space_mapping mapping = {
		.start = start,
		.end = end,
		.offset = offset,
		.image = OPROFILE_NO_COOKIE,
	};
	struct perf_file known = *file;
	const char *label;

	if (!process)
		return;
	label = perf_process_label(file->path,
				   file->build_id_size || process->task.app == OPROFILE_NO_COOKIE);
	mapping.label = (char *)label;
	if (!label) {
		known.foreign = process->mount && process->mount != processes->mount;
		mapping.image = known.build_id_size
					? perf_image_cookie(&processes->images, &known)
					: perf_proc_cookie(processes, tgid, start, end, &known);
		/* the program itself comes first */
		if (process->task.app == OPROFILE_NO_COOKIE)
			process->task.app = mapping.image;
	}
	perf_process_add(processes, process, &mapping);
}
