// SPDX-License-Identifier: GPL-2.0-or-later
/* Address spaces of processes: see address_space.h. */
#include "address_space.h"
#include "libop/base/search.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS_LEAST  4096 /* a power of two */
#define MAPPINGS_LEAST 16

/* struct address_space - mappings of a process, and of its children until either changes */
struct address_space {
	unsigned int users;
	struct space_mapping *mapping; /* by address; they do not overlap */
	size_t count, room;
	size_t recent; /* index of the one that was found last */
};

/* ---- mappings ---- */

static void address_space_release(struct address_space *space)
{
	if (!space || --space->users)
		return;
	for (size_t i = 0; i < space->count; i++)
		free(space->mapping[i].label);
	free(space->mapping);
	free(space);
}

static bool address_spaces_make_room(const struct address_spaces *spaces,
				     struct address_space *space, size_t more)
{
	size_t room = space->room ? space->room : MAPPINGS_LEAST;
	struct space_mapping *larger;

	if (space->count + more > spaces->mappings_most)
		return false;
	while (room < space->count + more)
		room *= 2;
	if (room == space->room)
		return true;
	larger = reallocarray(space->mapping, room, sizeof(*larger));
	if (!larger)
		return false;
	space->mapping = larger;
	space->room = room;
	return true;
}

static bool insert_at(const struct address_spaces *spaces, struct address_space *space, size_t at,
		      const struct space_mapping *mapping)
{
	char *label = mapping->label ? strdup(mapping->label) : NULL;

	if ((mapping->label && !label) || !address_spaces_make_room(spaces, space, 1)) {
		free(label);
		return false;
	}
	memmove(&space->mapping[at + 1], &space->mapping[at],
		(space->count - at) * sizeof(space->mapping[0]));
	space->mapping[at] = *mapping;
	space->mapping[at].label = label;
	space->count++;
	return true;
}

static struct address_space *copy_of(const struct address_spaces *spaces,
				     const struct address_space *from)
{
	struct address_space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->users = 1;
	for (size_t i = 0; from && i < from->count; i++) {
		if (!insert_at(spaces, space, i, &from->mapping[i])) {
			address_space_release(space);
			return NULL;
		}
	}
	return space;
}

/* The process's space for a change: its own.  Return: NULL when out of memory. */
static struct address_space *own_space(const struct address_spaces *spaces,
				       struct space_process *process)
{
	struct address_space *shared = process->space, *space;

	if (shared && shared->users == 1)
		return shared;
	space = copy_of(spaces, shared);
	if (!space)
		return NULL;
	address_space_release(shared);
	process->space = space;
	return space;
}

/* The index of the first mapping that ends after @address. */
static size_t first_behind(const struct address_space *space, uint64_t address)
{
	return op_first_above(space->mapping, space->count, end, address);
}

/* Cuts a mapping in two.  Return: whether the upper part could be kept. */
static bool cut_out(const struct address_spaces *spaces, struct address_space *space, size_t at,
		    uint64_t start, uint64_t end)
{
	struct space_mapping upper = space->mapping[at];

	upper.offset += end - upper.start;
	upper.start = end;
	space->mapping[at].end = start;
	return insert_at(spaces, space, at + 1, &upper);
}

/* Removes start..end: mappings in it are removed, those that overlap it are cut. */
static bool clear_range(const struct address_spaces *spaces, struct address_space *space,
			uint64_t start, uint64_t end)
{
	size_t first = first_behind(space, start), last;
	struct space_mapping *mapping = &space->mapping[first];

	if (first < space->count && mapping->start < start && mapping->end > end)
		return cut_out(spaces, space, first, start, end);
	if (first < space->count && mapping->start < start)
		space->mapping[first++].end = start;
	for (last = first; last < space->count && space->mapping[last].end <= end; last++)
		free(space->mapping[last].label);
	mapping = &space->mapping[last];
	if (last < space->count && mapping->start < end) {
		mapping->offset += end - mapping->start;
		mapping->start = end;
	}
	if (last > first)
		memmove(&space->mapping[first], mapping, (space->count - last) * sizeof(*mapping));
	space->count -= last - first;
	return true;
}

int space_process_map(const struct address_spaces *spaces, struct space_process *process,
		      const struct space_mapping *mapping)
{
	struct space_mapping fresh = *mapping;
	struct address_space *space;
	bool good;

	if (mapping->end <= mapping->start)
		return 0;
	space = own_space(spaces, process);
	if (!space)
		return -1;
	fresh.whole_start = mapping->start;
	fresh.whole_end = mapping->end;
	fresh.tag = 0;
	good = clear_range(spaces, space, mapping->start, mapping->end);
	good &= insert_at(spaces, space, first_behind(space, mapping->start), &fresh);
	return good ? 0 : -1;
}

int space_process_unmap(const struct address_spaces *spaces, struct space_process *process,
			uint64_t start, uint64_t end)
{
	struct address_space *space;

	if (!process->space || !process->space->count || end <= start)
		return 0;
	space = own_space(spaces, process);
	return space && clear_range(spaces, space, start, end) ? 0 : -1;
}

void space_process_clear(struct space_process *process)
{
	address_space_release(process->space);
	process->space = NULL;
	space_process_runs(process);
}

void space_process_runs(struct space_process *process)
{
	address_space_release(process->before);
	process->before = NULL;
}

static struct space_mapping *lookup(struct address_space *space, uint64_t address)
{
	struct space_mapping *mapping;
	size_t at;

	if (!space || !space->count)
		return NULL;
	mapping = &space->mapping[space->recent < space->count ? space->recent : 0];
	if (address - mapping->start < mapping->end - mapping->start)
		return mapping;
	at = first_behind(space, address);
	if (at == space->count || address < space->mapping[at].start)
		return NULL;
	space->recent = at;
	return &space->mapping[at];
}

struct space_mapping *space_process_lookup(struct space_process *process, uint64_t address)
{
	struct space_mapping *mapping = lookup(process->space, address);

	if (!process->before)
		return mapping;
	if (!mapping)
		return lookup(process->before, address);
	space_process_runs(process);
	return mapping;
}

size_t space_process_mappings(const struct space_process *process,
			      const struct space_mapping **mappings)
{
	*mappings = process->space ? process->space->mapping : NULL;
	return process->space ? process->space->count : 0;
}

/* ---- processes ---- */

static void address_spaces_put(struct address_spaces *spaces, struct space_process *process)
{
	struct space_process **bucket =
		&spaces->bucket[(uint64_t)process->pid & (spaces->buckets - 1)];

	process->next = *bucket;
	*bucket = process;
}

/* More buckets if there are many processes; without memory for them, there have to be enough. */
static void address_spaces_grow(struct address_spaces *spaces)
{
	size_t buckets = spaces->buckets ? 2 * spaces->buckets : BUCKETS_LEAST;
	struct space_process **old = spaces->bucket, *process, *next;
	size_t old_buckets = spaces->buckets;

	if (spaces->count < spaces->buckets)
		return;
	spaces->bucket = calloc(buckets, sizeof(struct space_process *));
	if (!spaces->bucket) {
		spaces->bucket = old;
		return;
	}
	spaces->buckets = buckets;
	for (size_t i = 0; i < old_buckets; i++) {
		for (process = old[i]; process; process = next) {
			next = process->next;
			address_spaces_put(spaces, process);
		}
	}
	free(old);
}

struct space_process *space_process_get(struct address_spaces *spaces, int64_t pid)
{
	struct space_process *process = space_process_find(spaces, pid);

	if (process)
		return process;
	address_spaces_grow(spaces);
	process = spaces->buckets ? calloc(1, spaces->process_size) : NULL;
	if (!process)
		return NULL;
	process->pid = pid;
	process->threads = 1;
	process->number = ++spaces->last_number;
	process->app = spaces->no_image;
	address_spaces_put(spaces, process);
	spaces->count++;
	return process;
}

static void address_spaces_begin(struct address_spaces *spaces, struct space_process *process)
{
	process->number = ++spaces->last_number;
	process->threads = 1;
	process->ended = 0;
	space_process_clear(process);
}

struct space_process *space_process_fork(struct address_spaces *spaces, int64_t pid,
					 const struct space_process *parent)
{
	struct space_process *process = space_process_get(spaces, pid);

	if (!process)
		return NULL;
	address_spaces_begin(spaces, process);
	process->app = parent->app;
	process->space = parent->space;
	if (process->space)
		process->space->users++;
	return process;
}

struct space_process *space_process_exec(struct address_spaces *spaces, int64_t pid)
{
	struct space_process *process = space_process_get(spaces, pid);
	struct address_space *before;

	if (!process)
		return NULL;
	before = process->space;
	process->space = NULL;
	address_spaces_begin(spaces, process);
	process->before = before;
	process->app = spaces->no_image;
	return process;
}

void space_process_exit(struct space_process *process, uint64_t now)
{
	if (process->ended)
		return;
	if (process->threads)
		process->threads--;
	if (!process->threads)
		process->ended = now;
}

/* ---- all processes ---- */

void address_spaces_forget(struct address_spaces *spaces,
			   bool (*is_gone)(const struct space_process *process, void *context),
			   void *context)
{
	for (size_t i = 0; i < spaces->buckets; i++) {
		struct space_process **link = &spaces->bucket[i], *process;

		while ((process = *link)) {
			if (!is_gone(process, context)) {
				link = &process->next;
				continue;
			}
			*link = process->next;
			space_process_clear(process);
			free(process);
			spaces->count--;
		}
	}
}

struct space_process *address_spaces_next(const struct address_spaces *spaces,
					  const struct space_process *process)
{
	size_t at = 0;

	if (process && process->next)
		return process->next;
	if (process)
		at = ((uint64_t)process->pid & (spaces->buckets - 1)) + 1;
	for (; at < spaces->buckets; at++) {
		if (spaces->bucket[at])
			return spaces->bucket[at];
	}
	return NULL;
}

static bool is_any(const struct space_process *process, void *context)
{
	(void)process;
	(void)context;
	return true;
}

void address_spaces_free(struct address_spaces *spaces)
{
	address_spaces_forget(spaces, is_any, NULL);
	free(spaces->bucket);
	spaces->bucket = NULL;
	spaces->buckets = 0;
}
