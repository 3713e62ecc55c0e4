/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of a CPU profile of gperftools: slots of 32 or 64 bits in either byte order, a
 * header of them, then per stack its count, its depth and its addresses, then a trailer and text.
 *
 * All that is read lies in memory, such as a mapped file; nothing is copied and nothing is
 * allocated here.
 */
#ifndef PP_FORMATS_GPERFTOOLS_RECORDS_H
#define PP_FORMATS_GPERFTOOLS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"

/* The deepest stack that is taken for one; gperftools writes 254 frames at most, and google-pprof
 * reads no more than this. */
#define CPUPROFILE_DEPTH_MAX 65536

struct cpuprofile_text {
	const char *bytes;
	size_t length;
};

struct cpuprofile_records {
	const unsigned char *bytes;
	size_t size;
	unsigned int slot; /* bytes of one: 4 or 8 */
	bool big_endian;
	bool is_java;	  /* addresses are numbers of the names that follow the records */
	bool is_resolved; /* there is a list of symbols: callers' addresses are inside their calls
			   */
	uint64_t period;  /* microseconds; 0: not said */
	struct cpuprofile_text symbols; /* before the header: lines "0xADDRESS NAME" */
	struct cpuprofile_text text;	/* behind the records: mappings, or names of Java */
	size_t begin, end;		/* the records */
	size_t n;
	size_t deepest; /* frames of the deepest one */
	uint64_t total; /* the sum of all counts */
	/* Why there is nothing behind the records; code 0: nothing is wrong. */
	struct op_error fault;
	/* Frames next to the leaf that the profiler's signal handler left in all stacks. */
	uint64_t handlers[2];
	unsigned int n_handlers;
};

struct cpuprofile_record {
	uint64_t count;
	size_t depth;
	size_t at; /* of the first address */
};

/* True if @bytes, the first @size of a file, may be the beginning of a CPU profile. */
bool cpuprofile_recognise(const void *bytes, size_t size);

/**
 * cpuprofile_scan - find the parts of a CPU profile
 * @records: filled in
 * @bytes: all of the file; must live as long as @records is used
 *
 * Whatever google-pprof or go tool pprof read is read: more header words than three, a missing
 * trailer, records whose leaf is 0, lines of text before the header.  Records that are cut off or
 * are malformed end the profile and set @records->fault.
 *
 * Return: 0, or -1 with @error set (without the name of the file): it is no CPU profile.
 */
int cpuprofile_scan(struct cpuprofile_records *records, const void *bytes, size_t size,
		    struct op_error *error);

/**
 * cpuprofile_next - the next record
 * @at: where it begins; @records->begin at first; moved behind it
 *
 * Return: false if there are no more.
 */
bool cpuprofile_next(const struct cpuprofile_records *records, size_t *at,
		     struct cpuprofile_record *record);

/**
 * cpuprofile_stack - the addresses of a record, the leaf first
 * @stack: room for record->depth
 *
 * Frames of the signal handler are left out, and a leaf that stands there twice stands there
 * once, as in pprof.  Callers' addresses are return addresses, as the profile model has them:
 * where the file has what to look up instead, that and one.
 *
 * Return: how many there are.
 */
size_t cpuprofile_stack(const struct cpuprofile_records *records,
			const struct cpuprofile_record *record, uint64_t *stack);

#endif
