/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sender's side of the feed (libop/session/feed.h): samples as they are counted, for up to
 * FEED_READERS_MOST readers.
 *
 * The records of a buffer are made once, and sent when it is decoded.  A reader that does not take
 * them has FEED_WAITING_MOST bytes of them kept; what comes beyond is left out, for that reader.
 * Without a reader nothing is made.
 */
#ifndef DAEMON_COUNT_FEED_H
#define DAEMON_COUNT_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call_chains.h"
#include "context.h"
#include "daemon/files/counted_events.h"
#include "libop/base/buffer.h"
#include "libop/base/error.h"
#include "libop/session/feed.h"

#define FEED_READERS_MOST 4
#define FEED_WAITING_MOST (1u << 20)
#define FEED_BATCH	  (1u << 16) /* bytes that are sent before it is time to */

struct feed_reader {
	int fd;
	struct op_buffer waiting;
	uint64_t left_out; /* samples */
	uint64_t cut;	   /* call chains */
};

/* All zero: without readers. */
struct feed {
	struct feed_reader reader[FEED_READERS_MOST];
	size_t readers;
	struct op_buffer records; /* of the buffer that is being decoded */
	uint64_t samples;	  /* in @records */
	uint64_t cut;		  /* call chains in @records that were cut */
	uint32_t last, told;	  /* numbers of images: the last one; those up to @told are void */
	struct op_feed_sample chain; /* the sample whose call chain is being collected */
	bool has_chain;
};

/**
 * feed_add - begin to send to a socket
 * @fd: the feed's from now on
 * @session_dir: with the session that the samples are counted in
 *
 * Return: 0, or -1 with @error set: there are too many readers; @fd stays the caller's then.
 */
int feed_add(struct feed *feed, int fd, const char *session_dir, const char *source,
	     const struct counted_events *events, struct op_error *error);

/**
 * feed_sample - a sample was counted
 * @program: of the process; NULL: unknown
 * @leaf: where it was
 * @weight: events that it stands for
 * @begins_chain: its callers follow: feed_chain() sends it
 */
void feed_sample(struct feed *feed, const struct context *context, struct image *program,
		 uint32_t event, const struct chain_frame *leaf, uint64_t weight,
		 bool begins_chain);

/* The call chain of the last sample is complete. */
void feed_chain(struct feed *feed, const struct call_chains *chains);

/* Sends what was made, without waiting.  Readers that have gone are forgotten. */
void feed_send(struct feed *feed, uint64_t received, uint64_t stored);

void feed_close(struct feed *feed);

#endif
