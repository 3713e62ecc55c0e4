// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address spaces of recordings: see maps.h.
 *
 * Which mapping is where is tracked by libop/perf/address_space.h; images there are numbers of
 * sources.  Processes are never forgotten, of which there can be only as many as pids, but only the
 * last EXITED_KEPT that ended keep their mappings.
 */
#include "maps.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "libop/tables/pair_table.h"
#include "libop/perf/address_space.h"

#define EXITED_KEPT 1024

/* What is mapped, at any address. */
struct source {
	struct prof_image image; /* without addresses; the path is owned */
	uint32_t id;		 /* of the sink; OP_HASH_NONE until it is first asked for */
};

struct maps {
	struct prof_sink *sink;
	struct source *sources;
	size_t n_sources, sources_capacity;
	struct op_hash by_source;
	struct address_spaces spaces;
	struct op_pair_table comms;   /* by process and thread */
	struct space_process *recent; /* the one that was found last */
	int64_t exited[EXITED_KEPT];
	uint64_t exits;
};

struct maps *maps_new(struct prof_sink *sink)
{
	struct maps *maps = pp_alloc(1, sizeof(*maps));

	maps->sink = sink;
	maps->spaces.process_size = sizeof(struct space_process);
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
	maps->sources = pp_grow(maps->sources, &maps->sources_capacity, maps->n_sources,
				sizeof(*maps->sources));
	source = &maps->sources[id];
	source->image = *image;
	source->image.path = pp_copy(image->path);
	source->id = OP_HASH_NONE;
	pp_hash_add(&maps->by_source, hash, id);
	return id;
}

/* ---- processes ---- */

/* The process, or NULL: nothing is known of it. */
static struct space_process *find_process(struct maps *maps, int64_t pid)
{
	struct space_process *process = maps->recent;

	if (process && process->pid == pid)
		return process;
	process = space_process_find(&maps->spaces, pid);
	if (process)
		maps->recent = process;
	return process;
}

static struct space_process *get_process(struct maps *maps, int64_t pid)
{
	struct space_process *process = space_process_get(&maps->spaces, pid);

	if (!process)
		pp_out_of_memory();
	return process;
}

/* ---- threads ---- */

static void set_comm(struct maps *maps, int64_t pid, int64_t tid, uint32_t comm)
{
	*op_pair_table_get(&maps->comms, (uint64_t)pid, (uint64_t)tid) = comm;
}

void maps_comm(struct maps *maps, int64_t pid, int64_t tid, const char *comm)
{
	set_comm(maps, pid, tid, maps->sink->string(maps->sink, comm));
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
	struct space_process *process;
	struct space_mapping mapping = {
		.start = image->start,
		.end = image->end,
		.offset = image->offset,
	};

	if (image->end <= image->start)
		return;
	process = get_process(maps, pid);
	mapping.image = find_source(maps, image);
	if (space_process_map(&maps->spaces, process, &mapping))
		pp_out_of_memory();
	if (process->app == OP_HASH_NONE && image->kind == PROF_FILE)
		process->app = mapping.image;
}

void maps_unmap(struct maps *maps, int64_t pid, uint64_t start, uint64_t end)
{
	struct space_process *process = find_process(maps, pid);

	if (process && space_process_unmap(&maps->spaces, process, start, end))
		pp_out_of_memory();
}

void maps_fork(struct maps *maps, int64_t pid, int64_t tid, int64_t parent_pid, int64_t parent_tid)
{
	set_comm(maps, pid, tid, maps_comm_of(maps, parent_pid, parent_tid));
	if (pid == parent_pid)
		return;
	if (!space_process_fork(&maps->spaces, pid, get_process(maps, parent_pid)))
		pp_out_of_memory();
}

void maps_exec(struct maps *maps, int64_t pid)
{
	if (!space_process_exec(&maps->spaces, pid))
		pp_out_of_memory();
}

/* Threads are not counted: a recording may lack the beginnings of some. */
void maps_exit(struct maps *maps, int64_t pid, int64_t tid)
{
	struct space_process *process = pid == tid ? find_process(maps, pid) : NULL, *old;
	uint64_t number;

	if (!process)
		return;
	number = maps->exits++;
	process->ended = number + 1;
	if (number >= EXITED_KEPT) {
		/* its pid may be in use again, or may have ended once more since */
		old = find_process(maps, maps->exited[number % EXITED_KEPT]);
		if (old && old->ended == number + 1 - EXITED_KEPT)
			space_process_clear(old);
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

bool maps_find(struct maps *maps, int64_t pid, uint64_t address, struct prof_frame *frame)
{
	struct space_process *process = find_process(maps, pid);
	struct space_mapping *mapping = process ? space_process_lookup(process, address) : NULL;
	struct source *source;

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

uint32_t maps_app(struct maps *maps, int64_t pid)
{
	struct space_process *process = find_process(maps, pid);

	if (!process || process->app == OP_HASH_NONE)
		return PROF_NO_IMAGE;
	return id_of_source(maps, &maps->sources[process->app], NULL);
}
