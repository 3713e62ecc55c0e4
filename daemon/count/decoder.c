// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder of event buffers: see decoder.h.
 */
#include "decoder.h"

#include <inttypes.h>

#include "call_chains.h"
#include "config.h"
#include "daemon/sources/source.h"
#include "module/uapi/oprofile.h"
#include "daemon/files/sample_file.h"
#include "daemon/files/stats.h"

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

static void count(struct decoder *decoder, enum stat_id which)
{
	decoder->stats->value[which]++;
}

static struct image *program_of(struct decoder *decoder)
{
	return locator_program(decoder->locator, &decoder->context);
}

static bool locate(struct decoder *decoder, uint64_t address, struct address_range *range,
		   enum stat_id *lost)
{
	return locator_find(decoder->locator, &decoder->context, address, decoder->buffer, range,
			    lost);
}

/* Sample files may have been closed, the one of the last sample among them. */
static void forget_last(struct decoder *decoder)
{
	decoder->last.range.size = 0;
}

/* ---- sample files ---- */

/* The application below which samples of @image are stored; @also is set if it is not known. */
static struct image *choose_app(struct decoder *decoder, struct image *image, enum stat_id *also)
{
	bool is_kernel = decoder->context.mode == CONTEXT_KERNEL;
	struct image *app = separation_application(&decoder->config->separation, image, is_kernel,
						   program_of(decoder));

	if (app)
		return app;
	*also = is_kernel ? STAT_KERNEL_NO_APP : STAT_USER_NO_APP;
	return image;
}

static bool decoder_is_wanted(struct decoder *decoder, const struct image *image)
{
	return image->wanted || image_is_wanted(image, program_of(decoder));
}

/*
 * Sets the file of @last and, if it @weighs, that of its weights.  Opening one may close the other,
 * unless hardly any descriptors are left.
 */
static void open_files(struct decoder *decoder, const struct sample_key *key, bool weighs,
		       struct last_sample *last)
{
	struct sample_files *files = decoder->files;
	struct sample_key of_weights;
	uint64_t closed = files->closed;

	last->file = sample_file_get(files, key);
	last->weights = NULL;
	if (!last->file || !weighs)
		return;
	of_weights = last->file->key;
	of_weights.is_weight = true;
	last->weights = sample_file_get(files, &of_weights);
	if (files->closed != closed)
		last->file = sample_file_get(files, key);
	if (!last->weights)
		last->file = NULL;
}

/* @also is set to a number of the statistics to count as well, or to STAT_COUNT. */
static void find_files(struct decoder *decoder, struct image *image, uint32_t event, bool weighs,
		       struct last_sample *last, enum stat_id *also)
{
	struct context *context = &decoder->context;
	uint64_t closed = decoder->files->closed;
	struct sample_key key = {
		.dep = image,
		.event = event,
	};

	separation_apply(&decoder->config->separation, context, &key);
	*also = STAT_COUNT;
	key.app = choose_app(decoder, image, also);
	open_files(decoder, &key, weighs, last);
	if (decoder->files->closed != closed)
		forget_last(decoder);
}

/* ---- samples ---- */

static void log_sample(const struct decoder *decoder, uint64_t address, uint64_t counter,
		       const char *where)
{
	const struct context *context = &decoder->context;

	log_line("sample: %s %#" PRIx64 " event %" PRIu64 " cpu %" PRId32 " tgid %" PRId32
		 " tid %" PRId32 ": %s",
		 context->mode == CONTEXT_KERNEL ? "kernel" : "user", address, counter,
		 context->cpu, context->tgid, context->tid, where);
}

/* Counts a lost or filtered sample.  The callers of a leaf are lost with it. */
static void decoder_drop(struct decoder *decoder, uint64_t address, uint64_t counter,
			 enum stat_id why)
{
	count(decoder, why);
	if (unlikely(log_topics & LOG_SAMPLES))
		log_sample(decoder, address, counter, op_stats[why].key);
	if (decoder->chain == CHAIN_LEAF) {
		decoder->chain = CHAIN_SKIPPED;
		decoder->skipped =
			why == STAT_FILTERED ? STAT_FRAMES_FILTERED : STAT_FRAMES_NO_HEAD;
	}
}

/* The stack file is that of the program, whether samples are separated by program or not. */
static void begin_chain(struct decoder *decoder, struct sample_file *file, uint64_t offset,
			uint64_t weight)
{
	struct image *program = program_of(decoder);
	struct sample_key key = file->key;

	key.app = key.dep = program ? program : file->key.app;
	key.is_stacks = true;
	decoder->files->budget.has_stacks = true;
	call_chains_begin(decoder->chain_writer.chains, &key, program,
			  &(struct chain_frame){file->key.dep, offset}, weight);
}

/* To the live view.  A sample without a weight of its own stands for the period. */
static void feed(struct decoder *decoder, const struct last_sample *last, uint64_t offset,
		 uint64_t events)
{
	feed_sample(decoder->feed, &decoder->context, program_of(decoder), last->event,
		    &(struct chain_frame){last->file->key.dep, offset},
		    events ? events : last->period, decoder->chain == CHAIN_CALLERS);
}

/*
 * @events: that the sample stands for; 0: the period.  @weight: what is beyond the period.  It is
 * stored first, so that each sample that is stored has it.
 */
static void store(struct decoder *decoder, const struct last_sample *last, uint64_t address,
		  uint64_t events, uint64_t weight)
{
	uint64_t offset = address - last->range.base;

	if ((weight && unlikely(sample_file_add(decoder->files, last->weights, offset, weight))) ||
	    unlikely(sample_file_add(decoder->files, last->file, offset, 1))) {
		decoder_drop(decoder, address, last->counter,
			     stats_of_failure(decoder->files->cause));
		return;
	}
	count(decoder, STAT_STORED);
	++*last->also;
	if (decoder->chain == CHAIN_LEAF && last->file->is_other) {
		decoder->chain = CHAIN_SKIPPED;
		decoder->skipped = STAT_FRAMES_NO_HEAD;
	} else if (decoder->chain == CHAIN_LEAF) {
		decoder->chain = CHAIN_CALLERS;
		decoder->frame = last->range;
		begin_chain(decoder, last->file, offset, weight);
	}
	if (unlikely(decoder->feed != NULL))
		feed(decoder, last, offset, events);
}

static bool has_context(const struct decoder *decoder)
{
	const struct context *context = &decoder->context;

	return context->mode != CONTEXT_NO_MODE &&
	       separation_is_known(&decoder->config->separation, context);
}

/*
 * The weight of a sample in units.  What is less than a unit waits for the next sample of the
 * event, so sums are exact.  A sample of a second of cycles has fewer than 32 bits of them: what
 * has more is damage, and would fill the disk.
 */
static uint64_t weigh(const struct last_sample *last, uint64_t events)
{
	uint64_t beyond = events > last->period ? events - last->period : 0;

	if (beyond > UINT32_MAX)
		beyond = UINT32_MAX;
	beyond += *last->rest;
	*last->rest = beyond % last->unit;
	return beyond / last->unit;
}

/* A sample that does not go where the previous one went. */
static void count_sample_elsewhere(struct decoder *decoder, uint64_t address, uint64_t counter,
				   uint64_t events)
{
	struct last_sample last = {
		.counter = counter,
		.is_kernel = decoder->context.mode == CONTEXT_KERNEL,
	};
	enum stat_id lost, also;
	int index = counter < OP_COUNTERS_MAX ? decoder->events->of_counter[counter] : -1;

	count(decoder, STAT_RECEIVED);
	decoder->stats->value[STAT_KERNEL] += last.is_kernel;
	if (!has_context(decoder)) {
		decoder_drop(decoder, address, counter, STAT_NO_CONTEXT);
		return;
	}
	if (index < 0) {
		decoder_drop(decoder, address, counter, STAT_NO_EVENT);
		return;
	}
	if (!locate(decoder, address, &last.range, &lost)) {
		decoder_drop(decoder, address, counter, lost);
		return;
	}
	if (!decoder_is_wanted(decoder, last.range.image)) {
		decoder_drop(decoder, address, counter, STAT_FILTERED);
		return;
	}
	last.event = (uint32_t)index;
	last.period = decoder->events->list.event[index].count;
	last.unit = decoder->events->unit[index];
	last.rest = &decoder->rest[index];
	find_files(decoder, last.range.image, (uint32_t)index, events > last.period, &last, &also);
	if (!last.file) {
		decoder_drop(decoder, address, counter, stats_of_failure(decoder->files->cause));
		return;
	}
	last.range.image = last.file->key.dep; /* it may be the successor */
	last.also = also == STAT_COUNT ? &decoder->unused : &decoder->stats->value[also];
	if (unlikely(log_topics & LOG_SAMPLES))
		log_sample(decoder, address, counter, last.range.image->id.name);
	else
		decoder->last = last;
	store(decoder, &last, address, events, weigh(&last, events));
}

/* @word: the counter, and the weight above it */
static void count_sample(struct decoder *decoder, uint64_t address, uint64_t word)
{
	const struct last_sample *last = &decoder->last;
	uint64_t counter = word & ((UINT64_C(1) << OPROFILE_COUNTER_BITS) - 1);
	uint64_t events = word >> OPROFILE_COUNTER_BITS;

	if (unlikely(!address_range_has(&last->range, address) || counter != last->counter ||
		     (events > last->period && !last->weights))) {
		count_sample_elsewhere(decoder, address, counter, events);
		return;
	}
	count(decoder, STAT_RECEIVED);
	decoder->stats->value[STAT_KERNEL] += last->is_kernel;
	store(decoder, last, address, events, weigh(last, events));
}

/* ---- call chains ---- */

/* Counts the chain that was collected, if there is one. */
static void end_chain(struct decoder *decoder)
{
	struct call_chains *chains = decoder->chain_writer.chains;
	uint64_t closed = decoder->files->closed;

	if (!chains->depth)
		return;
	if (unlikely(decoder->feed != NULL))
		feed_chain(decoder->feed, chains);
	if (decoder->config->discards) {
		chains->depth = 0;
		return;
	}
	if (!call_chains_fit(chains)) {
		call_chain_writer_flush(&decoder->chain_writer);
		if (decoder->files->closed != closed)
			forget_last(decoder);
	}
	call_chains_end(chains);
}

static void add_caller(struct decoder *decoder, uint64_t address)
{
	struct call_chains *chains = decoder->chain_writer.chains;
	struct address_range *range = &decoder->frame;
	enum stat_id lost;

	count(decoder, STAT_FRAMES);
	if (unlikely(!address_range_has(range, address)) &&
	    !locate(decoder, address, range, &lost)) {
		range->size = 0;
		count(decoder, call_chains_push_unknown(chains, address,
							decoder->context.mode == CONTEXT_KERNEL)
				       ? STAT_FRAMES_NO_MAPPING
				       : STAT_FRAMES_TOO_DEEP);
	} else if (unlikely(!call_chains_push(chains, range->image, address - range->base))) {
		count(decoder, STAT_FRAMES_TOO_DEEP);
	}
}

/* An address and the counter that overflowed there; in a call chain, a caller and any number. */
static inline void decode_pair(struct decoder *decoder, uint64_t address, uint64_t counter)
{
	if (decoder->chain == CHAIN_CALLERS) {
		add_caller(decoder, address);
	} else if (unlikely(decoder->chain == CHAIN_SKIPPED)) {
		count(decoder, STAT_FRAMES);
		count(decoder, decoder->skipped);
	} else {
		count_sample(decoder, address, counter);
	}
}

/* ---- records ---- */

static void reset(struct decoder *decoder)
{
	decoder->context = (struct context){
		.mode = CONTEXT_NO_MODE,
		.cpu = -1,
		.tid = -1,
		.tgid = -1,
		.app = OPROFILE_INVALID_COOKIE,
		.cookie = OPROFILE_INVALID_COOKIE,
	};
	decoder->last = (struct last_sample){0};
	decoder->frame = (struct address_range){0};
	decoder->chain = CHAIN_NONE;
}

/* No callers follow a switch of task or CPU, unless the leaf has yet to come. */
static void expect_no_callers(struct decoder *decoder)
{
	if (decoder->chain != CHAIN_LEAF)
		decoder->chain = CHAIN_NONE;
}

/* A recording has all images, whether they are wanted or not. */
static void look_up_for_recording(struct decoder *decoder, uint64_t cookie)
{
	if (unlikely(decoder->source->needs_all_images))
		image_of_cookie(&decoder->locator->images, cookie);
}

/* ESC, code, tid, application, ESC, code, tgid */
static bool switch_task(struct decoder *decoder, const uint64_t *words)
{
	struct context *context = &decoder->context;

	if (words[4] != OPROFILE_ESCAPE_CODE || words[5] != OPROFILE_CTX_TGID ||
	    words[2] > INT32_MAX || words[6] > INT32_MAX)
		return false;
	expect_no_callers(decoder);
	context->has_task = true;
	context->tid = (int32_t)words[2];
	context->tgid = (int32_t)words[6];
	context->app = words[3];
	context->program_known = false;
	look_up_for_recording(decoder, context->app);
	return true;
}

static bool switch_cpu(struct decoder *decoder, uint64_t cpu)
{
	if (cpu > INT32_MAX)
		return false;
	expect_no_callers(decoder);
	decoder->context.has_cpu = true;
	decoder->context.cpu = (int32_t)cpu;
	return true;
}

/* Return: the length of the record at @words, or 0 if it is malformed. */
static size_t decode_record(struct decoder *decoder, const uint64_t *words, size_t left)
{
	struct context *context = &decoder->context;

	if (left < 2)
		return 0;
	if (words[1] == OPROFILE_TRACE_BEGIN) {
		end_chain(decoder);
		decoder->chain = CHAIN_LEAF;
		return 2;
	}
	/* it may change where samples go */
	forget_last(decoder);
	decoder->frame.size = 0;
	switch (words[1]) {
	case OPROFILE_CTX_SWITCH:
		end_chain(decoder);
		return left >= 7 && switch_task(decoder, words) ? 7 : 0;
	case OPROFILE_CPU_SWITCH:
		end_chain(decoder);
		return left >= 3 && switch_cpu(decoder, words[2]) ? 3 : 0;
	case OPROFILE_COOKIE_SWITCH:
		if (left < 3)
			return 0;
		context->cookie = words[2];
		look_up_for_recording(decoder, context->cookie);
		return 3;
	case OPROFILE_KERNEL_ENTER:
		context->mode = CONTEXT_KERNEL;
		return 2;
	case OPROFILE_USER_ENTER:
		context->mode = CONTEXT_USER;
		return 2;
	case OPROFILE_MODULE_LOADED:
		kernel_refresh(&decoder->locator->kernel);
		return 2;
	default:
		return 0;
	}
}

/* Return: the number of words to skip, up to the next escape code. */
static size_t skip_malformed(struct decoder *decoder, const uint64_t *words, size_t at,
			     size_t total)
{
	size_t end = at + 1;

	while (end < total && words[end] != OPROFILE_ESCAPE_CODE)
		end++;
	log_limited(&decoder->log_bad,
		    "bad record at word %zu of buffer %" PRIu64 " (of %zu words): %#" PRIx64
		    " %#" PRIx64 "; words skipped: %zu",
		    at, decoder->buffer, total, words[at], at + 1 < total ? words[at + 1] : 0,
		    end - at);
	count(decoder, STAT_BAD_RECORDS);
	decoder->stats->value[STAT_BAD_WORDS] += end - at;
	end_chain(decoder);
	reset(decoder);
	return end - at;
}

void decoder_decode(struct decoder *decoder, uint64_t buffer, const uint64_t *words, size_t total)
{
	size_t at = 0, length;

	decoder->buffer = buffer;
	reset(decoder);
	while (at < total) {
		if (words[at] == OPROFILE_ESCAPE_CODE) {
			length = decode_record(decoder, words + at, total - at);
			at += length ? length : skip_malformed(decoder, words, at, total);
		} else if (likely(at + 1 < total && words[at + 1] != OPROFILE_ESCAPE_CODE)) {
			decode_pair(decoder, words[at], words[at + 1]);
			at += 2;
		} else {
			at += skip_malformed(decoder, words, at, total);
		}
	}
	end_chain(decoder);
}
