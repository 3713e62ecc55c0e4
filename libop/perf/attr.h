/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_event_attr decoded from a perf.data file: any size, either byte order.
 *
 * Fields beyond the end of a short attr are 0.  Unknown fields of a long attr are
 * skipped.  A live source fills in one struct perf_attr for all of its events.
 */
#ifndef LIBOP_PERF_ATTR_H
#define LIBOP_PERF_ATTR_H

#include "abi.h"
#include "libop/base/reader.h"

/* Sizes of perf_event_attr: the first published one (VER0), and the one that is written (VER5). */
#define PERF_ATTR_SIZE_FIRST 64
#define PERF_ATTR_SIZE_WRITE 112

/* Bits of ->flags; bit 0 is the first bit-field of perf_event_attr in either byte order. */
enum perf_attr_flag {
	PERF_FLAG_FREQ = 10,
	PERF_FLAG_SAMPLE_ID_ALL = 18,
	PERF_FLAG_NO_USER_CHAIN = 22,
	PERF_FLAG_COMM_EXEC = 24,
	PERF_FLAG_BUILD_ID = 34,
};

struct perf_attr {
	uint32_t type;
	uint32_t size; /* as in the file; never 0 */
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

/* Whether the writer of numbers that need @swap was a big-endian machine. */
static inline bool perf_big_endian(bool swap)
{
	return swap == op_swap_for(true);
}

/**
 * perf_bit_fields - a word of bit-fields with the first bit-field in bit 0
 * @word: as a number of this machine
 * @swap: of its reader: a big-endian machine starts with the most significant bit
 */
uint64_t perf_bit_fields(uint64_t word, bool swap);

/**
 * perf_attr_read - decode one perf_event_attr
 * @bytes: begins at the attr; attr->size bytes are consumed
 *
 * Return: 0, or -1 if the size is invalid or larger than @bytes.
 */
int perf_attr_read(struct perf_attr *attr, struct op_reader *bytes);

/**
 * perf_attr_name - make up the name of an event that the file does not name
 * @name: filled in: "cpu-clock", "cycles", "L1-dcache-load-misses", "raw 0x1c2", "type 9 0x1"
 */
void perf_attr_name(const struct perf_attr *attr, char *name, size_t size);

#endif
