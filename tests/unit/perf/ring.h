/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as the kernel would write them, in rings that are plain memory.
 */
#ifndef TESTS_PERF_RING_H
#define TESTS_PERF_RING_H

#include "tests/unit/test.h"
#include "daemon/sources/perf/record.h"

/* struct bytes - a record in the making */
struct bytes {
	uint8_t at[1024];
	size_t size;
};

void bytes_put(struct bytes *bytes, const void *what, size_t size);
void bytes_u32(struct bytes *bytes, uint32_t value);
void bytes_u64(struct bytes *bytes, uint64_t value);

/* Begins a record; bytes_end() writes its size. */
void bytes_begin(struct bytes *bytes, uint32_t type, uint16_t misc);
/* Ends a record that is no sample: pid, tid, time, CPU and event follow. */
void bytes_end(struct bytes *bytes, uint32_t pid, uint64_t time);

/* A sample of user code without a call chain. */
void bytes_sample(struct bytes *bytes, uint64_t ip, uint32_t pid, uint64_t time);

#endif
