// SPDX-License-Identifier: GPL-2.0-or-later
/* See perf_attr.h. */
#include "pp/formats/perf/attr.h"

#include <inttypes.h>
#include <stdio.h>

/* No kernel takes an attr of more than a page. */
#define ATTR_SIZE_MOST 4096

int perf_attr_read(struct perf_attr *attr, struct perf_bytes *bytes)
{
	struct perf_bytes body;
	const void *at;
	uint32_t size;

	*attr = (struct perf_attr){0};
	if (perf_bytes_left(bytes) < PERF_ATTR_SIZE_FIRST) {
		bytes->fault = true;
		return -1;
	}
	size = perf_load32(bytes->at + 4, bytes->swap);
	if (!size)
		size = PERF_ATTR_SIZE_FIRST;
	if (size < PERF_ATTR_SIZE_FIRST || size > ATTR_SIZE_MOST || size % 8)
		return -1;
	at = perf_bytes_take(bytes, size);
	if (!at)
		return -1;
	/* Reads past the end give the zeros that stand for missing fields. */
	body = perf_bytes_of(at, size, bytes->swap);
	attr->type = perf_u32(&body);
	perf_u32(&body);
	attr->size = size;
	attr->config = perf_u64(&body);
	attr->sample_period = perf_u64(&body);
	attr->sample_type = perf_u64(&body);
	attr->read_format = perf_u64(&body);
	attr->flags = perf_bit_fields(perf_u64(&body), body.swap);
	perf_u64(&body); /* wakeup_events, bp_type */
	attr->config1 = perf_u64(&body);
	attr->config2 = perf_u64(&body);
	attr->branch_sample_type = perf_u64(&body);
	attr->sample_regs_user = perf_u64(&body);
	attr->sample_stack_user = perf_u32(&body);
	attr->clockid = (int32_t)perf_u32(&body);
	attr->sample_regs_intr = perf_u64(&body);
	perf_u64(&body); /* aux_watermark, sample_max_stack */
	perf_u64(&body); /* aux_sample_size, aux_action */
	perf_u64(&body); /* sig_data */
	attr->config3 = perf_u64(&body);
	return 0;
}

/* Names of counts in caches: "L1-dcache-loads", "LLC-store-misses". */
static bool cache_name(uint64_t config, char *name, size_t size)
{
	static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
					     "iTLB",	  "branch",    "node"};
	static const char *const operations[] = {"load", "store", "prefetch"};
	uint64_t cache = config & 0xff, operation = config >> 8 & 0xff, miss = config >> 16 & 0xff;

	if (cache >= sizeof(caches) / sizeof(*caches) || operation > 2 || miss > 1)
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

	/* On CPUs of two kinds, the upper half says which kind. */
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE)
		config &= UINT32_MAX;
	if (attr->type == PERF_TYPE_HARDWARE && config < sizeof(hardware) / sizeof(*hardware))
		snprintf(name, size, "%s", hardware[config]);
	else if (attr->type == PERF_TYPE_SOFTWARE && config < sizeof(software) / sizeof(*software))
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
