/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code in the anonymous memory of live processes, for unwinding (libop/unwind/code.h).
 *
 * It is read from /proc/PID/mem, which waits for no userfaultfd(2), as process_vm_readv(2) does.
 * But what a process has there may change at any time, to a file of a file system that does not
 * answer.  So root reads memory of others apart, and each account has so much time.
 */
#ifndef DAEMON_SOURCES_PERF_CODE_H
#define DAEMON_SOURCES_PERF_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "libop/foreign/account.h"
#include "libop/unwind/code_cache.h"
#include "process.h"

/* Processes whose memory is open. */
#define PERF_CODE_OPEN 16

/* struct perf_code - owned by the source */
struct perf_code {
	struct code_cache cache;
	struct perf_code_memory {
		uint64_t number; /* struct space_process::number; 0: the place is free */
		int fd;		 /* -1: it cannot be read */
		bool is_apart;
		uint64_t account, used;
	} memory[PERF_CODE_OPEN];
	uint64_t uses;
	struct foreign_limit reading; /* seconds */
};

void perf_code_init(struct perf_code *code);
void perf_code_free(struct perf_code *code);

/**
 * perf_code_read - read code of a process
 * @address: in anonymous memory
 * @most: bytes
 *
 * Return: how many there are; 0: none is known: the process has ended, or may not be read, or its
 * account has had its time.
 */
size_t perf_code_read(struct perf_code *code, const struct perf_processes *processes,
		      struct perf_process *process, uint64_t address, uint8_t *bytes, size_t most);

#endif
