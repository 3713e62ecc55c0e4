/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of a perf ring, as the kernel lays them out for the one set of attributes we ask for.
 *
 * perf_event_open(2) describes them.  All events of a source share PERF_RECORD_SAMPLE_TYPE, so
 * each field has one place.
 */
#ifndef DAEMON_PERF_RECORD_H
#define DAEMON_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What every record has; samples with call chains have PERF_SAMPLE_CALLCHAIN as well. */
#define PERF_RECORD_SAMPLE_TYPE                                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU)

/* The longest record: its size has 16 bits. */
#define PERF_RECORD_SIZE_MOST	  65536
#define PERF_RECORD_BUILD_ID_MOST 20

enum perf_record_kind {
	PERF_KIND_OTHER, /* of no use here */
	PERF_KIND_SAMPLE,
	PERF_KIND_MAP,
	PERF_KIND_EXEC, /* a program was executed */
	PERF_KIND_FORK,
	PERF_KIND_EXIT,
	PERF_KIND_NAMESPACE,
	PERF_KIND_LOST,
	PERF_KIND_THROTTLE,
};

/* struct perf_user_state - registers and stack of user code, for unwinding; size 0: there is none
 */
struct perf_user_state {
	uint64_t abi;
	const uint8_t *registers; /* u64 each, not aligned, in the order of the mask */
	const uint8_t *stack;
	size_t size; /* bytes of @stack that are valid */
};

/* struct perf_record - a record, taken apart; pointers are into its bytes */
struct perf_record {
	enum perf_record_kind kind;
	uint16_t misc;
	uint32_t pid, tid, cpu;
	uint64_t time, id;

	union {
		struct {
			uint64_t ip;
			const uint8_t *chain; /* u64 each, not aligned; NULL if there is none */
			size_t frames;
			struct perf_user_state user;
		} sample;
		struct {
			uint64_t start, length, offset; /* offset in the file, in bytes */
			uint32_t major, minor, generation;
			uint64_t inode;
			uint8_t build_id[PERF_RECORD_BUILD_ID_MOST];
			uint8_t build_id_size; /* 0: the five before are set instead */
			const char *name;
		} map;
		struct {
			uint32_t parent_pid;
		} task; /* of FORK and EXIT; pid and tid are those of the task itself */
		struct {
			uint64_t mount; /* inode of the mount namespace; 0 if it was not told */
		} namespaces;
		struct {
			uint64_t records;
		} lost;
	};
};

/* struct perf_layout - what a source asked its samples to have besides the usual */
struct perf_layout {
	bool chain;
	uint64_t user_registers; /* mask; 0: neither registers nor stack */
};

/**
 * perf_record_parse - take a record apart
 * @bytes: the record, which need not be aligned
 * @size: of it, as its header says or less
 *
 * Return: 0, or -1 if it makes no sense.
 */
int perf_record_parse(const void *bytes, size_t size, const struct perf_layout *layout,
		      struct perf_record *record);

/* Writes what a record tells of processes to the log. */
void perf_record_log(const struct perf_record *record);

/* The time of a record, which is all that putting it in order needs; 0 if it has none. */
uint64_t perf_record_time(const void *bytes, size_t size);

#endif
