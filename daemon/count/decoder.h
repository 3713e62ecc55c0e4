/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoder of event buffers (module/uapi/oprofile.h): counts their samples in sample files, and
 * their call chains in the tree of call_chains.h.
 *
 * Each buffer is decoded without regard to the one before.  A malformed record is counted, logged
 * with its position, and skipped up to the next escape code.  As it may have been a switch of any
 * kind, the context is unknown until the next switches.
 */
#ifndef DAEMON_COUNT_DECODER_H
#define DAEMON_COUNT_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call_chain_writer.h"
#include "context.h"
#include "daemon/files/counted_events.h"
#include "feed.h"
#include "libop/session/log.h"
#include "locator.h"

struct counted_events;
struct profile_config;
struct sample_file;
struct source;

enum chain_state {
	CHAIN_NONE,
	CHAIN_LEAF,    /* the next address is a sample: the leaf */
	CHAIN_CALLERS, /* the next ones are its callers */
	CHAIN_SKIPPED, /* they are, but the sample was lost or filtered */
};

/*
 * struct last_sample - where the previous sample was stored
 *
 * Until the next record, a sample of the same event whose address is in @range goes to the same
 * file.  range.size is 0 if there is none.
 */
struct last_sample {
	struct address_range range;
	uint64_t counter;
	struct sample_file *file;
	struct sample_file *weights; /* of @file; NULL: not needed so far */
	uint32_t event;		     /* its place in decoder::events */
	uint64_t period;	     /* of the event */
	uint32_t unit;		     /* of its weights */
	uint64_t *rest;		     /* decoder::rest of the event */
	uint64_t *also; /* a statistic that counts such samples, too, or decoder::unused */
	bool is_kernel;
};

struct decoder {
	const struct profile_config *config;
	const struct counted_events *events;
	const struct source *source;
	struct locator *locator;
	struct sample_files *files;
	struct stats *stats;
	struct call_chain_writer chain_writer;
	struct feed *feed; /* NULL: nobody reads it */

	uint64_t buffer; /* the number of the buffer that is being decoded */
	struct context context;
	struct last_sample last;

	enum chain_state chain;
	enum stat_id skipped;	    /* the statistic for the callers in CHAIN_SKIPPED */
	struct address_range frame; /* of the previous frame; its size is 0 after a record */

	uint64_t unused;
	uint64_t rest[OP_COUNTERS_MAX]; /* by event: events that are less than a unit of weight */
	struct log_limit log_bad;
};

/**
 * decoder_decode - count the samples of a buffer
 * @decoder: its pointers are set by the caller
 * @buffer: its number
 */
void decoder_decode(struct decoder *decoder, uint64_t buffer, const uint64_t *words, size_t count);

#endif
