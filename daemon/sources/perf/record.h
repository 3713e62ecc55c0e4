/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of the live rings, decoded by libop/perf/record.h.
 *
 * All events of a source share one struct perf_attr, so that the records of all of them have the
 * same layout.
 */
#ifndef DAEMON_SOURCES_PERF_RECORD_H
#define DAEMON_SOURCES_PERF_RECORD_H

#include "libop/perf/record.h"

/* struct perf_live_record - a decoded record; pointers are into its bytes */
struct perf_live_record {
	uint32_t type; /* PERF_RECORD_* */
	uint16_t misc;

	union {
		struct perf_sample sample; /* of SAMPLE */
		struct perf_record other;  /* of all other types */
	};
};

/**
 * perf_live_attr - the layout of records
 * @chain: samples have a call chain
 * @user_registers: mask of the registers of user code that samples have, with a copy of its stack;
 *	0: neither
 */
struct perf_attr perf_live_attr(bool chain, uint64_t user_registers);

/**
 * perf_live_read - decode a record
 * @bytes: the record; need not be aligned
 * @size: bytes of it, as its header says or less
 *
 * Return: 0, or -1 if the record is malformed.
 */
int perf_live_read(struct perf_live_record *record, const struct perf_attr *attr, const void *bytes,
		   size_t size);

/* Writes what a record says about processes to the log. */
void perf_live_log(const struct perf_live_record *record);

/* The time of a record, for merging rings; 0 if it has none. */
static inline uint64_t perf_live_time(const void *bytes, size_t size)
{
	struct perf_raw raw;

	return perf_raw_of(&raw, bytes, size) ? perf_record_time(&raw, PERF_SAMPLE_LIVE, false) : 0;
}

#endif
