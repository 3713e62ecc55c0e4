// SPDX-License-Identifier: GPL-2.0-or-later
/* Attributes of events: see attr.h. */
#include "attr.h"

#include <inttypes.h>
#include <stdio.h>

#include "libop/base/array.h"

/* The kernel refuses an attr larger than a page. */
#define ATTR_SIZE_MOST 4096

uint64_t perf_bit_fields(uint64_t word, bool swap)
{
	uint64_t reversed = 0;

	if (!perf_big_endian(swap))
		return word;
	for (unsigned int bit = 0; bit < 64; bit++)
		reversed |= (word >> bit & 1) << (63 - bit);
	return reversed;
}

int perf_attr_read(struct perf_attr *attr, struct op_reader *bytes)
{
	struct op_reader body;
	const void *at;
	uint32_t size;

	*attr = (struct perf_attr){0};
	if (op_reader_left(bytes) < PERF_ATTR_SIZE_FIRST) {
		op_reader_fail(bytes);
		return -1;
	}
	size = op_load_u32(bytes->at + 4, bytes->swap);
	if (!size)
		size = PERF_ATTR_SIZE_FIRST;
	if (size < PERF_ATTR_SIZE_FIRST || size > ATTR_SIZE_MOST || size % 8)
		return -1;
	at = op_reader_take(bytes, size);
	if (!at)
		return -1;
	/* Reads past the end return 0, the value of missing fields. */
	body = op_reader_of(at, size, bytes->swap);
	attr->type = op_reader_u32(&body);
	op_reader_u32(&body);
	attr->size = size;
	attr->config = op_reader_u64(&body);
	attr->sample_period = op_reader_u64(&body);
	attr->sample_type = op_reader_u64(&body);
	attr->read_format = op_reader_u64(&body);
	attr->flags = perf_bit_fields(op_reader_u64(&body), body.swap);
	op_reader_u64(&body); /* wakeup_events, bp_type */
	attr->config1 = op_reader_u64(&body);
	attr->config2 = op_reader_u64(&body);
	attr->branch_sample_type = op_reader_u64(&body);
	attr->sample_regs_user = op_reader_u64(&body);
	attr->sample_stack_user = op_reader_u32(&body);
	attr->clockid = (int32_t)op_reader_u32(&body);
	attr->sample_regs_intr = op_reader_u64(&body);
	op_reader_u64(&body); /* aux_watermark, sample_max_stack */
	op_reader_u64(&body); /* aux_sample_size, aux_action */
	op_reader_u64(&body); /* sig_data */
	attr->config3 = op_reader_u64(&body);
	return 0;
}

/* Names of cache events: "L1-dcache-loads", "LLC-store-misses". */
static bool cache_name(uint64_t config, char *name, size_t size)
{
	static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
					     "iTLB",	  "branch",    "node"};
	static const char *const operations[] = {"load", "store", "prefetch"};
	uint64_t cache = config & 0xff, operation = config >> 8 & 0xff, miss = config >> 16 & 0xff;

	if (cache >= OP_ARRAY_SIZE(caches) || operation > 2 || miss > 1)
		return false;
	if (miss)
		snprintf(name, size, "%s-%s-misses", caches[cache], operations[operation]);
	else
		snprintf(name, size, "%s-%s%s", caches[cache], operations[operation],
			 operation == 2 ? "es" : "s");
	return true;
}

void perf_attr_name(const struct perf_attr *attr, char *name, size_t size)
{
	static const char *const hardware[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};
	static const char *const software[] = {
		"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
		"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
	};
	uint64_t config = attr->config;

	/* On hybrid CPUs, the upper half is the type of the PMU. */
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE)
		config &= UINT32_MAX;
	if (attr->type == PERF_TYPE_HARDWARE && config < OP_ARRAY_SIZE(hardware))
		snprintf(name, size, "%s", hardware[config]);
	else if (attr->type == PERF_TYPE_SOFTWARE && config < OP_ARRAY_SIZE(software))
		snprintf(name, size, "%s", software[config]);
	else if (attr->type == PERF_TYPE_HW_CACHE && cache_name(config, name, size))
		return;
	else if (attr->type == PERF_TYPE_RAW)
		snprintf(name, size, "raw 0x%" PRIx64, config);
	else if (attr->type == PERF_TYPE_TRACEPOINT)
		snprintf(name, size, "tracepoint %" PRIu64, config);
	else if (attr->type == PERF_TYPE_BREAKPOINT)
		snprintf(name, size, "mem:0x%" PRIx64, attr->config1);
	else
		snprintf(name, size, "type %" PRIu32 " 0x%" PRIx64, attr->type, config);
}
