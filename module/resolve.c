// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resolves samples and writes them as records.
 *
 * A sample is written whole or not at all: before the first word of a record, room for all of
 * it is made sure of.  If there is none, the sample stays where it is.  So samples are lost to a
 * slow reader in one place only, in front of a full CPU buffer.
 *
 * A sample whose address space is locked is set aside (deferred.h), as nothing here may wait for
 * a profiled process.
 *
 * Each batch of a CPU repeats its CPU, task and mode, and the reader gets only what was written
 * under op_sync_mutex, so whatever one read() returns can be decoded alone.
 */
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/sched/mm.h>

#include "context.h"
#include "cpu_buffer.h"
#include "deferred.h"
#include "event_buffer.h"
#include "images/address_space.h"
#include "images/dcookie.h"
#include "images/unmapped.h"
#include "published.h"
#include "resolve.h"
#include "uapi/oprofile.h"
#include "unwind/map.h"

/* Words of the longest form of each record. */
#define CPU_SWITCH_WORDS 3
#define CTX_SWITCH_WORDS 7
#define MODE_SWITCH_WORDS 2
#define COOKIE_SWITCH_WORDS 3
#define TRACE_BEGIN_WORDS 2
#define PLAIN_SAMPLE_WORDS 2
#define CALLER_WORDS (MODE_SWITCH_WORDS + COOKIE_SWITCH_WORDS + PLAIN_SAMPLE_WORDS)

#define RUN_MAX 256 /* samples after which their place in the CPU buffer is given back */

struct op_resolve_stats op_resolve_stats;

static DEFINE_PER_CPU(struct op_context, cpu_context); /* that of the CPU's last context record */

static struct op_address_space resolve_space; /* the one that is looked into, by op_sync_mutex */

static bool sampling;

enum mode { MODE_UNKNOWN, MODE_KERNEL, MODE_USER };

/**
 * enum outcome - of a record
 * @DONE: it was written, or counted as lost
 * @NO_ROOM: the event buffer is too full for it
 * @LATER: it can't be resolved now, but perhaps soon
 */
enum outcome { DONE, NO_ROOM, LATER };

/**
 * struct batch - samples of one CPU: what the records written so far have said about it
 * @cookie: the last COOKIE_SWITCH; OPROFILE_INVALID_COOKIE: none yet
 * @span: of resolve_space, where the last sample of user code was; NULL if the last was lost
 * @mapped: the map of @context for unwinding is as it should be
 * @final: nothing is LATER any more, but lost
 */
struct batch {
	unsigned int cpu;
	struct op_context *context;
	struct op_cpu_reader reader;
	bool cpu_said;
	bool context_said;
	enum mode mode;
	u64 cookie;
	const struct op_address_span *span;
	bool mapped;
	bool final;
};

/*
 * The program of a task that has left its address space, but still runs in the kernel, is
 * looked up by tgid: the last one seen of it.  tgid << 32 | cookie; a cookie fits, see
 * dcookie.c.  Direct-mapped: a collision only makes a program unknown.
 */
#define PROGRAMS_ORDER 12
static u64 known_programs[1 << PROGRAMS_ORDER];

static void remember_program(u32 tgid, u64 cookie)
{
	if (cookie != OPROFILE_INVALID_COOKIE)
		known_programs[hash_32(tgid, PROGRAMS_ORDER)] = (u64)tgid << 32 | cookie;
}

static u64 remembered_program(u32 tgid)
{
	u64 program = known_programs[hash_32(tgid, PROGRAMS_ORDER)];

	return program >> 32 == tgid && program ? lower_32_bits(program) : OPROFILE_INVALID_COOKIE;
}

static u64 task_program(struct op_context *context, struct op_record_header header)
{
	struct mm_struct *mm;
	u64 app;

	if (header.kind & OP_CONTEXT_KERNEL_THREAD)
		return OPROFILE_NO_COOKIE;
	if (!context->mm)
		return remembered_program(context->tgid);

	mm = op_context_grab(context);
	if (mm) {
		app = op_program_cookie(mm, context->account);
		mmdrop(mm);
	} else {
		app = op_unmapped_find_program(context->mm, header.epoch);
	}
	remember_program(context->tgid, app);
	return app;
}

static void enter_context(struct batch *batch, struct op_record_header header)
{
	struct op_context *context = batch->context;
	u64 task = op_cpu_reader_word(&batch->reader, 1);

	batch->span = NULL;
	context->pid = lower_32_bits(task);
	context->tgid = upper_32_bits(task);
	context->mm = (const void *)(unsigned long)op_cpu_reader_word(&batch->reader, 2);
	context->lender = lower_32_bits(op_cpu_reader_word(&batch->reader, 3));
	context->exec_id = upper_32_bits(op_cpu_reader_word(&batch->reader, 3));
	if (resolve_space.id != context->mm)
		op_address_space_release(&resolve_space);
	context->app = task_program(context, header);
	batch->context_said = false;
	batch->mapped = false;
}

/*
 * After a sample with callers, once for each context: so that stacks can be walked there.  When
 * sampling has stopped there will be none.
 */
static void map_context(struct batch *batch, u32 epoch)
{
	batch->mapped = true;
	if (batch->context->mm && READ_ONCE(sampling) &&
	    op_address_space_enter(&resolve_space, batch->context, epoch) && resolve_space.mm)
		op_unwind_map_refresh(resolve_space.mm, batch->context->tgid,
				      resolve_space.account);
}

/* What may stand in the event stream instead of a cookie that was looked up some time ago. */
static u64 still_there(u64 cookie)
{
	return cookie == OPROFILE_NO_COOKIE || op_dcookie_say(cookie) ? cookie :
								       OPROFILE_INVALID_COOKIE;
}

/* These write at @to, where there is room, and return what is behind it. */

static u64 *add_escape(u64 *to, enum oprofile_code code)
{
	*to++ = OPROFILE_ESCAPE_CODE;
	*to++ = code;
	return to;
}

static u64 *say_cpu_and_context(struct batch *batch, u64 *to)
{
	const struct op_context *context = batch->context;

	if (!batch->cpu_said) {
		to = add_escape(to, OPROFILE_CPU_SWITCH);
		*to++ = batch->cpu;
		batch->cpu_said = true;
	}
	to = add_escape(to, OPROFILE_CTX_SWITCH);
	*to++ = context->pid;
	*to++ = still_there(context->app);
	to = add_escape(to, OPROFILE_CTX_TGID);
	*to++ = context->tgid;
	batch->context_said = true;
	return to;
}

static u64 *say_mode(struct batch *batch, u64 *to, enum mode mode)
{
	if (batch->mode == mode)
		return to;
	batch->mode = mode;
	return add_escape(to, mode == MODE_KERNEL ? OPROFILE_KERNEL_ENTER : OPROFILE_USER_ENTER);
}

static u64 *say_image(struct batch *batch, u64 *to, u64 cookie)
{
	to = say_mode(batch, to, MODE_USER);
	if (batch->cookie == cookie)
		return to;
	batch->cookie = cookie;
	to = add_escape(to, OPROFILE_COOKIE_SWITCH);
	*to++ = cookie;
	return to;
}

static u64 *say_sample(u64 *to, u64 pc_or_offset, u64 event)
{
	*to++ = pc_or_offset;
	*to++ = event;
	return to;
}

/* What is mapped at an address; NULL: nothing that could be named. */
static const struct op_address_span *find_image(struct batch *batch, unsigned long address,
						u32 epoch)
{
	const struct op_address_span *span;

	if (!op_address_space_enter(&resolve_space, batch->context, epoch))
		return NULL;
	span = op_address_space_find(&resolve_space, address, epoch);
	return span && span->cookie != OPROFILE_INVALID_COOKIE ? span : NULL;
}

/* Those of user code, from @caller on; the last one that was said has @span, NULL: none has. */
static u64 *add_user_callers(struct batch *batch, u64 *to, struct op_record_header header,
			     unsigned int caller, const struct op_address_span *span)
{
	/* Copies stay in registers: @to may point to anything, as far as the compiler knows. */
	const struct op_cpu_reader reader = batch->reader;
	const unsigned int words = op_sample_words(header);
	struct op_address_span said = {};

	if (span)
		said = *span;
	for (; caller < header.nr_callers; caller++) {
		unsigned long pc = op_cpu_reader_word(&reader, words + caller);

		if (!op_address_span_holds(&said, pc, header.epoch)) {
			span = batch->context->mm ? find_image(batch, pc, header.epoch) : NULL;
			if (!span) {
				op_published_add(&op_resolve_stats.bt_lost_no_mapping, 1);
				break;
			}
			said = *span;
			to = say_image(batch, to, said.cookie);
		}
		to = say_sample(to, op_address_span_offset(&said, pc), 0);
	}
	return to;
}

static u64 *add_callers(struct batch *batch, u64 *to, struct op_record_header header)
{
	unsigned int words = op_sample_words(header);
	unsigned int caller;

	for (caller = 0; caller < header.nr_kernel_callers; caller++) {
		to = say_mode(batch, to, MODE_KERNEL);
		to = say_sample(to, op_cpu_reader_word(&batch->reader, words + caller), 0);
	}
	return add_user_callers(batch, to, header, caller,
				header.kind & OP_SAMPLE_KERNEL ? NULL : batch->span);
}

static enum outcome lose_sample(struct batch *batch, struct op_record_header header,
				unsigned long *count)
{
	op_published_add(count, 1);
	if (header.nr_callers) /* they are lost with it */
		op_published_add(&op_resolve_stats.bt_lost_no_mapping, 1);
	batch->span = NULL;
	return DONE;
}

/* For a sample of user code: finds batch->span, of its image. */
static enum outcome find_span(struct batch *batch, struct op_record_header header)
{
	unsigned long pc = op_cpu_reader_word(&batch->reader, 1);

	if (!batch->context->mm)
		return lose_sample(batch, header, &op_resolve_stats.lost_no_mm);
	if (batch->span && op_address_span_holds(batch->span, pc, header.epoch))
		return DONE;
	batch->span = find_image(batch, pc, header.epoch);
	if (batch->span)
		return DONE;
	if (!batch->final)
		return LATER;
	return lose_sample(batch, header, resolve_space.id ? &op_resolve_stats.lost_no_mapping :
							    &op_resolve_stats.lost_busy);
}

/*
 * Is the sample one of the kernel with callers in a program whose address space is locked, or that
 * is just being unmapped?
 */
static bool callers_locked(struct batch *batch, struct op_record_header header)
{
	unsigned int first = op_sample_words(header) + header.nr_kernel_callers;

	if (header.nr_callers == header.nr_kernel_callers || !batch->context->mm)
		return false;
	if (!op_address_space_enter(&resolve_space, batch->context, header.epoch))
		return true;
	return !resolve_space.mm &&
	       !find_image(batch, op_cpu_reader_word(&batch->reader, first), header.epoch);
}

/* The second word of a sample. */
static u64 event_word(const struct op_cpu_reader *reader, struct op_record_header header)
{
	u64 weight = 0;

	if (header.kind & OP_SAMPLE_WEIGHTED)
		weight = op_cpu_reader_word(reader, OP_SAMPLE_WORDS);
	return header.event | weight << OPROFILE_COUNTER_BITS;
}

static u64 *write_sample(struct batch *batch, u64 *to, struct op_record_header header)
{
	unsigned long pc = op_cpu_reader_word(&batch->reader, 1);
	u64 event = event_word(&batch->reader, header);

	if (!batch->context_said)
		to = say_cpu_and_context(batch, to);
	if (header.kind & OP_SAMPLE_TRACED)
		to = add_escape(to, OPROFILE_TRACE_BEGIN);
	if (header.kind & OP_SAMPLE_KERNEL) {
		to = say_mode(batch, to, MODE_KERNEL);
		to = say_sample(to, pc, event);
	} else {
		to = say_image(batch, to, batch->span->cookie);
		to = say_sample(to, op_address_span_offset(batch->span, pc), event);
	}
	return header.nr_callers ? add_callers(batch, to, header) : to;
}

static enum outcome resolve_sample(struct batch *batch, struct op_record_header header)
{
	enum outcome outcome = DONE;

	if (!(header.kind & OP_SAMPLE_KERNEL)) {
		outcome = find_span(batch, header);
		if (!batch->span)
			return outcome;
	} else if (!batch->final && callers_locked(batch, header)) {
		return LATER;
	}
	op_event_buffer_end(write_sample(batch, op_event_buffer_begin(), header));
	return DONE;
}

static unsigned long words_at_most(struct op_record_header header)
{
	return CPU_SWITCH_WORDS + CTX_SWITCH_WORDS + TRACE_BEGIN_WORDS + CALLER_WORDS +
	       header.nr_callers * CALLER_WORDS;
}

static enum outcome consume_sample(struct batch *batch, struct op_record_header header)
{
	unsigned long need = words_at_most(header);

	if (need > op_event_buffer_size()) {
		op_published_add(&op_resolve_stats.lost_no_room, 1);
		op_published_add(&op_resolve_stats.event_lost_overflow, need);
		return DONE;
	}
	if (need > op_event_buffer_free())
		return NO_ROOM;
	return resolve_sample(batch, header);
}

/* Set aside, or lost at once where there is no room for it. */
static void defer(struct batch *batch, struct op_record_header header)
{
	if (op_deferred_add(batch->cpu, batch->context, &batch->reader))
		return;
	batch->final = true;
	resolve_sample(batch, header);
	batch->final = false;
}

/* Returns false if the event buffer has no room for the record. */
static bool consume(struct batch *batch, struct op_record_header header)
{
	enum outcome outcome = DONE;

	if (header.kind & OP_RECORD_CONTEXT)
		enter_context(batch, header);
	else
		outcome = consume_sample(batch, header);
	if (header.kind & OP_SAMPLE_TRACED && !batch->mapped)
		map_context(batch, header.epoch);
	if (outcome == LATER)
		defer(batch, header);
	return outcome != NO_ROOM;
}

/* How far consume_run() may go before the place in the CPU buffer is given back. */
static unsigned long run_limit(void)
{
	return min_t(unsigned long, op_event_buffer_free() / PLAIN_SAMPLE_WORDS, RUN_MAX);
}

/*
 * Nearly all samples follow one like them: of the same task, mode and image.  These are consume()
 * for a run of such, which needs no record but the samples; the first two, for those without
 * callers.  They return the position behind it; the copy of the reader stays in registers.
 */
static unsigned long consume_kernel_run(struct op_cpu_reader reader)
{
	unsigned long left = run_limit();
	u64 *to = op_event_buffer_begin();

	for (; left && !op_cpu_reader_at_end(&reader); left--) {
		struct op_record_header header = op_cpu_reader_header(&reader);

		if (header.kind != (OP_RECORD_SAMPLE | OP_SAMPLE_KERNEL))
			break;
		to = say_sample(to, op_cpu_reader_word(&reader, 1), header.event);
		reader.position += OP_SAMPLE_WORDS;
	}
	op_event_buffer_end(to);
	return reader.position;
}

static unsigned long consume_user_run(struct op_cpu_reader reader,
				      const struct op_address_span span)
{
	unsigned long left = run_limit();
	u64 *to = op_event_buffer_begin();

	for (; left && !op_cpu_reader_at_end(&reader); left--) {
		struct op_record_header header = op_cpu_reader_header(&reader);
		u64 pc = op_cpu_reader_word(&reader, 1);

		if (header.kind != OP_RECORD_SAMPLE ||
		    !op_address_span_holds(&span, pc, header.epoch))
			break;
		to = say_sample(to, op_address_span_offset(&span, pc), header.event);
		reader.position += OP_SAMPLE_WORDS;
	}
	op_event_buffer_end(to);
	return reader.position;
}

/*
 * The same for samples with callers, as far as all of a sample is in @span: most that are traced
 * are of one program's code.
 */
static unsigned long consume_traced_run(struct op_cpu_reader reader,
					const struct op_address_span span)
{
	u64 *to = op_event_buffer_begin(), *const end = to + op_event_buffer_free();
	const u64 move = span.offset - span.start;
	unsigned int left, words;

	for (left = RUN_MAX; left && !op_cpu_reader_at_end(&reader); left--) {
		struct op_record_header header = op_cpu_reader_header(&reader);
		u64 event = header.event, *at = to;
		const u64 *pc, *last;

		words = OP_SAMPLE_WORDS + header.nr_callers;
		pc = op_cpu_reader_words(&reader, words);
		if (header.kind != (OP_RECORD_SAMPLE | OP_SAMPLE_TRACED) || !pc ||
		    (s32)(header.epoch - span.until) > 0 || end - to < 2 * words)
			break;
		at = add_escape(at, OPROFILE_TRACE_BEGIN);
		for (last = pc + words - 1; pc++ < last;) {
			if (*pc - span.start >= span.size)
				goto end;
			at = say_sample(at, *pc + move, event);
			event = 0; /* of callers */
		}
		to = at;
		reader.position += words;
	}
end:
	op_event_buffer_end(to);
	return reader.position;
}

/* consume_traced_run() counts on that. */
static_assert(TRACE_BEGIN_WORDS == 2 && PLAIN_SAMPLE_WORDS == 2);

/* Is what was said last that of samples in batch->span? */
static bool in_span(const struct batch *batch)
{
	return batch->span && batch->mode == MODE_USER && batch->cookie == batch->span->cookie;
}

/* @header: of the record that was consumed last. */
static void consume_run(struct batch *batch, struct op_record_header header)
{
	if (header.kind == (OP_RECORD_SAMPLE | OP_SAMPLE_KERNEL))
		batch->reader.position = consume_kernel_run(batch->reader);
	else if (header.kind == OP_RECORD_SAMPLE && batch->span)
		batch->reader.position = consume_user_run(batch->reader, *batch->span);
	else if (header.kind == (OP_RECORD_SAMPLE | OP_SAMPLE_TRACED) && in_span(batch))
		batch->reader.position = consume_traced_run(batch->reader, *batch->span);
}

bool op_resolve_cpu(unsigned int cpu, bool up_to_mark, bool *found)
{
	struct batch batch = {
		.cpu = cpu,
		.context = per_cpu_ptr(&cpu_context, cpu),
		.cookie = OPROFILE_INVALID_COOKIE,
	};
	struct op_record_header header;
	bool room = true;

	if (!op_cpu_reader_open(&batch.reader, cpu))
		return true;
	if (up_to_mark)
		op_cpu_reader_end_at_mark(&batch.reader);
	*found |= !op_cpu_reader_at_end(&batch.reader);
	while (!op_cpu_reader_at_end(&batch.reader)) {
		header = op_cpu_reader_header(&batch.reader);
		room = consume(&batch, header);
		if (!room)
			break;
		op_cpu_reader_advance(&batch.reader, header);
		consume_run(&batch, header);
		op_cpu_reader_release(&batch.reader);
	}
	op_address_space_release(&resolve_space);
	return room;
}

/* A sample that was set aside, as a batch of its own in its address space. */
static enum outcome retry_sample(struct batch *batch, struct op_deferred_sample *sample, bool last)
{
	struct op_record_header header;

	batch->cpu = sample->cpu;
	batch->context = &sample->context;
	batch->cpu_said = false;
	batch->context_said = false;
	batch->mode = MODE_UNKNOWN;
	batch->cookie = OPROFILE_INVALID_COOKIE;
	batch->span = NULL; /* of another CPU's sample, perhaps, which may be a younger one */
	batch->final = last || time_after_eq(jiffies, sample->until);
	batch->reader = (struct op_cpu_reader){
		.words = sample->words, .mask = -1UL, .end = sample->nr_words,
	};
	header = op_cpu_reader_header(&batch->reader);
	return consume_sample(batch, header);
}

/* Returns false if the event buffer is full. */
static bool retry_space(struct op_deferred_space *space, bool last)
{
	struct op_deferred_sample *sample, *next;
	struct batch batch = {};
	enum outcome outcome = DONE;

	list_for_each_entry_safe(sample, next, &space->samples, list) {
		bool is_last = list_is_last(&sample->list, &space->samples);

		outcome = retry_sample(&batch, sample, last);
		if (outcome == NO_ROOM)
			break;
		if (outcome == LATER && !resolve_space.id)
			break; /* it is locked; those behind it are younger */
		if (is_last) /* the space may go with it */
			op_address_space_release(&resolve_space);
		if (outcome == DONE)
			op_deferred_remove(space, sample);
		if (is_last)
			break;
	}
	op_address_space_release(&resolve_space);
	return outcome != NO_ROOM;
}

bool op_resolve_deferred(bool last)
{
	struct op_deferred_space *space, *next;

	list_for_each_entry_safe(space, next, &op_deferred_spaces, list) {
		if (!retry_space(space, last))
			return false;
	}
	return true;
}

bool op_resolve_say_module_loaded(void)
{
	if (op_event_buffer_free() < MODE_SWITCH_WORDS)
		return false;
	op_event_buffer_end(add_escape(op_event_buffer_begin(), OPROFILE_MODULE_LOADED));
	return true;
}

bool op_resolve_sampling(void)
{
	return READ_ONCE(sampling);
}

void op_resolve_set_sampling(bool more)
{
	WRITE_ONCE(sampling, more);
}

void op_resolve_set_up(void)
{
	memset(known_programs, 0, sizeof(known_programs));
}

void op_resolve_tear_down(void)
{
	unsigned int cpu;

	op_deferred_tear_down();
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&cpu_context, cpu), 0, sizeof(struct op_context));
}
