/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes as /proc shows them: those that began before there were records of them.
 */
#ifndef DAEMON_SOURCES_PERF_PROC_H
#define DAEMON_SOURCES_PERF_PROC_H

#include "process.h"

/**
 * perf_proc_read - read mappings, threads and mount namespace of a process from /proc/PID
 * @forget: forget the known mappings first
 *
 * A process without /proc/PID stays as it is.
 */
void perf_proc_read(struct perf_processes *processes, struct perf_process *process, bool forget);

#endif
