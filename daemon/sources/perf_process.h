/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes as perf's records tell of them: which code each one has mapped where.
 *
 * Only executable mappings are told and kept.  A mapping lasts until another one is made in its
 * place or its process ends or executes another program: perf does not tell of munmap(2), and
 * no sample comes from where nothing is mapped.
 *
 * Times are rounds: numbers of the source's reads.  A process that has ended is kept for
 * PERF_PROCESS_KEPT rounds, for samples and questions that come late.
 */
#ifndef DAEMON_PERF_PROCESS_H
#define DAEMON_PERF_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf_image.h"

#define PERF_PROCESS_KEPT 2

/* struct perf_mapping - addresses of one file, or of anonymous memory */
struct perf_mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file, of @start */
	uint64_t cookie; /* OPROFILE_NO_COOKIE: anonymous */
	char *label;	 /* of anonymous memory, as /proc/PID/maps has it; "" if it has none */
};

struct perf_process {
	struct perf_process *next; /* another one in the same bucket */
	uint32_t tgid;
	uint32_t threads;
	uint64_t number;  /* another one for each program that is executed */
	uint64_t app;	  /* cookie of the program; OPROFILE_NO_COOKIE: none yet */
	uint64_t mount;	  /* inode of its mount namespace; 0: not known */
	uint64_t ended;	  /* the round in which it ended; 0: it has not */
	uint64_t read;	  /* the round in which its /proc/PID/maps was read last */
	uint64_t read_at; /* and the time, in ns of the monotonic clock */
	uint64_t told;	  /* the round in which a sample in its anonymous memory was told last */
	struct perf_mapping *mapping; /* sorted, apart from each other */
	size_t count, room;
	size_t recent; /* index of the one that was found last */
};

#define PERF_PROCESS_BUCKETS 4096

struct perf_processes {
	struct perf_process *bucket[PERF_PROCESS_BUCKETS];
	size_t count, sweep_at; /* how many there are, and may be before a closer look */
	size_t images_sweep_at;
	uint64_t round, now, last_number;
	uint64_t mount; /* the mount namespace of this process */
	uint64_t stale; /* the round in which records were lost last: what is older may be wrong */
	struct perf_images images;
};

void perf_processes_init(struct perf_processes *processes);
void perf_processes_free(struct perf_processes *processes);

/* Begins a round at the time @now (monotonic, ns): forgets what ended long enough ago. */
void perf_processes_next_round(struct perf_processes *processes, uint64_t now);

/* A process that is known, or NULL. */
struct perf_process *perf_process_find(const struct perf_processes *processes, uint32_t tgid);

/**
 * perf_process_get - a process, read from /proc if it is not known
 *
 * Return: NULL when out of memory; a process that is not in /proc any more has no mappings.
 */
struct perf_process *perf_process_get(struct perf_processes *processes, uint32_t tgid);

/**
 * perf_process_known - what is known to be mapped at an address
 *
 * Return: the mapping, good until the next record is taken, or NULL.
 */
const struct perf_mapping *perf_process_known(struct perf_process *process, uint64_t address);

/**
 * perf_process_where - the same, of an address at which code was executed
 *
 * If nothing is known there, /proc is read again, though at most once a second.  That is not for
 * callers: chains by frame pointers lead anywhere in code that has none.
 */
const struct perf_mapping *perf_process_where(struct perf_processes *processes,
					      struct perf_process *process, uint64_t address);

/* Reads all processes from /proc.  Return: 0, or -1 when out of memory. */
int perf_processes_read_all(struct perf_processes *processes);

/* The records.  Each does what it can when memory is short. */
void perf_process_fork(struct perf_processes *processes, uint32_t tgid, uint32_t parent);
void perf_process_exec(struct perf_processes *processes, uint32_t tgid);
void perf_process_exit(struct perf_processes *processes, uint32_t tgid);
void perf_process_map(struct perf_processes *processes, uint32_t tgid, uint64_t start, uint64_t end,
		      uint64_t offset, const struct perf_file *file);
void perf_process_namespace(struct perf_processes *processes, uint32_t tgid, uint64_t mount);

/* Notes that records were lost: processes are read from /proc anew where they are there. */
void perf_processes_lost(struct perf_processes *processes);

/* Its anonymous mappings as lines of /proc/PID/maps; the caller frees the text.  NULL: none. */
char *perf_process_anon_text(const struct perf_process *process);

#endif
