/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces: which image is mapped at an address of a process, by the records of mappings,
 * forks, execs and exits.  Used for the live rings and for recordings.
 *
 * Records are added in the order of time, and lookups see those that were added before.  Images
 * are numbers of the caller.  A process that ended is kept until the caller removes it, for late
 * lookups.  A child shares the mappings of its parent until either changes.
 *
 * Functions return an error when out of memory; that record is then missing.
 */
#ifndef LIBOP_PERF_ADDRESS_SPACE_H
#define LIBOP_PERF_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* struct space_mapping - an address range of one image */
struct space_mapping {
	uint64_t start, end;
	uint64_t offset; /* in the image, of @start */
	uint64_t image;
	char *label; /* of anonymous memory, or NULL */
	uint64_t whole_start,
		whole_end; /* as it was mapped; parts may be covered by others since */
	uint64_t tag;	   /* the user's; 0 in a new mapping */
};

struct address_space;

/* struct space_process - a process; the user may embed it as first member in a larger one */
struct space_process {
	struct space_process *next; /* in its bucket */
	int64_t pid;
	uint32_t threads;
	uint64_t number;	     /* a new one for each program that is executed */
	uint64_t app;		     /* image of the program, set by the user */
	uint64_t ended;		     /* time of its end; 0: it has not ended */
	struct address_space *space; /* NULL: nothing is mapped */
	/* of the program before, whose code called the kernel to execute this one; NULL once code
	 * of this one is seen */
	struct address_space *before;
};

struct address_spaces {
	struct space_process **bucket;
	size_t buckets, count; /* buckets: a power of two; count: processes */
	uint64_t last_number;
	size_t process_size;  /* bytes of what embeds struct space_process */
	size_t mappings_most; /* of one process; further ones are refused */
	uint64_t no_image;    /* struct space_process.app of a program without an image yet */
};

void address_spaces_free(struct address_spaces *spaces);

/* Return: the process, or NULL if it is unknown. */
static inline struct space_process *space_process_find(const struct address_spaces *spaces,
						       int64_t pid)
{
	struct space_process *process;

	if (!spaces->buckets)
		return NULL;
	process = spaces->bucket[(uint64_t)pid & (spaces->buckets - 1)];
	while (process && process->pid != pid)
		process = process->next;
	return process;
}

/* Return: the process, which is new if it was unknown, or NULL when out of memory. */
struct space_process *space_process_get(struct address_spaces *spaces, int64_t pid);

/**
 * space_process_map - something is mapped
 * @mapping: copied with its label; whole_start, whole_end and tag are set here
 *
 * Covers older mappings.  A mapping with end <= start is ignored.
 *
 * Return: 0, or -1: out of memory, or there are too many mappings.
 */
int space_process_map(const struct address_spaces *spaces, struct space_process *process,
		      const struct space_mapping *mapping);

/* Removes an address range.  Return: as of space_process_map(). */
int space_process_unmap(const struct address_spaces *spaces, struct space_process *process,
			uint64_t start, uint64_t end);

/* Forgets all mappings. */
void space_process_clear(struct space_process *process);

/* Code of the process's program runs: what the one before had mapped is forgotten. */
void space_process_runs(struct space_process *process);

/**
 * space_process_lookup - the mapping at an address
 *
 * While the kernel executes a program, the caller is still the one before: its mappings are found,
 * too, until an address of the new one is looked up.
 *
 * Return: the mapping, good until the next event of the process, or NULL.
 */
struct space_mapping *space_process_lookup(struct space_process *process, uint64_t address);

/* All mappings in the order of their addresses. */
size_t space_process_mappings(const struct space_process *process,
			      const struct space_mapping **mappings);

/**
 * space_process_fork - a process begins with the mappings of its parent
 * @parent: another process
 *
 * Return: the process, or NULL when out of memory.
 */
struct space_process *space_process_fork(struct address_spaces *spaces, int64_t pid,
					 const struct space_process *parent);

/* A process executes a program: it has one thread, and nothing is mapped; what was before can still
 * be looked up.  Return: as of fork. */
struct space_process *space_process_exec(struct address_spaces *spaces, int64_t pid);

/* A thread of a process ends, and with the last one the process.  @now: the time, not 0. */
void space_process_exit(struct space_process *process, uint64_t now);

/* Forgets processes of which @is_gone returns true. */
void address_spaces_forget(struct address_spaces *spaces,
			   bool (*is_gone)(const struct space_process *process, void *context),
			   void *context);

/* Iterates over all processes: the one after @process, or the first after NULL; NULL at the end. */
struct space_process *address_spaces_next(const struct address_spaces *spaces,
					  const struct space_process *process);

#endif
