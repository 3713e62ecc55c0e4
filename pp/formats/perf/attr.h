/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_event_attr as a perf.data file has it: of any length and either byte order.
 *
 * Fields that a short attr does not have are 0; what a long one has beyond those known here is
 * passed over.
 */
#ifndef PP_FORMATS_PERF_ATTR_H
#define PP_FORMATS_PERF_ATTR_H

#include "pp/formats/perf/abi.h"
#include "pp/formats/perf/bytes.h"

/* Sizes of perf_event_attr: the first that was published, and the one that we write. */
#define PERF_ATTR_SIZE_FIRST 64
#define PERF_ATTR_SIZE_WRITE 112

/* Bits of ->flags; bit 0 is the first bit-field of perf_event_attr in either byte order. */
enum perf_attr_flag {
	PERF_FLAG_FREQ = 10,
	PERF_FLAG_SAMPLE_ID_ALL = 18,
	PERF_FLAG_BUILD_ID = 34,
};

struct perf_attr {
	uint32_t type;
	uint32_t size; /* as it stands in the file; never 0 */
	uint64_t config, config1, config2, config3;
	uint64_t sample_period; /* or the frequency, with PERF_FLAG_FREQ */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user, sample_regs_intr;
	uint32_t sample_stack_user;
	int32_t clockid;
};

static inline bool perf_attr_flag(const struct perf_attr *attr, enum perf_attr_flag flag)
{
	return attr->flags >> flag & 1;
}

/**
 * perf_attr_read - decode one perf_event_attr
 * @bytes: its bytes, of which attr->size are taken; what follows them stays
 *
 * Return: 0, or -1 if its size is none that can be or there are fewer bytes.
 */
int perf_attr_read(struct perf_attr *attr, struct perf_bytes *bytes);

/**
 * perf_attr_name - the name of an event of which the file says none
 * @name: filled in: "cpu-clock", "cycles", "L1-dcache-load-misses", "raw 0x1c2", "type 9 0x1"
 */
void perf_attr_name(const struct perf_attr *attr, char *name, size_t size);

#endif
