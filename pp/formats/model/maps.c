// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address spaces of recordings: see maps.h.
 *
 * Which mapping is where is tracked by libop/perf/address_space.h; images there are numbers of
 * sources.  What the program of a process is, is judged here.  Processes are never forgotten, of
 * which there can be only as many as pids, but only the last EXITED_KEPT that ended keep their
 * mappings.
 */
#include "maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "libop/tables/pair_table.h"
#include "libop/perf/address_space.h"
#include "mapped_image.h"

#define EXITED_KEPT 1024

/* What is mapped, at any address. */
struct source {
	struct prof_image image; /* without addresses; the path is owned */
	uint32_t id;		 /* of the sink; OP_HASH_NONE until it is first asked for */
};

/* How much is known of the program of a process: what is better replaces it. */
enum program {
	NO_PROGRAM,
	PROGRAM_BY_NAME, /* a file that is no library by its name */
	PROGRAM_OF_COMM, /* one whose base name is that of the first thread */
	PROGRAM_KNOWN,	 /* it was executed, or came with a fork */
};

/* Bytes of a thread's name, with NUL, as the kernel has them. */
#define COMM_SIZE 16

/* Mappings that are compared with a new name of a process. */
#define COMPARED_MOST 256

struct process {
	struct space_process task; /* the first member */
	enum program program;
	bool has_executed; /* and nothing was mapped since */
	bool may_have_executed;
	uint32_t app_before;  /* source of the program that executed this one */
	char comm[COMM_SIZE]; /* of the first thread */
};

/* On all processors that have been seen, the kernel's own code is within one of these. */
#define KERNEL_REGION (UINT64_C(1) << 30)

struct maps {
	struct prof_sink *sink;
	struct space_mapping kernel; /* as it was mapped last; end is 0 if it was not */
	struct source *sources;
	size_t n_sources, sources_capacity;
	struct op_hash by_source;
	struct address_spaces spaces;
	struct op_pair_table comms; /* by process and thread */
	struct process *recent;	    /* the one that was found last */
	int64_t exited[EXITED_KEPT];
	uint64_t exits;
};

struct maps *maps_new(struct prof_sink *sink)
{
	struct maps *maps = op_alloc(1, sizeof(*maps));

	maps->sink = sink;
	maps->spaces.process_size = sizeof(struct process);
	maps->spaces.mappings_most = SIZE_MAX;
	maps->spaces.no_image = OP_HASH_NONE;
	return maps;
}

void maps_free(struct maps *maps)
{
	if (!maps)
		return;
	for (size_t i = 0; i < maps->n_sources; i++)
		free((char *)maps->sources[i].image.path);
	address_spaces_free(&maps->spaces);
	free(maps->sources);
	op_hash_free(&maps->by_source);
	op_pair_table_free(&maps->comms);
	free(maps);
}

/* ---- what is mapped ---- */

static uint64_t hash_source(const struct prof_image *image)
{
	uint64_t hash = op_hash_text(image->kind, image->path), word;

	for (size_t i = 0; i + 8 <= sizeof(image->build_id); i += 8) {
		memcpy(&word, image->build_id + i, 8);
		hash = op_hash_mix(hash, word);
	}
	return hash;
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

	op_hash_for_each_possible (&maps->by_source, hash, id)
		if (same_source(&maps->sources[id].image, image))
			return id;
	id = (uint32_t)maps->n_sources++;
	maps->sources = op_grow(maps->sources, &maps->sources_capacity, maps->n_sources,
				sizeof(*maps->sources));
	source = &maps->sources[id];
	source->image = *image;
	source->image.path = op_copy(image->path);
	source->id = OP_HASH_NONE;
	op_hash_add_or_exit(&maps->by_source, hash, id);
	return id;
}

/* ---- processes ---- */

/* The process, or NULL: nothing is known of it. */
static struct process *find_process(struct maps *maps, int64_t pid)
{
	struct process *process = maps->recent;

	if (process && process->task.pid == pid)
		return process;
	process = (struct process *)space_process_find(&maps->spaces, pid);
	if (process)
		maps->recent = process;
	return process;
}

static struct process *get_process(struct maps *maps, int64_t pid)
{
	struct process *process = (struct process *)space_process_get(&maps->spaces, pid);

	if (!process)
		op_out_of_memory();
	return process;
}

/* ---- programs ---- */

static bool has_comm(const struct process *process, const char *path)
{
	const char *slash = strrchr(path, '/');

	return *process->comm && !strncmp(slash ? slash + 1 : path, process->comm, COMM_SIZE - 1);
}

static enum program program_of(const struct process *process, const struct prof_image *image)
{
	if (image->kind != PROF_FILE)
		return NO_PROGRAM;
	if (has_comm(process, image->path))
		return PROGRAM_OF_COMM;
	return mapped_image_may_be_program(image->path) ? PROGRAM_BY_NAME : NO_PROGRAM;
}

/* A file was mapped: is it the program? */
static void maps_judge(struct maps *maps, struct process *process, uint32_t source)
{
	const struct prof_image *image = &maps->sources[source].image;
	enum program program = program_of(process, image);

	if (image->kind != PROF_FILE)
		return;
	if (process->has_executed)
		program = PROGRAM_KNOWN;
	else if (!(process->may_have_executed && program) && program <= process->program)
		return;
	process->task.app = source;
	process->program = program;
	process->has_executed = process->may_have_executed = false;
}

/* Its first thread has a new name, which one of its files may have. */
static void judge_all(struct maps *maps, struct process *process)
{
	const struct space_mapping *mappings;
	size_t n = space_process_mappings(&process->task, &mappings);

	if (process->program >= PROGRAM_OF_COMM || process->has_executed)
		return;
	for (size_t i = 0; i < n && i < COMPARED_MOST; i++)
		maps_judge(maps, process, (uint32_t)mappings[i].image);
}

/* ---- threads ---- */

static void set_comm(struct maps *maps, int64_t pid, int64_t tid, uint32_t comm)
{
	*op_pair_table_get(&maps->comms, (uint64_t)pid, (uint64_t)tid) = comm;
}

void maps_comm(struct maps *maps, int64_t pid, int64_t tid, const char *comm)
{
	struct process *process;

	set_comm(maps, pid, tid, maps->sink->string(maps->sink, comm));
	if (pid != tid)
		return;
	process = get_process(maps, pid);
	snprintf(process->comm, sizeof(process->comm), "%s", comm);
	judge_all(maps, process);
}

uint32_t maps_comm_of(struct maps *maps, int64_t pid, int64_t tid)
{
	const uint64_t *comm = op_pair_table_find(&maps->comms, (uint64_t)pid, (uint64_t)tid);

	if (!comm && tid != pid)
		comm = op_pair_table_find(&maps->comms, (uint64_t)pid, (uint64_t)pid);
	return comm ? (uint32_t)*comm : 0;
}

/* ---- changes ---- */

void maps_map(struct maps *maps, int64_t pid, const struct prof_image *image)
{
	struct process *process;
	struct space_mapping mapping = {
		.start = image->start,
		.end = image->end,
		.offset = image->offset,
	};

	if (image->end <= image->start)
		return;
	process = get_process(maps, pid);
	mapping.image = find_source(maps, image);
	if (space_process_map(&maps->spaces, &process->task, &mapping))
		op_out_of_memory();
	maps_judge(maps, process, (uint32_t)mapping.image);
	if (pid == MAPS_KERNEL && image->kind == PROF_KERNEL)
		maps->kernel = mapping;
}

void maps_unmap(struct maps *maps, int64_t pid, uint64_t start, uint64_t end)
{
	struct process *process = find_process(maps, pid);

	if (process && space_process_unmap(&maps->spaces, &process->task, start, end))
		op_out_of_memory();
}

void maps_fork(struct maps *maps, int64_t pid, int64_t tid, int64_t parent_pid, int64_t parent_tid)
{
	const struct process *parent;
	struct process *process;

	set_comm(maps, pid, tid, maps_comm_of(maps, parent_pid, parent_tid));
	if (pid == parent_pid)
		return;
	parent = get_process(maps, parent_pid);
	process = (struct process *)space_process_fork(&maps->spaces, pid, &parent->task);
	if (!process)
		op_out_of_memory();
	process->program = parent->program;
	process->has_executed = parent->has_executed;
	process->may_have_executed = false;
	memcpy(process->comm, parent->comm, sizeof(process->comm));
}

static struct process *begin_program(struct maps *maps, int64_t pid)
{
	struct process *process = (struct process *)space_process_exec(&maps->spaces, pid);

	if (!process)
		op_out_of_memory();
	process->program = NO_PROGRAM;
	process->has_executed = process->may_have_executed = false;
	process->comm[0] = '\0';
	return process;
}

void maps_begin(struct maps *maps, int64_t pid)
{
	space_process_runs(&begin_program(maps, pid)->task);
}

void maps_exec(struct maps *maps, int64_t pid)
{
	uint64_t app = get_process(maps, pid)->task.app;
	struct process *process = begin_program(maps, pid);

	process->has_executed = true;
	process->app_before = (uint32_t)app;
}

void maps_runs(struct maps *maps, int64_t pid)
{
	struct process *process = find_process(maps, pid);

	if (process)
		space_process_runs(&process->task);
}

void maps_may_exec(struct maps *maps, int64_t pid)
{
	get_process(maps, pid)->may_have_executed = true;
}

/* Threads are not counted: a recording may lack the beginnings of some. */
void maps_exit(struct maps *maps, int64_t pid, int64_t tid)
{
	struct process *process = pid == tid ? find_process(maps, pid) : NULL, *old;
	uint64_t number;

	if (!process)
		return;
	number = maps->exits++;
	process->task.ended = number + 1;
	if (number >= EXITED_KEPT) {
		/* its pid may be in use again, or may have ended once more since */
		old = find_process(maps, maps->exited[number % EXITED_KEPT]);
		if (old && old->task.ended == number + 1 - EXITED_KEPT)
			space_process_clear(&old->task);
	}
	maps->exited[number % EXITED_KEPT] = pid;
}

/* ---- lookups ---- */

static uint32_t id_of_source(struct maps *maps, struct source *source,
			     const struct space_mapping *mapping)
{
	struct prof_image image = source->image;

	if (source->id == OP_HASH_NONE) {
		if (mapping) {
			image.start = mapping->start;
			image.end = mapping->end;
			image.offset = mapping->offset;
		}
		source->id = maps->sink->image(maps->sink, &image);
	}
	return source->id;
}

/*
 * Anonymous memory is an image of each process.  The tag keeps the last answer, as a mapping may be
 * shared between processes: the pid in its upper half, below it the id + 1.
 */
static uint32_t id_of_anon(struct maps *maps, const struct source *source,
			   struct space_mapping *mapping, int64_t pid)
{
	struct prof_image image = source->image;
	uint64_t owner = (uint64_t)(uint32_t)pid << 32;

	if (!(uint32_t)mapping->tag || mapping->tag >> 32 != owner >> 32) {
		image.start = mapping->whole_start;
		image.end = mapping->whole_end;
		image.pid = pid;
		mapping->tag = owner | (maps->sink->image(maps->sink, &image) + 1);
	}
	return (uint32_t)mapping->tag - 1;
}

/* Recorders tell less of the kernel than what it runs: code that is freed after boot, for one. */
static bool is_near_kernel(const struct maps *maps, uint64_t address)
{
	const struct space_mapping *kernel = &maps->kernel;

	return kernel->end && address >= kernel->end &&
	       address / KERNEL_REGION == kernel->start / KERNEL_REGION;
}

bool maps_find(struct maps *maps, int64_t pid, uint64_t address, struct prof_frame *frame)
{
	struct process *process = find_process(maps, pid);
	struct space_mapping *mapping =
		process ? space_process_lookup(&process->task, address) : NULL;
	struct source *source;

	if (!mapping && pid == MAPS_KERNEL && is_near_kernel(maps, address))
		mapping = &maps->kernel;
	if (!mapping) {
		frame->image = pid == MAPS_KERNEL ? PROF_NO_KERNEL_IMAGE : PROF_NO_IMAGE;
		frame->offset = address;
		return false;
	}
	source = &maps->sources[mapping->image];
	frame->offset = address - mapping->start + mapping->offset;
	frame->image = source->image.kind == PROF_ANON ? id_of_anon(maps, source, mapping, pid)
						       : id_of_source(maps, source, mapping);
	return true;
}

bool maps_file(struct maps *maps, int64_t pid, uint64_t address, uint64_t *file, uint64_t *offset)
{
	struct process *process = find_process(maps, pid);
	const struct space_mapping *mapping =
		process ? space_process_lookup(&process->task, address) : NULL;

	if (!mapping || maps->sources[mapping->image].image.kind != PROF_FILE)
		return false;
	*file = mapping->image;
	*offset = address - mapping->start + mapping->offset;
	return true;
}

const struct prof_image *maps_file_image(const struct maps *maps, uint64_t file)
{
	return &maps->sources[file].image;
}

uint32_t maps_app(struct maps *maps, int64_t pid)
{
	struct process *process = find_process(maps, pid);
	uint64_t app = process ? process->task.app : OP_HASH_NONE;

	/* the kernel works for the one that called it */
	if (app == OP_HASH_NONE && process && process->task.before)
		app = process->app_before;
	if (app == OP_HASH_NONE)
		return PROF_NO_IMAGE;
	return id_of_source(maps, &maps->sources[app], NULL);
}
