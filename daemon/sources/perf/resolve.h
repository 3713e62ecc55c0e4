/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds processes and their mappings, and reads /proc for what records have not said.
 */
#ifndef DAEMON_SOURCES_PERF_RESOLVE_H
#define DAEMON_SOURCES_PERF_RESOLVE_H

#include "process.h"

/**
 * perf_process_get - a process, read from /proc if it is unknown
 *
 * Return: NULL when out of memory; a process that is not in /proc any more has no mappings.
 */
struct perf_process *perf_process_get(struct perf_processes *processes, uint32_t tgid);

/**
 * perf_process_where - what is mapped at an address at which code was executed
 *
 * If nothing is known there, /proc is read again, at most once a second.  Not for callers: in code
 * without frame pointers, call chains by frame pointers hold arbitrary values.
 *
 * Return: as of perf_process_known().
 */
const struct space_mapping *perf_process_where(struct perf_processes *processes,
					       struct perf_process *process, uint64_t address);

/* Reads all processes from /proc.  Return: 0, or -1 when out of memory. */
int perf_processes_read_all(struct perf_processes *processes);

/* Records of a fork and of a mapping.  When memory is short, what they say is missing. */
void perf_process_fork(struct perf_processes *processes, uint32_t tgid, uint32_t parent);
void perf_process_map(struct perf_processes *processes, uint32_t tgid, uint64_t start, uint64_t end,
		      uint64_t offset, const struct perf_file *file);

#endif
