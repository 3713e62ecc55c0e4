/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Record by record through a file, a pipe, or one of the files of a directory: what is
 * compressed is unpacked on the way, and payload between records is passed over.
 */
#ifndef PP_FORMATS_PERF_STREAM_H
#define PP_FORMATS_PERF_STREAM_H

#include "libop/perf/record.h"
#include "pp/formats/input/input.h"
#include "compressed.h"

struct perf_stream {
	struct input *input; /* stands at the next record */
	uint64_t end;	     /* where the records end; UINT64_MAX: with the input */
	bool swap;
	bool was_killed;     /* the recorder was: the last record may be cut off */
	unsigned int window; /* see perf_compressed_new() */

	struct perf_compressed *compressed;
	bool is_unpacking;     /* inside of a compressed record */
	uint64_t piece_offset; /* of that record */
	size_t taken;	       /* bytes of the last record that are still to be passed over */
	uint64_t payload;      /* and of what follows it */
	uint64_t cut_off;      /* offset of a last record that is not whole; 0: none */
};

void perf_stream_free(struct perf_stream *stream);

/**
 * perf_stream_next - the next record
 * @raw: set to it; its bytes are good until the next call
 *
 * Return: 1; 0 at the end; -1 with @error set.
 */
int perf_stream_next(struct perf_stream *stream, struct perf_raw *raw, struct op_error *error);

#endif
