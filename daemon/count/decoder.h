/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event stream: what records say about the samples behind them.
 *
 * Each buffer is decoded without what was in the one before (module/uapi/oprofile.h).  A record
 * that makes no sense is counted, logged with its place and passed over, up to the next escape
 * code; and as it may have been a switch of any kind, nothing is known of the samples behind
 * it until the next switches say so.
 */
#ifndef DAEMON_STREAM_H
#define DAEMON_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/log.h"

struct image;
struct profile;
struct sample_file;

enum stream_mode { STREAM_NO_MODE, STREAM_KERNEL, STREAM_USER };

enum stream_trace {
	STREAM_NO_TRACE,
	STREAM_TRACE_HEAD,   /* the next sample is a real one */
	STREAM_TRACE_FRAMES, /* the next ones are its callers */
	STREAM_TRACE_SKIP,   /* they are, but it is of no use */
};

/* struct stream_place - addresses of one image */
struct stream_place {
	uint64_t start, size; /* the addresses from @start, @size many */
	uint64_t base;	      /* what the keys count from */
	struct image *image;
};

/*
 * struct stream_hot - where the sample before went
 *
 * As long as no record comes between, a sample of the same event whose address is in @place
 * goes there, too.  place.size is 0 if there is none.
 */
struct stream_hot {
	struct stream_place place;
	uint64_t event; /* the counter */
	struct sample_file *file;
	uint64_t *also; /* a number of the statistics that counts such samples, or a dummy */
	bool is_kernel;
};

struct stream {
	enum stream_mode mode;
	bool has_cpu, has_task;
	int32_t cpu, tid, tgid;
	uint64_t app, cookie;
	struct image *program; /* of @app, if @asked; NULL: unknown */
	bool asked;
	struct stream_hot hot;

	enum stream_trace trace;
	unsigned int trace_why;	   /* the number of the statistics for frames that are skipped */
	struct stream_place frame; /* where the frame before was; its size is 0 after a record */

	uint64_t dummy;
	struct log_limit log_bad;
};

/* For when sample files were closed: none is known to be open. */
static inline void stream_forget(struct stream *stream)
{
	stream->hot.place.size = 0;
}

/* Counts the samples of a buffer. */
void stream_decode(struct profile *profile, const uint64_t *words, size_t count);

#endif
