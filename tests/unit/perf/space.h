/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of a process, for unwinding: its mappings and their files; and chains as libdw has them.
 */
#ifndef TESTS_UNIT_PERF_SPACE_H
#define TESTS_UNIT_PERF_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/perf/unwind.h"

#define SPACE_MAPPINGS_MOST 256

struct space {
	pid_t pid;
	uint64_t stack_end; /* of the first thread's stack */
	size_t n;
	struct space_mapping {
		uint64_t start, end, offset;
		uint64_t file; /* number, for space_path() */
	} mappings[SPACE_MAPPINGS_MOST];
};

/* Reads the mappings of a process.  Return: false if it has none that can be read. */
bool space_read(struct space *space, pid_t pid);

/* Where code is.  Return: whether it is in a file. */
bool space_place(const struct space *space, uint64_t address, uint64_t *file, uint64_t *offset);

/* The path of a file: of any process. */
const char *space_path(uint64_t file);

/* For perf_unwind_new(); contexts are struct space. */
extern const struct perf_unwind_files space_files;

/**
 * space_walk_by_libdw - as perf_unwind_stack(), without unwind tables
 * @registers: as the kernel gives those of PERF_UNWIND_X86_64
 */
size_t space_walk_by_libdw(const struct space *space, const struct perf_user_state *user,
			   uint64_t frame[static PERF_UNWIND_FRAMES_MOST]);

/* Closes all files. */
void space_end(void);

#endif
