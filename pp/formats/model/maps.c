// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address spaces: see maps.h.
 *
 * Processes are found by pid and never forgotten, of which there can be only as many as pids.
 * Their mappings are: a fork shares those of its parent until either changes, and of processes
 * that ended only the last EXITED_KEPT keep theirs.
 */
#include "pp/formats/model/maps.h"

#include <stdlib.h>
#include <string.h>

#include "pp/formats/model/index.h"
#include "libop/base/memory.h"

#define EXITED_KEPT 1024

/* What is mapped, wherever. */
struct source {
	struct prof_image image; /* without a place; the path is owned */
	uint32_t id;		 /* INDEX_NONE until it is first asked for */
};

struct range {
	uint64_t start, end, offset;
	uint32_t source;
	/* Of anonymous memory, which is an image for each process: */
	uint64_t begin;	      /* of the whole mapping, with the offset at it; parts may be gone */
	uint64_t limit;
	uint32_t id;	      /* for process @pid, or INDEX_NONE */
	int64_t pid;
};

struct space {
	unsigned int users;
	struct range *ranges; /* by start; they do not overlap */
	size_t n, capacity, recent;
};

struct process {
	int64_t pid;
	struct space *space; /* NULL: empty */
	uint32_t app;	     /* source, or INDEX_NONE: the first file that is mapped will be it */
	uint64_t exits;	     /* number of its exit, or 0 */
};

struct thread {
	int64_t pid, tid;
	uint32_t comm;
};

struct maps {
	struct prof_sink *sink;
	struct source *sources;
	size_t n_sources, sources_capacity;
	struct index by_source;
	struct process *processes;
	size_t n_processes, processes_capacity;
	struct index by_pid;
	struct thread *threads;
	size_t n_threads, threads_capacity;
	struct index by_thread;
	uint32_t recent; /* process */
	int64_t exited[EXITED_KEPT];
	uint64_t exits;
};

struct maps *maps_new(struct prof_sink *sink)
{
	struct maps *maps = pp_alloc(1, sizeof(*maps));

	maps->sink = sink;
	return maps;
}

static void leave_space(struct process *process)
{
	struct space *space = process->space;

	process->space = NULL;
	if (!space || --space->users)
		return;
	free(space->ranges);
	free(space);
}

void maps_free(struct maps *maps)
{
	if (!maps)
		return;
	for (size_t i = 0; i < maps->n_sources; i++)
		free((char *)maps->sources[i].image.path);
	for (size_t i = 0; i < maps->n_processes; i++)
		leave_space(&maps->processes[i]);
	free(maps->sources);
	free(maps->processes);
	free(maps->threads);
	index_free(&maps->by_source);
	index_free(&maps->by_pid);
	index_free(&maps->by_thread);
	free(maps);
}

/* ---- what is mapped ---- */

static uint64_t hash_source(const struct prof_image *image)
{
	uint64_t hash = index_mix_text(image->kind, image->path), word;

	for (size_t i = 0; i + 8 <= sizeof(image->build_id); i += 8) {
		memcpy(&word, image->build_id + i, 8);
		hash = index_mix(hash, word);
	}
	return hash;
}

static uint64_t rehash_source(const void *context, uint32_t id)
{
	return hash_source(&((const struct maps *)context)->sources[id].image);
}

static bool same_source(const struct prof_image *a, const struct prof_image *b)
{
	return a->kind == b->kind && a->is_kernel == b->is_kernel && a->mtime == b->mtime &&
	       a->build_id_length == b->build_id_length &&
	       !memcmp(a->build_id, b->build_id, sizeof(a->build_id)) && !strcmp(a->path, b->path);
}

static uint32_t find_source(struct maps *maps, const struct prof_image *image)
{
	uint64_t hash = hash_source(image);
	struct source *source;
	uint32_t id;

	for (size_t at = index_first(&maps->by_source, hash);
	     (id = index_at(&maps->by_source, at)) != INDEX_NONE;
	     at = index_next(&maps->by_source, at))
		if (same_source(&maps->sources[id].image, image))
			return id;
	id = (uint32_t)maps->n_sources++;
	maps->sources = pp_grow(maps->sources, &maps->sources_capacity, maps->n_sources,
				sizeof(*maps->sources));
	source = &maps->sources[id];
	source->image = *image;
	source->image.path = pp_copy(image->path);
	source->id = INDEX_NONE;
	index_add(&maps->by_source, hash, id, rehash_source, maps);
	return id;
}

/* ---- processes ---- */

static uint64_t rehash_pid(const void *context, uint32_t id)
{
	return (uint64_t)((const struct maps *)context)->processes[id].pid;
}

/* The process, or NULL: nothing is known of it. */
static struct process *find_process(struct maps *maps, int64_t pid)
{
	uint32_t id = maps->recent;

	if (id < maps->n_processes && maps->processes[id].pid == pid)
		return &maps->processes[id];
	for (size_t at = index_first(&maps->by_pid, (uint64_t)pid);
	     (id = index_at(&maps->by_pid, at)) != INDEX_NONE;
	     at = index_next(&maps->by_pid, at)) {
		if (maps->processes[id].pid == pid) {
			maps->recent = id;
			return &maps->processes[id];
		}
	}
	return NULL;
}

static struct process *get_process(struct maps *maps, int64_t pid)
{
	struct process *process = find_process(maps, pid);
	uint32_t id;

	if (process)
		return process;
	id = (uint32_t)maps->n_processes++;
	maps->processes = pp_grow(maps->processes, &maps->processes_capacity, maps->n_processes,
				  sizeof(*maps->processes));
	process = &maps->processes[id];
	*process = (struct process){.pid = pid, .app = INDEX_NONE};
	index_add(&maps->by_pid, (uint64_t)pid, id, rehash_pid, maps);
	return process;
}

/* The process's space for changes: its own. */
static struct space *own_space(struct process *process)
{
	struct space *shared = process->space, *space;

	if (shared && shared->users == 1)
		return shared;
	space = pp_alloc(1, sizeof(*space));
	space->users = 1;
	if (shared) {
		space->n = shared->n;
		space->ranges = pp_grow(NULL, &space->capacity, shared->n, sizeof(*space->ranges));
		if (shared->n)
			memcpy(space->ranges, shared->ranges, shared->n * sizeof(*space->ranges));
		shared->users--;
	}
	process->space = space;
	return space;
}

/* ---- threads ---- */

static uint64_t hash_thread(int64_t pid, int64_t tid)
{
	return index_mix((uint64_t)pid, (uint64_t)tid);
}

static uint64_t rehash_thread(const void *context, uint32_t id)
{
	const struct thread *thread = &((const struct maps *)context)->threads[id];

	return hash_thread(thread->pid, thread->tid);
}

static struct thread *find_thread(struct maps *maps, int64_t pid, int64_t tid)
{
	uint32_t id;

	for (size_t at = index_first(&maps->by_thread, hash_thread(pid, tid));
	     (id = index_at(&maps->by_thread, at)) != INDEX_NONE;
	     at = index_next(&maps->by_thread, at))
		if (maps->threads[id].pid == pid && maps->threads[id].tid == tid)
			return &maps->threads[id];
	return NULL;
}

static void set_comm(struct maps *maps, int64_t pid, int64_t tid, uint32_t comm)
{
	struct thread *thread = find_thread(maps, pid, tid);
	uint32_t id;

	if (thread) {
		thread->comm = comm;
		return;
	}
	id = (uint32_t)maps->n_threads++;
	maps->threads = pp_grow(maps->threads, &maps->threads_capacity, maps->n_threads,
				sizeof(*maps->threads));
	maps->threads[id] = (struct thread){pid, tid, comm};
	index_add(&maps->by_thread, hash_thread(pid, tid), id, rehash_thread, maps);
}

void maps_comm(struct maps *maps, int64_t pid, int64_t tid, const char *comm)
{
	set_comm(maps, pid, tid, maps->sink->string(maps->sink, comm));
}

uint32_t maps_comm_of(struct maps *maps, int64_t pid, int64_t tid)
{
	struct thread *thread = find_thread(maps, pid, tid);

	if (!thread && tid != pid)
		thread = find_thread(maps, pid, pid);
	return thread ? thread->comm : 0;
}

/* ---- changes ---- */

/* The first range that ends behind @address. */
static size_t search(const struct space *space, uint64_t address)
{
	size_t low = 0, high = space->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Makes room for @more ranges at @at. */
static void open_gap(struct space *space, size_t at, size_t more)
{
	space->ranges = pp_grow(space->ranges, &space->capacity, space->n + more,
				sizeof(*space->ranges));
	memmove(space->ranges + at + more, space->ranges + at,
		(space->n - at) * sizeof(*space->ranges));
	space->n += more;
}

/* Takes start..end out of what is mapped.  Return: where a range there belongs. */
static size_t clear(struct space *space, uint64_t start, uint64_t end)
{
	size_t first = search(space, start), last;
	struct range *range = space->ranges + first;

	if (first < space->n && range->start < start && range->end > end) {
		/* a hole in one range makes it two */
		open_gap(space, first, 1);
		range = space->ranges + first;
		range[0].end = start;
		range[1].offset += end - range[1].start;
		range[1].start = end;
		return first + 1;
	}
	if (first < space->n && range->start < start)
		space->ranges[first++].end = start;
	for (last = first; last < space->n && space->ranges[last].end <= end; last++)
		;
	if (last < space->n && space->ranges[last].start < end) {
		range = space->ranges + last;
		range->offset += end - range->start;
		range->start = end;
	}
	memmove(space->ranges + first, space->ranges + last,
		(space->n - last) * sizeof(*space->ranges));
	space->n -= last - first;
	return first;
}

void maps_map(struct maps *maps, int64_t pid, const struct prof_image *image)
{
	struct process *process;
	struct space *space;
	uint32_t source;
	size_t at;

	if (image->end <= image->start)
		return;
	process = get_process(maps, pid);
	space = own_space(process);
	source = find_source(maps, image);
	if (!space->ranges)
		space->ranges = pp_grow(NULL, &space->capacity, 1, sizeof(*space->ranges));
	at = clear(space, image->start, image->end);
	open_gap(space, at, 1);
	space->ranges[at] = (struct range){
		.start = image->start,
		.end = image->end,
		.offset = image->offset,
		.source = source,
		.begin = image->start,
		.limit = image->end,
		.id = INDEX_NONE,
	};
	if (process->app == INDEX_NONE && image->kind == PROF_FILE)
		process->app = source;
}

void maps_unmap(struct maps *maps, int64_t pid, uint64_t start, uint64_t end)
{
	struct process *process = find_process(maps, pid);

	if (process && process->space && process->space->n && end > start)
		clear(own_space(process), start, end);
}

void maps_fork(struct maps *maps, int64_t pid, int64_t tid, int64_t parent_pid,
	       int64_t parent_tid)
{
	struct process *child, *parent;

	set_comm(maps, pid, tid, maps_comm_of(maps, parent_pid, parent_tid));
	if (pid == parent_pid)
		return;
	get_process(maps, parent_pid);
	get_process(maps, pid); /* may move the parent */
	parent = find_process(maps, parent_pid);
	child = find_process(maps, pid);
	leave_space(child);
	child->exits = 0;
	child->app = parent->app;
	child->space = parent->space;
	if (child->space)
		child->space->users++;
}

void maps_exec(struct maps *maps, int64_t pid)
{
	struct process *process = get_process(maps, pid);

	leave_space(process);
	process->app = INDEX_NONE;
}

void maps_exit(struct maps *maps, int64_t pid, int64_t tid)
{
	struct process *process = pid == tid ? find_process(maps, pid) : NULL;
	uint64_t turn;

	if (!process)
		return;
	turn = maps->exits++;
	process->exits = turn + 1;
	if (turn >= EXITED_KEPT) {
		/* its pid may be in use again, or may have ended once more since */
		struct process *old = find_process(maps, maps->exited[turn % EXITED_KEPT]);

		if (old && old->exits == turn + 1 - EXITED_KEPT)
			leave_space(old);
	}
	maps->exited[turn % EXITED_KEPT] = pid;
}

/* ---- questions ---- */

static uint32_t id_of_source(struct maps *maps, struct source *source, const struct range *range)
{
	struct prof_image image = source->image;

	if (source->id == INDEX_NONE) {
		if (range) {
			image.start = range->start;
			image.end = range->end;
			image.offset = range->offset;
		}
		source->id = maps->sink->image(maps->sink, &image);
	}
	return source->id;
}

static uint32_t id_of_anon(struct maps *maps, const struct source *source, struct range *range,
			   int64_t pid)
{
	struct prof_image image = source->image;

	if (range->id == INDEX_NONE || range->pid != pid) {
		image.start = range->begin;
		image.end = range->limit;
		image.pid = pid;
		range->id = maps->sink->image(maps->sink, &image);
		range->pid = pid;
	}
	return range->id;
}

bool maps_find(struct maps *maps, int64_t pid, uint64_t address, struct prof_frame *frame)
{
	struct process *process = find_process(maps, pid);
	struct space *space = process ? process->space : NULL;
	struct source *source;
	struct range *range;
	size_t at;

	if (!space || !space->n)
		goto unknown;
	at = space->recent;
	if (at >= space->n || address < space->ranges[at].start ||
	    address >= space->ranges[at].end)
		at = search(space, address);
	if (at == space->n || address < space->ranges[at].start)
		goto unknown;
	space->recent = at;
	range = &space->ranges[at];
	source = &maps->sources[range->source];
	frame->offset = address - range->start + range->offset;
	frame->image = source->image.kind == PROF_ANON ? id_of_anon(maps, source, range, pid)
						       : id_of_source(maps, source, range);
	return true;
unknown:
	frame->image = pid == MAPS_KERNEL ? PROF_NO_KERNEL_IMAGE : PROF_NO_IMAGE;
	frame->offset = address;
	return false;
}

uint32_t maps_app(struct maps *maps, int64_t pid)
{
	struct process *process = find_process(maps, pid);

	if (!process || process->app == INDEX_NONE)
		return PROF_NO_IMAGE;
	return id_of_source(maps, &maps->sources[process->app], NULL);
}
