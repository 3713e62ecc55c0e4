// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event stream: see stream.h.
 */
#include "decoder.h"

#include <inttypes.h>

#include "module/uapi/oprofile.h"
#include "profile.h"
#include "call_chains.h"

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

static void count(struct profile *profile, enum stat_id which)
{
	profile->stats.value[which]++;
}

/* The program that the task runs, or NULL. */
static struct image *program_of(struct profile *profile)
{
	struct stream *stream = &profile->stream;

	if (!stream->asked)
		stream->program = image_of_cookie(&profile->images, stream->app);
	stream->asked = true;
	return stream->program;
}

/* ---- where an address is ---- */

static bool locate_kernel(struct profile *profile, uint64_t pc, struct stream_place *place,
			  enum stat_id *lost)
{
	const struct kernel_range *range = kernel_find(&profile->kernel, pc, profile->buffers);

	*lost = STAT_NO_KERNEL_IMAGE;
	if (!range)
		return false;
	*place = (struct stream_place){range->start, range->end - range->start, range->base,
				       range->image};
	return true;
}

static bool locate_anon(struct profile *profile, uint64_t pc, struct stream_place *place,
			enum stat_id *lost)
{
	const struct stream *stream = &profile->stream;
	const struct anon_mapping *mapping;

	/* anonymous memory is told apart by process, and stands below its application */
	*lost = STAT_NO_USER_APP;
	if (!stream->has_task || !program_of(profile))
		return false;
	*lost = STAT_NO_MAPPING;
	mapping = anon_find(&profile->anon, (uint32_t)stream->tgid, stream->app, pc,
			    profile->buffers);
	if (!mapping)
		return false;
	*place = (struct stream_place){mapping->start, mapping->end - mapping->start,
				       mapping->start, mapping->image};
	return true;
}

static bool locate_file(struct profile *profile, struct stream_place *place, enum stat_id *lost)
{
	struct image *image = image_of_cookie(&profile->images, profile->stream.cookie);

	*lost = STAT_NO_MAPPING;
	if (!image)
		return false;
	*place = (struct stream_place){0, UINT64_MAX, 0, image};
	return true;
}

/* Return: true, or false with @lost set to the cause. */
static bool locate(struct profile *profile, uint64_t pc, struct stream_place *place,
		   enum stat_id *lost)
{
	if (profile->stream.mode == STREAM_KERNEL)
		return locate_kernel(profile, pc, place, lost);
	if (profile->stream.cookie == OPROFILE_NO_COOKIE)
		return locate_anon(profile, pc, place, lost);
	return locate_file(profile, place, lost);
}

/* ---- which sample file that is ---- */

/* The application below which samples of @image are stored; @also is set if it is not known. */
static struct image *choose_app(struct profile *profile, struct image *image, enum stat_id *also)
{
	bool is_kernel = profile->stream.mode == STREAM_KERNEL;
	struct image *app = profile_app(profile, image, is_kernel, program_of(profile));

	if (app)
		return app;
	*also = is_kernel ? STAT_KERNEL_NO_APP : STAT_USER_NO_APP;
	return image;
}

static bool is_wanted(struct profile *profile, const struct image *image)
{
	return image->wanted || image_is_wanted(image, program_of(profile));
}

/* @also is set to a number of the statistics to count as well, or to STAT_COUNT. */
static struct sample_file *find_file(struct profile *profile, struct image *image, uint32_t event,
				     enum stat_id *also)
{
	const struct profile_config *config = &profile->config;
	struct stream *stream = &profile->stream;
	uint64_t closed = profile->files.closed;
	struct sample_file *file;
	struct sample_key key = {
		.dep = image,
		.event = event,
		.tgid = config->separate_thread ? stream->tgid : OP_ALL,
		.tid = config->separate_thread ? stream->tid : OP_ALL,
		.cpu = config->separate_cpu ? stream->cpu : OP_ALL,
	};

	*also = STAT_COUNT;
	key.app = choose_app(profile, image, also);
	file = sample_file_get(&profile->files, &key);
	if (profile->files.closed != closed)
		stream_forget(stream);
	return file;
}

/* ---- samples ---- */

static void log_sample(const struct profile *profile, uint64_t pc, uint64_t event,
		       const char *where)
{
	const struct stream *stream = &profile->stream;

	log_line("sample: %s %#" PRIx64 " event %" PRIu64 " cpu %" PRId32 " tgid %" PRId32
		 " tid %" PRId32 ": %s",
		 stream->mode == STREAM_KERNEL ? "kernel" : "user", pc, event, stream->cpu,
		 stream->tgid, stream->tid, where);
}

/* The sample at the head of a trace is of no use, so its callers are not, either. */
static void drop(struct profile *profile, uint64_t pc, uint64_t event, enum stat_id why)
{
	struct stream *stream = &profile->stream;

	count(profile, why);
	if (unlikely(log_topics & LOG_SAMPLES))
		log_sample(profile, pc, event, stats_name(why));
	if (stream->trace == STREAM_TRACE_HEAD) {
		stream->trace = STREAM_TRACE_SKIP;
		stream->trace_why =
			why == STAT_FILTERED ? STAT_FRAMES_FILTERED : STAT_FRAMES_NO_HEAD;
	}
}

/* The stack file is that of the program, whether samples are separated by program or not. */
static void begin_stack(struct profile *profile, struct sample_file *file, uint64_t key)
{
	struct image *program = program_of(profile);
	struct sample_key wanted = file->key;

	wanted.app = wanted.dep = program ? program : file->key.app;
	wanted.is_stacks = true;
	stack_begin(&profile->stack, &wanted, program,
		    &(struct stack_frame){file->key.dep, key});
}

static void store(struct profile *profile, const struct stream_hot *hot, uint64_t pc)
{
	struct stream *stream = &profile->stream;
	uint64_t key = pc - hot->place.base;

	if (unlikely(sample_file_add(&profile->files, hot->file, key, 1))) {
		drop(profile, pc, hot->event, STAT_NO_SAMPLE_FILE);
		return;
	}
	count(profile, STAT_STORED);
	++*hot->also;
	if (stream->trace == STREAM_TRACE_HEAD) {
		stream->trace = STREAM_TRACE_FRAMES;
		stream->frame = hot->place;
		begin_stack(profile, hot->file, key);
	}
}

static bool has_context(const struct profile *profile)
{
	const struct stream *stream = &profile->stream;

	return stream->mode != STREAM_NO_MODE &&
	       (stream->has_cpu || !profile->config.separate_cpu) &&
	       (stream->has_task || !profile->config.separate_thread);
}

/* A sample that does not go where the one before went. */
static void take_sample_elsewhere(struct profile *profile, uint64_t pc, uint64_t event)
{
	struct stream *stream = &profile->stream;
	struct stream_hot hot = {.event = event, .is_kernel = stream->mode == STREAM_KERNEL};
	enum stat_id lost, also;
	int index = event < OP_COUNTERS_MAX ? profile->event_of[event] : -1;

	count(profile, STAT_RECEIVED);
	profile->stats.value[STAT_KERNEL] += hot.is_kernel;
	if (!has_context(profile)) {
		drop(profile, pc, event, STAT_NO_CONTEXT);
		return;
	}
	if (index < 0) {
		drop(profile, pc, event, STAT_NO_EVENT);
		return;
	}
	if (!locate(profile, pc, &hot.place, &lost)) {
		drop(profile, pc, event, lost);
		return;
	}
	if (!is_wanted(profile, hot.place.image)) {
		drop(profile, pc, event, STAT_FILTERED);
		return;
	}
	hot.file = find_file(profile, hot.place.image, (uint32_t)index, &also);
	if (!hot.file) {
		drop(profile, pc, event, STAT_NO_SAMPLE_FILE);
		return;
	}
	hot.place.image = hot.file->key.dep; /* it may be the successor */
	hot.also = also == STAT_COUNT ? &stream->dummy : &profile->stats.value[also];
	if (unlikely(log_topics & LOG_SAMPLES))
		log_sample(profile, pc, event, hot.place.image->id.name);
	else
		stream->hot = hot;
	store(profile, &hot, pc);
}

static void take_sample(struct profile *profile, uint64_t pc, uint64_t event)
{
	const struct stream_hot *hot = &profile->stream.hot;

	if (unlikely(pc - hot->place.start >= hot->place.size || event != hot->event)) {
		take_sample_elsewhere(profile, pc, event);
		return;
	}
	count(profile, STAT_RECEIVED);
	profile->stats.value[STAT_KERNEL] += hot->is_kernel;
	store(profile, hot, pc);
}

/* ---- callers ---- */

static void take_frame(struct profile *profile, uint64_t pc)
{
	struct stream *stream = &profile->stream;
	struct stream_place *place = &stream->frame;
	enum stat_id lost;
	bool pushed;

	count(profile, STAT_FRAMES);
	if (unlikely(pc - place->start >= place->size) && !locate(profile, pc, place, &lost)) {
		place->size = 0;
		pushed = stack_push_unknown(&profile->stack, pc, stream->mode == STREAM_KERNEL);
	} else {
		pushed = stack_push(&profile->stack, place->image, pc - place->base);
	}
	if (unlikely(!pushed))
		count(profile, STAT_FRAMES_TOO_DEEP);
}

static inline void take_pair(struct profile *profile, uint64_t pc, uint64_t event)
{
	const struct stream *stream = &profile->stream;

	if (stream->trace == STREAM_TRACE_FRAMES) {
		take_frame(profile, pc);
	} else if (unlikely(stream->trace == STREAM_TRACE_SKIP)) {
		count(profile, STAT_FRAMES);
		count(profile, stream->trace_why);
	} else {
		take_sample(profile, pc, event);
	}
}

/* ---- records ---- */

static void reset(struct stream *stream)
{
	stream->mode = STREAM_NO_MODE;
	stream->has_cpu = stream->has_task = false;
	stream->cpu = stream->tid = stream->tgid = -1;
	stream->app = stream->cookie = OPROFILE_INVALID_COOKIE;
	stream->asked = false;
	stream->hot = (struct stream_hot){0};
	stream->frame = (struct stream_place){0};
	stream->trace = STREAM_NO_TRACE;
}

/* A switch of task or CPU ends a trace, unless its sample has yet to come. */
static void end_trace(struct stream *stream)
{
	if (stream->trace != STREAM_TRACE_HEAD)
		stream->trace = STREAM_NO_TRACE;
}

/* Recordings need the names of all files, whatever is asked of the live session. */
static void ask(struct profile *profile, uint64_t cookie)
{
	if (unlikely(profile->source->needs_all_images))
		image_of_cookie(&profile->images, cookie);
}

/* ESC, code, tid, application, ESC, code, tgid */
static bool switch_context(struct profile *profile, const uint64_t *words)
{
	struct stream *stream = &profile->stream;

	if (words[4] != OPROFILE_ESCAPE_CODE || words[5] != OPROFILE_CTX_TGID ||
	    words[2] > INT32_MAX || words[6] > INT32_MAX)
		return false;
	end_trace(stream);
	stream->has_task = true;
	stream->tid = (int32_t)words[2];
	stream->tgid = (int32_t)words[6];
	stream->app = words[3];
	stream->asked = false;
	ask(profile, stream->app);
	return true;
}

static bool switch_cpu(struct stream *stream, uint64_t cpu)
{
	if (cpu > INT32_MAX)
		return false;
	end_trace(stream);
	stream->has_cpu = true;
	stream->cpu = (int32_t)cpu;
	return true;
}

/* Takes the record at @words.  Return: its length, or 0 if it makes no sense. */
static size_t take_record(struct profile *profile, const uint64_t *words, size_t left)
{
	struct stream *stream = &profile->stream;

	if (left < 2)
		return 0;
	if (words[1] == OPROFILE_TRACE_BEGIN) {
		stack_end(profile);
		stream->trace = STREAM_TRACE_HEAD;
		return 2;
	}
	/* the samples behind it may be elsewhere */
	stream_forget(stream);
	stream->frame.size = 0;
	switch (words[1]) {
	case OPROFILE_CTX_SWITCH:
		stack_end(profile);
		return left >= 7 && switch_context(profile, words) ? 7 : 0;
	case OPROFILE_CPU_SWITCH:
		stack_end(profile);
		return left >= 3 && switch_cpu(stream, words[2]) ? 3 : 0;
	case OPROFILE_COOKIE_SWITCH:
		if (left < 3)
			return 0;
		stream->cookie = words[2];
		ask(profile, stream->cookie);
		return 3;
	case OPROFILE_KERNEL_ENTER:
		stream->mode = STREAM_KERNEL;
		return 2;
	case OPROFILE_USER_ENTER:
		stream->mode = STREAM_USER;
		return 2;
	case OPROFILE_MODULE_LOADED:
		kernel_refresh(&profile->kernel);
		return 2;
	default:
		return 0;
	}
}

/* Return: how many words to pass over, up to the next escape code. */
static size_t pass_over(struct profile *profile, const uint64_t *words, size_t at, size_t total)
{
	size_t end = at + 1;

	while (end < total && words[end] != OPROFILE_ESCAPE_CODE)
		end++;
	log_limited(&profile->stream.log_bad,
		    "bad record at word %zu of buffer %" PRIu64 " (of %zu words): %#" PRIx64
		    " %#" PRIx64 "; words passed over: %zu",
		    at, profile->buffers, total, words[at], at + 1 < total ? words[at + 1] : 0,
		    end - at);
	count(profile, STAT_BAD_RECORDS);
	profile->stats.value[STAT_BAD_WORDS] += end - at;
	stack_end(profile);
	reset(&profile->stream);
	return end - at;
}

void stream_decode(struct profile *profile, const uint64_t *words, size_t total)
{
	size_t at = 0, length;

	reset(&profile->stream);
	while (at < total) {
		if (words[at] == OPROFILE_ESCAPE_CODE) {
			length = take_record(profile, words + at, total - at);
			at += length ? length : pass_over(profile, words, at, total);
		} else if (likely(at + 1 < total && words[at + 1] != OPROFILE_ESCAPE_CODE)) {
			take_pair(profile, words[at], words[at + 1]);
			at += 2;
		} else {
			at += pass_over(profile, words, at, total);
		}
	}
	stack_end(profile);
}
