/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that were there before perf told of them, as /proc shows them.
 */
#ifndef DAEMON_PERF_PROC_H
#define DAEMON_PERF_PROC_H

#include "perf_process.h"

/**
 * perf_proc_read - take what /proc/PID says of a process for what is mapped now
 * @anew: forget what was known
 *
 * A process that is not there (any more) stays as it is.
 */
void perf_proc_read(struct perf_processes *processes, struct perf_process *process, bool anew);

/* For perf_proc.c: forgets all mappings; adds one. */
void perf_process_drop(struct perf_process *process);
void perf_process_add(struct perf_process *process, const struct perf_mapping *mapping);
/*
 * The label of anonymous memory by the name that the kernel gives; NULL if it is a file.
 * @program: it is known to be a program, so that even memory without a place on disk is a file
 */
const char *perf_process_label(const char *name, bool program);

#endif
