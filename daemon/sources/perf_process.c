// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes as perf's records tell of them: see perf_process.h.
 */
#include "perf_process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "module/uapi/oprofile.h"
#include "perf_proc.h"

/* Of one process; more is a mistake or malice, and further ones are not kept. */
#define MAPPINGS_MOST 65536
/* Between two readings of the same /proc/PID/maps. */
#define READ_AGAIN_NS UINT64_C(1000000000)
/* Images, before those that nobody maps any more are forgotten. */
#define IMAGES_LEAST (1 << 14)
/* Processes, before it is looked whether each is still there. */
#define SWEEP_LEAST 4096

void perf_processes_init(struct perf_processes *processes)
{
	struct stat status;

	*processes = (struct perf_processes){
		.round = 1, .sweep_at = SWEEP_LEAST, .images_sweep_at = IMAGES_LEAST};
	if (!stat("/proc/self/ns/mnt", &status))
		processes->mount = status.st_ino;
}

static struct perf_process **bucket_of(struct perf_processes *processes, uint32_t tgid)
{
	return &processes->bucket[tgid % PERF_PROCESS_BUCKETS];
}

struct perf_process *perf_process_find(const struct perf_processes *processes, uint32_t tgid)
{
	struct perf_process *process = processes->bucket[tgid % PERF_PROCESS_BUCKETS];

	while (process && process->tgid != tgid)
		process = process->next;
	return process;
}

static struct perf_process *make(struct perf_processes *processes, uint32_t tgid)
{
	struct perf_process *process = calloc(1, sizeof(*process));
	struct perf_process **bucket = bucket_of(processes, tgid);

	if (!process)
		return NULL;
	process->tgid = tgid;
	process->threads = 1;
	process->number = ++processes->last_number;
	process->app = OPROFILE_NO_COOKIE;
	process->next = *bucket;
	*bucket = process;
	processes->count++;
	return process;
}

void perf_process_drop(struct perf_process *process)
{
	for (size_t i = 0; i < process->count; i++)
		free(process->mapping[i].label);
	free(process->mapping);
	process->mapping = NULL;
	process->count = process->room = 0;
}

static void free_process(struct perf_processes *processes, struct perf_process *process)
{
	perf_process_drop(process);
	free(process);
	processes->count--;
}

/* ---- mappings ---- */

/* The index of the first mapping that ends behind @address. */
static size_t first_behind(const struct perf_process *process, uint64_t address)
{
	size_t low = 0, high = process->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->mapping[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool make_room(struct perf_process *process, size_t more)
{
	size_t room = process->room ? process->room : 16;
	struct perf_mapping *larger;

	while (room < process->count + more)
		room *= 2;
	if (room == process->room)
		return true;
	if (room > MAPPINGS_MOST)
		return false;
	larger = reallocarray(process->mapping, room, sizeof(*larger));
	if (!larger)
		return false;
	process->mapping = larger;
	process->room = room;
	return true;
}

static void remove_at(struct perf_process *process, size_t at)
{
	free(process->mapping[at].label);
	memmove(&process->mapping[at], &process->mapping[at + 1],
		(process->count - at - 1) * sizeof(process->mapping[0]));
	process->count--;
}

static bool insert_at(struct perf_process *process, size_t at, const struct perf_mapping *mapping)
{
	char *label = mapping->label ? strdup(mapping->label) : NULL;

	if ((mapping->label && !label) || !make_room(process, 1)) {
		free(label);
		return false;
	}
	memmove(&process->mapping[at + 1], &process->mapping[at],
		(process->count - at) * sizeof(process->mapping[0]));
	process->mapping[at] = *mapping;
	process->mapping[at].label = label;
	process->count++;
	return true;
}

/* Makes way for a mapping: what it covers is gone, and what it cuts is shorter. */
static void clear_range(struct perf_process *process, uint64_t start, uint64_t end)
{
	size_t at = first_behind(process, start);

	while (at < process->count && process->mapping[at].start < end) {
		struct perf_mapping *old = &process->mapping[at];

		if (old->start < start && old->end > end) {
			struct perf_mapping upper = *old;

			upper.start = end;
			upper.offset += end - old->start;
			old->end = start;
			insert_at(process, at + 1, &upper);
			return;
		}
		if (old->start < start) {
			old->end = start;
			at++;
		} else if (old->end > end) {
			old->offset += end - old->start;
			old->start = end;
			return;
		} else {
			remove_at(process, at);
		}
	}
}

void perf_process_add(struct perf_process *process, const struct perf_mapping *mapping)
{
	if (mapping->start >= mapping->end)
		return;
	clear_range(process, mapping->start, mapping->end);
	insert_at(process, first_behind(process, mapping->start), mapping);
}

static bool is_in(const struct perf_mapping *mapping, uint64_t address)
{
	return address - mapping->start < mapping->end - mapping->start;
}

const struct perf_mapping *perf_process_known(struct perf_process *process, uint64_t address)
{
	size_t at = process->recent;

	if (at < process->count && is_in(&process->mapping[at], address))
		return &process->mapping[at];
	at = first_behind(process, address);
	if (at == process->count || !is_in(&process->mapping[at], address))
		return NULL;
	process->recent = at;
	return &process->mapping[at];
}

/* ---- reading /proc ---- */

static void read_again(struct perf_processes *processes, struct perf_process *process)
{
	bool stale = process->read < processes->stale;

	process->read = processes->round;
	process->read_at = processes->now;
	perf_proc_read(processes, process, stale);
}

struct perf_process *perf_process_get(struct perf_processes *processes, uint32_t tgid)
{
	struct perf_process *process = perf_process_find(processes, tgid);

	if (!process) {
		process = make(processes, tgid);
		if (process)
			read_again(processes, process);
	} else if (process->read < processes->stale && !process->ended) {
		read_again(processes, process);
	}
	return process;
}

const struct perf_mapping *perf_process_where(struct perf_processes *processes,
					      struct perf_process *process, uint64_t address)
{
	const struct perf_mapping *mapping = perf_process_known(process, address);

	if (mapping || process->ended || processes->now < process->read_at + READ_AGAIN_NS)
		return mapping;
	read_again(processes, process);
	return perf_process_known(process, address);
}

/* ---- records ---- */

static void copy_mappings(struct perf_process *to, const struct perf_process *from)
{
	perf_process_drop(to);
	if (!make_room(to, from->count))
		return;
	for (size_t i = 0; i < from->count; i++) {
		if (!insert_at(to, to->count, &from->mapping[i]))
			return;
	}
}

void perf_process_fork(struct perf_processes *processes, uint32_t tgid, uint32_t parent)
{
	struct perf_process *process = perf_process_find(processes, tgid);
	const struct perf_process *from;

	if (tgid == parent) { /* a thread */
		if (process)
			process->threads++;
		return;
	}
	from = perf_process_get(processes, parent);
	process = perf_process_find(processes, tgid);
	if (!process)
		process = make(processes, tgid);
	if (!process || !from)
		return;
	process->number = ++processes->last_number;
	process->threads = 1;
	process->ended = 0;
	process->read = from->read;
	process->read_at = from->read_at;
	process->app = from->app;
	process->mount = from->mount;
	copy_mappings(process, from);
}

void perf_process_exec(struct perf_processes *processes, uint32_t tgid)
{
	struct perf_process *process = perf_process_find(processes, tgid);

	if (!process)
		process = make(processes, tgid);
	if (!process)
		return;
	process->number = ++processes->last_number;
	process->threads = 1;
	process->ended = 0;
	process->read = processes->round; /* its mappings are told */
	process->read_at = processes->now;
	process->app = OPROFILE_NO_COOKIE;
	perf_process_drop(process);
}

void perf_process_exit(struct perf_processes *processes, uint32_t tgid)
{
	struct perf_process *process = perf_process_find(processes, tgid);

	if (!process || process->ended)
		return;
	if (process->threads)
		process->threads--;
	if (!process->threads)
		process->ended = processes->round;
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
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strncmp(name, kinds[i], strlen(kinds[i])))
			return name + 1;
	}
	return NULL;
}

void perf_process_map(struct perf_processes *processes, uint32_t tgid, uint64_t start, uint64_t end,
		      uint64_t offset, const struct perf_file *file)
{
	struct perf_process *process = perf_process_get(processes, tgid);
	struct perf_mapping mapping = {
		.start = start,
		.end = end,
		.offset = offset,
		.cookie = OPROFILE_NO_COOKIE,
	};
	struct perf_file told = *file;
	const char *label;

	if (!process)
		return;
	label = perf_process_label(file->path,
				   file->build_id_size || process->app == OPROFILE_NO_COOKIE);
	mapping.label = (char *)label;
	if (!label) {
		told.foreign = process->mount && process->mount != processes->mount;
		mapping.cookie = perf_image_cookie(&processes->images, &told);
		/* the program itself comes first */
		if (process->app == OPROFILE_NO_COOKIE)
			process->app = mapping.cookie;
	}
	perf_process_add(process, &mapping);
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

char *perf_process_anon_text(const struct perf_process *process)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	for (size_t i = 0; i < process->count; i++) {
		const struct perf_mapping *mapping = &process->mapping[i];

		if (mapping->cookie == OPROFILE_NO_COOKIE)
			fprintf(out, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:00 0 %s\n",
				mapping->start, mapping->end, mapping->label);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* ---- forgetting ---- */

static bool is_gone(const struct perf_processes *processes, const struct perf_process *process,
		    bool look_closer)
{
	if (process->ended)
		return process->ended + PERF_PROCESS_KEPT <= processes->round;
	return look_closer && kill((pid_t)process->tgid, 0) && errno == ESRCH;
}

static void sweep(struct perf_processes *processes, bool look_closer)
{
	for (size_t i = 0; i < PERF_PROCESS_BUCKETS; i++) {
		struct perf_process **link = &processes->bucket[i], *process;

		while ((process = *link)) {
			if (is_gone(processes, process, look_closer)) {
				*link = process->next;
				free_process(processes, process);
			} else {
				link = &process->next;
			}
		}
	}
}

static void sweep_images(struct perf_processes *processes)
{
	for (size_t i = 0; i < PERF_PROCESS_BUCKETS; i++) {
		for (struct perf_process *process = processes->bucket[i]; process;
		     process = process->next) {
			perf_image_keep(&processes->images, process->app);
			for (size_t j = 0; j < process->count; j++)
				perf_image_keep(&processes->images, process->mapping[j].cookie);
		}
	}
	perf_images_sweep(&processes->images);
}

static size_t twice(size_t count, size_t least)
{
	return 2 * count > least ? 2 * count : least;
}

void perf_processes_next_round(struct perf_processes *processes, uint64_t now)
{
	bool look_closer = processes->count > processes->sweep_at;

	processes->round++;
	processes->now = now;
	sweep(processes, look_closer);
	if (look_closer)
		processes->sweep_at = twice(processes->count, SWEEP_LEAST);
	if (processes->images.count > processes->images_sweep_at) {
		sweep_images(processes);
		processes->images_sweep_at = twice(processes->images.count, IMAGES_LEAST);
	}
}

void perf_processes_free(struct perf_processes *processes)
{
	for (size_t i = 0; i < PERF_PROCESS_BUCKETS; i++) {
		struct perf_process *process = processes->bucket[i], *next;

		for (; process; process = next) {
			next = process->next;
			free_process(processes, process);
		}
	}
	perf_images_free(&processes->images);
}
