/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes as /proc shows them: those that began before there were records of them.
 */
#ifndef DAEMON_SOURCES_PERF_PROC_H
#define DAEMON_SOURCES_PERF_PROC_H

#include "process.h"

/**
 * perf_proc_cookie - the cookie of a mapped file whose build-id was not told
 * @thread: a thread of the process that runs (machine_thread())
 * @file: of it, without a build-id, which is read if the file can be reached
 */
uint64_t perf_proc_cookie(struct perf_processes *processes, uint32_t thread, uint64_t start,
			  uint64_t end, const struct perf_file *file);

/**
 * perf_proc_read - read mappings, threads and mount namespace of a process from /proc/PID
 * @forget: forget the known mappings first
 *
 * A process without /proc/PID stays as it is.
 */
void perf_proc_read(struct perf_processes *processes, struct perf_process *process, bool forget);

#endif
