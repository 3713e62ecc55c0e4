/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The body of a SAMPLE record, and the trailer that other records of the kernel have: what
 * stands in them is said by perf_event_attr.
 */
#ifndef PP_FORMATS_PERF_SAMPLE_H
#define PP_FORMATS_PERF_SAMPLE_H

#include "pp/formats/perf/attr.h"

/* Fields that records of both kinds have; those that the attr does not ask for are 0. */
struct perf_ids {
	uint32_t pid, tid;
	uint64_t time; /* ns; 0 if there is none */
	uint64_t id;   /* of the event, from ID or IDENTIFIER */
	uint64_t stream_id;
	uint32_t cpu;
};

struct perf_sample {
	struct perf_ids ids;
	uint64_t ip, addr;
	uint64_t period;
	uint64_t counters;    /* whose values it has, which are passed over */
	uint64_t chain_size;  /* entries, marks among them */
	const uint8_t *chain; /* u64s, leaf first; see perf_chain_at() */
	uint64_t raw_size;
	const uint8_t *raw;
	uint64_t branches_size;
	const uint8_t *branches; /* newest first; see perf_branch_at() */
	uint64_t stack_size;	 /* bytes of a copy of the user's stack that are valid */
	uint64_t weight, data_src, transaction, phys_addr, cgroup;
	uint64_t data_page_size, code_page_size;
	uint64_t aux_size; /* bytes of AUX data, which are passed over */
	bool registers;	   /* there are the user's registers, which are passed over */
	bool swap;
};

struct perf_branch {
	uint64_t from, to;
	bool mispredicted, predicted, in_transaction, abort;
	uint16_t cycles; /* since the branch before; 0: not known */
};

/**
 * perf_sample_read - decode the body of a SAMPLE
 * @bytes: what follows the header of the record
 *
 * Pointers are into @bytes.  Without a period in the record, it is that of the attr.
 *
 * Return: NULL, or the name of the field that runs past the end of the record.
 */
const char *perf_sample_read(struct perf_sample *sample, const struct perf_attr *attr,
			     struct perf_bytes bytes);

static inline uint64_t perf_chain_at(const struct perf_sample *sample, uint64_t index)
{
	return perf_load64(sample->chain + 8 * index, sample->swap);
}

struct perf_branch perf_branch_at(const struct perf_sample *sample, uint64_t index);

/* Bytes of the trailer of records that are no samples. */
size_t perf_trailer_size(const struct perf_attr *attr);

/**
 * perf_trailer_read - decode the trailer and take it off the end
 * @bytes: what follows the header of the record
 *
 * Return: 0, or -1 if the record is shorter than its trailer.
 */
int perf_trailer_read(struct perf_ids *ids, const struct perf_attr *attr, struct perf_bytes *bytes);

/**
 * perf_id_offset - where the id of the event stands in a sample
 *
 * Return: bytes from the start of the body, or -1 if there is none.
 */
int perf_id_offset(uint64_t sample_type);

/**
 * perf_id_offset_back - where the id of the event stands in other records
 *
 * Return: bytes from the end of the record to the start of the id, or -1 if there is none.
 */
int perf_id_offset_back(uint64_t sample_type);

/* Where the time stands in a sample that has one: bytes from the start of the body. */
int perf_time_offset(uint64_t sample_type);

#endif
