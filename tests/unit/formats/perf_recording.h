/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings as perf would have made them on any machine, made by hand: for tests of the reader
 * of perf.data that no machine at hand could record.
 */
#ifndef TESTS_UNIT_FORMATS_PERF_RECORDING_H
#define TESTS_UNIT_FORMATS_PERF_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/perf/abi.h"

/* Bytes in the order of the machine that is played. */
struct recording {
	bool is_big_endian;
	size_t n;
	uint8_t bytes[1 << 20];
};

void rec_u64(struct recording *rec, uint64_t value);
void rec_u32(struct recording *rec, uint32_t value);
void rec_u16(struct recording *rec, uint16_t value);
void rec_u8(struct recording *rec, uint8_t value);
void rec_zeros(struct recording *rec, size_t n);
void rec_bytes(struct recording *rec, const void *bytes, size_t n);
void rec_text(struct recording *rec, const char *text); /* padded to 8 bytes */
/*
 * Fields, separated by blanks: q, d, w or b and a number of 8, 4, 2 or 1 bytes; z and a number of
 * zeros; 'TEXT, padded to 8 bytes; "TEXT, the same behind its length.  Ends the program at others.
 */
void rec_words(struct recording *rec, const char *words);
/* Writes over what stands at @at. */
void rec_u64_at(struct recording *rec, size_t at, uint64_t value);

/* A record: what is written between the two calls is its body. */
size_t rec_begin(struct recording *rec, uint32_t type, uint16_t misc);
void rec_end(struct recording *rec, size_t begin);

/* Events of a recording. */
struct rec_event {
	uint32_t type;
	uint64_t config, period;
	uint64_t sample_type;
	uint64_t read_format, branch_sample_type;
	uint64_t regs_user;
	uint64_t flags; /* the first bit-field is bit 0, whatever the machine */
	uint64_t id;	/* 0: none */
};

/* perf_event_attr of @size bytes; 0: as 64, which are not told. */
void rec_attr(struct recording *rec, const struct rec_event *event, uint32_t size);

/* The header of a file, and what it points to; rec_finish() says where the data end. */
void rec_file(struct recording *rec, const struct rec_event *events, size_t n, uint32_t attr_size);
void rec_finish(struct recording *rec);

/* The header of a pipe and a record for each event. */
void rec_pipe(struct recording *rec, const struct rec_event *events, size_t n, uint32_t attr_size);

/*
 * Records of events with the sample_type REC_TYPES, whose trailers have the time and the id.
 * Process 42 maps /bin/prog at 0x400000.
 */
#define REC_TYPES                                                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_PERIOD)
void rec_comm(struct recording *rec, uint64_t time, uint64_t id);
void rec_mmap(struct recording *rec, uint64_t time, uint64_t id);
void rec_sample(struct recording *rec, uint64_t ip, uint64_t time, uint64_t id, uint64_t period);
void rec_round(struct recording *rec);

#endif
