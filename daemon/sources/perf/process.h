/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes as the records of live rings show them: what is mapped where
 * (libop/perf/address_space.h), and which images that is.
 *
 * Only executable mappings are recorded.  There are no records of munmap(2), so a mapping lasts
 * until another one covers it or its process ends or executes a program; no sample comes from an
 * unmapped address.
 *
 * Times are rounds: numbers of the reads of the source.  A process that ended is kept for
 * PERF_PROCESS_KEPT rounds at least, for samples and lookups that come late.  All of them are
 * looked at only when so many have ended that it is worth it: there may be hundreds of rounds a
 * second.
 */
#ifndef DAEMON_SOURCES_PERF_PROCESS_H
#define DAEMON_SOURCES_PERF_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/foreign/account.h"
#include "libop/perf/address_space.h"
#include "image.h"

#define PERF_PROCESS_KEPT 2

struct perf_process {
	/* images are cookies; anonymous memory has OPROFILE_NO_COOKIE and a label */
	struct space_process task;
	uint64_t mount;	     /* inode of its mount namespace; 0: unknown */
	uint64_t read;	     /* the round in which its /proc/PID/maps was read last */
	uint64_t read_next;  /* when it may be read again, in ns of the monotonic clock */
	unsigned int misses; /* readings for an unknown address that did not have it, in a row */
	uint64_t anon_round; /* the round of the last sample in its anonymous memory */
};

struct perf_processes {
	struct address_spaces spaces; /* of struct perf_process */
	size_t sweep_at;	      /* number of processes before a sweep checks each of them */
	size_t images_sweep_at;
	size_t ended; /* processes that have ended and are kept, about */
	uint64_t round, now;
	uint64_t mount; /* the host's mount namespace */
	uint64_t stale; /* the round of the last lost records: what was read before may be wrong */
	struct foreign_limit reading; /* seconds of reading maps for unknown addresses */
	struct perf_images images;
};

void perf_processes_init(struct perf_processes *processes);
void perf_processes_free(struct perf_processes *processes);

/* Begins a round at the time @now (monotonic, ns): forgets what ended long enough ago. */
void perf_processes_next_round(struct perf_processes *processes, uint64_t now);

/* Return: a known process, or NULL. */
struct perf_process *perf_process_find(const struct perf_processes *processes, uint32_t tgid);

/* Return: the known mapping at an address, good until the next record is applied, or NULL. */
static inline const struct space_mapping *perf_process_known(struct perf_process *process,
							     uint64_t address)
{
	return space_process_lookup(&process->task, address);
}

/* Adds a mapping, which covers older ones.  When memory is short, it is missing. */
void perf_process_add(struct perf_processes *processes, struct perf_process *process,
		      const struct space_mapping *mapping);

/*
 * The label of anonymous memory by the name that the kernel gives; NULL if it is a file.
 * @program: it is known to be a program, so that even memory without a place on disk is a file
 */
const char *perf_process_label(const char *name, bool program);

/* Records.  When memory is short, what they say is missing. */
void perf_process_exec(struct perf_processes *processes, uint32_t tgid);
void perf_process_exit(struct perf_processes *processes, uint32_t tgid);
void perf_process_namespace(struct perf_processes *processes, uint32_t tgid, uint64_t mount);

/* Records were lost: processes are reread from /proc when they are looked up. */
void perf_processes_lost(struct perf_processes *processes);

/* How many of the known processes run. */
size_t perf_processes_running(const struct perf_processes *processes);

/* Its anonymous mappings as lines of /proc/PID/maps; the caller frees the text.  NULL: none. */
char *perf_process_anon_text(const struct perf_process *process);

#endif
