/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes SAMPLE records, and the trailer (sample_id) of the kernel's other records.  Both are
 * laid out by perf_event_attr.
 */
#ifndef LIBOP_PERF_SAMPLE_H
#define LIBOP_PERF_SAMPLE_H

#include "attr.h"

/* Fields that samples and trailers share; those that the attr does not select are 0. */
struct perf_ids {
	uint32_t pid, tid;
	uint64_t time; /* ns; 0 if there is none */
	uint64_t id;   /* of the event, from ID or IDENTIFIER */
	uint64_t stream_id;
	uint32_t cpu;
};

/* The fields that all samples of a live source have. */
#define PERF_SAMPLE_LIVE                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU)
/*
 * The same with the period, for events whose period is adapted to a frequency.  With a fixed
 * period, Linux samples each single event of software events that select PERF_SAMPLE_PERIOD.
 */
#define PERF_SAMPLE_LIVE_PERIOD (PERF_SAMPLE_LIVE | PERF_SAMPLE_PERIOD)

/* struct perf_user_state - registers and a copy of the stack of user code, for unwinding */
struct perf_user_state {
	uint64_t abi;		  /* PERF_SAMPLE_REGS_ABI_*; 0: no registers */
	const uint8_t *registers; /* u64s, not aligned, one for each bit of the attr's mask */
	const uint8_t *stack;
	uint64_t size; /* valid bytes of @stack */
};

/* struct perf_sample_extra - fields that live sources do not select */
struct perf_sample_extra {
	uint64_t raw_size;
	const uint8_t *raw;
	uint64_t branches_size;
	const uint8_t *branches; /* newest first; see perf_branch_at() */
	uint64_t counters;	 /* number of counters whose values follow; these are skipped */
	uint64_t addr, weight, data_src, transaction, phys_addr, cgroup;
	uint64_t data_page_size, code_page_size;
	uint64_t aux_size; /* bytes of AUX data, which are skipped */
};

struct perf_sample {
	struct perf_ids ids;
	uint64_t ip;
	uint64_t period;
	uint64_t chain_size;  /* entries, with context markers */
	const uint8_t *chain; /* u64s, not aligned, leaf first; see perf_chain_at() */
	struct perf_user_state user;
	bool swap;
	struct perf_sample_extra extra;
};

struct perf_branch {
	uint64_t from, to;
	bool mispredicted, predicted, in_transaction, abort;
	uint16_t cycles; /* since the previous branch; 0: unknown */
};

/**
 * perf_sample_read - decode the body of a SAMPLE
 * @bytes: what follows the header of the record
 *
 * Pointers in @sample are into @bytes.  A sample without a period has that of the attr.
 *
 * Return: NULL, or the name of the field that is cut off by the end of the record.
 */
const char *perf_sample_read(struct perf_sample *sample, const struct perf_attr *attr,
			     struct op_reader bytes);

/**
 * perf_sample_read_live - the same for a live source, at less cost
 * @attr: selects PERF_SAMPLE_LIVE, and optionally the period, the call chain and the user's state
 * @body, @size: what follows the header of the record, in this machine's byte order
 *
 * Does not set @sample->extra.
 */
const char *perf_sample_read_live(struct perf_sample *sample, const struct perf_attr *attr,
				  const void *body, size_t size);

static inline uint64_t perf_chain_at(const struct perf_sample *sample, uint64_t index)
{
	return op_load_u64(sample->chain + 8 * index, sample->swap);
}

struct perf_branch perf_branch_at(const struct perf_sample *sample, uint64_t index);

/* The fields of a trailer. */
#define PERF_TRAILER_BITS                                                                          \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Bytes of the trailer of an event with sample_id_all. */
static inline size_t perf_trailer_bytes(uint64_t sample_type)
{
	return 8 * (size_t)__builtin_popcountll(sample_type & PERF_TRAILER_BITS);
}

/**
 * perf_trailer_read - decode the trailer and remove it from the end of @bytes
 * @bytes: what follows the header of the record
 *
 * Return: 0, or -1 if the record is shorter than its trailer.
 */
int perf_trailer_read(struct perf_ids *ids, const struct perf_attr *attr, struct op_reader *bytes);

/**
 * perf_id_offset - the offset of the event's id in a sample
 *
 * Return: bytes from the start of the body, or -1 if there is none.
 */
int perf_id_offset(uint64_t sample_type);

/**
 * perf_id_offset_back - the offset of the event's id in other records
 *
 * Return: bytes from the end of the record to the start of the id, or -1 if there is none.
 */
int perf_id_offset_back(uint64_t sample_type);

/* Fields of 8 bytes that a sample begins with. */
#define PERF_SAMPLE_FIXED                                                                          \
	(PERF_TRAILER_BITS | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD)

/* Bytes of a sample's body before what has no fixed size. */
static inline size_t perf_sample_fixed_bytes(uint64_t sample_type)
{
	return 8 * (size_t)__builtin_popcountll(sample_type & PERF_SAMPLE_FIXED);
}

/* Bytes of the registers that an attr's mask selects. */
static inline size_t perf_registers_bytes(uint64_t mask)
{
	return 8 * (size_t)__builtin_popcountll(mask);
}

/* Bytes from the start of a sample's body to its time, if it has one. */
static inline size_t perf_time_offset(uint64_t sample_type)
{
	return 8 * (size_t)__builtin_popcountll(sample_type & (PERF_SAMPLE_IDENTIFIER |
							       PERF_SAMPLE_IP | PERF_SAMPLE_TID));
}

/* Bytes from the time in the trailer, if it has one, to the end of the record. */
static inline size_t perf_time_offset_back(uint64_t sample_type)
{
	return 8 + 8 * (size_t)__builtin_popcountll(sample_type &
						    (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
						     PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
}

#endif
