// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sync: resolves samples and writes them as records.
 *
 * A sample is written whole or not at all: before the first word of a record, room for all of
 * it is made sure of.  If there is none, sync stops and the sample stays where it is.  So
 * samples are lost to a slow reader in one place only, in front of a full CPU buffer.
 *
 * Each sync of a CPU repeats its CPU, task and mode, and the reader gets only what was
 * written under op_sync_mutex, so whatever one read() returns can be decoded alone.
 */
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/sched/mm.h>
#include <linux/workqueue.h>

#include "images/address_space.h"
#include "cpu_buffer.h"
#include "event_buffer.h"
#include "published.h"
#include "sync.h"
#include "images/unmapped.h"
#include "uapi/oprofile.h"

#define SYNC_PERIOD (HZ / 4)

/* Words of the longest form of each record. */
#define CPU_SWITCH_WORDS 3
#define CTX_SWITCH_WORDS 7
#define MODE_SWITCH_WORDS 2
#define COOKIE_SWITCH_WORDS 3
#define TRACE_BEGIN_WORDS 2
#define PLAIN_SAMPLE_WORDS 2
#define CALLER_WORDS (MODE_SWITCH_WORDS + COOKIE_SWITCH_WORDS + PLAIN_SAMPLE_WORDS)

#define RUN_MAX 256 /* samples after which their place in the CPU buffer is given back */

DEFINE_MUTEX(op_sync_mutex); /* see sync.h */
struct op_sync_stats op_sync_stats;

/**
 * struct context - the task that a CPU's samples belong to
 * @mm: with the reference of the record that named it; NULL without an address space
 * @app: cookie of the program
 */
struct context {
	u32 pid;
	u32 tgid;
	struct mm_struct *mm;
	u64 app;
};

/*
 * Lifetime: the context of a CPU's last context record holds the mm until the next one is
 * read, or op_sync_tear_down().  The producer relies on that: see in_last_context().
 */
static DEFINE_PER_CPU(struct context, cpu_context);

enum mode { MODE_UNKNOWN, MODE_KERNEL, MODE_USER };

/**
 * struct batch - one sync of one CPU: what the records written so far have said about it
 * @cookie: the last COOKIE_SWITCH; OPROFILE_INVALID_COOKIE: none yet
 * @span: of @space, where the last sample of user code was; NULL if the last was lost
 */
struct batch {
	unsigned int cpu;
	struct context *context;
	struct op_cpu_reader reader;
	bool cpu_said;
	bool context_said;
	enum mode mode;
	u64 cookie;
	struct op_address_space space;
	const struct op_address_span *span;
};

/*
 * The program of a task that has left its address space, but still runs in the kernel, is
 * looked up by tgid: the last one seen of it.  tgid << 32 | cookie; a cookie fits, see
 * dcookie.c.  Direct-mapped: a collision only makes a program unknown.
 */
#define PROGRAMS_ORDER 12
static u64 programs[1 << PROGRAMS_ORDER];

static void remember_program(u32 tgid, u64 cookie)
{
	if (cookie != OPROFILE_INVALID_COOKIE)
		programs[hash_32(tgid, PROGRAMS_ORDER)] = (u64)tgid << 32 | cookie;
}

static u64 remembered_program(u32 tgid)
{
	u64 program = programs[hash_32(tgid, PROGRAMS_ORDER)];

	return program >> 32 == tgid && program ? lower_32_bits(program) : OPROFILE_INVALID_COOKIE;
}

static u64 program_of(const struct context *context, struct op_record_header header)
{
	u64 app;

	if (header.kind & OP_CONTEXT_KERNEL_THREAD)
		return OPROFILE_NO_COOKIE;
	if (!context->mm)
		return remembered_program(context->tgid);

	app = op_program_cookie(context->mm);
	if (app == OPROFILE_INVALID_COOKIE)
		app = op_unmapped_find_program(context->mm, header.epoch);
	remember_program(context->tgid, app);
	return app;
}

/* Takes over the reference in the record. */
static void enter_context(struct batch *batch, struct op_record_header header)
{
	struct context *context = batch->context;
	u64 task = op_cpu_reader_word(&batch->reader, 1);

	op_address_space_release(&batch->space);
	batch->span = NULL;
	if (context->mm)
		mmdrop(context->mm);
	context->pid = lower_32_bits(task);
	context->tgid = upper_32_bits(task);
	context->mm = op_cpu_reader_mm(&batch->reader);
	context->app = program_of(context, header);
	batch->context_said = false;
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
	const struct context *context = batch->context;

	if (!batch->cpu_said) {
		to = add_escape(to, OPROFILE_CPU_SWITCH);
		*to++ = batch->cpu;
		batch->cpu_said = true;
	}
	to = add_escape(to, OPROFILE_CTX_SWITCH);
	*to++ = context->pid;
	*to++ = context->app;
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

	span = op_address_space_find(&batch->space, batch->context->mm, address, epoch);
	return span && span->cookie != OPROFILE_INVALID_COOKIE ? span : NULL;
}

static u64 *add_callers(struct batch *batch, u64 *to, struct op_record_header header)
{
	const struct op_cpu_reader *reader = &batch->reader;
	const struct op_address_span *span = NULL; /* what was said last */
	unsigned int caller;

	if (!(header.kind & OP_SAMPLE_KERNEL))
		span = batch->span;

	for (caller = 0; caller < header.nr_kernel_callers; caller++) {
		to = say_mode(batch, to, MODE_KERNEL);
		to = say_sample(to, op_cpu_reader_word(reader, OP_SAMPLE_WORDS + caller), 0);
	}
	for (; caller < header.nr_callers; caller++) {
		unsigned long pc = op_cpu_reader_word(reader, OP_SAMPLE_WORDS + caller);

		if (!span || !op_address_span_holds(span, pc, header.epoch)) {
			span = batch->context->mm ? find_image(batch, pc, header.epoch) : NULL;
			if (!span) {
				op_published_add(&op_sync_stats.bt_lost_no_mapping, 1);
				break;
			}
			to = say_image(batch, to, span->cookie);
		}
		to = say_sample(to, op_address_span_offset(span, pc), 0);
	}
	return to;
}

static u64 *lose_sample(struct batch *batch, u64 *to, struct op_record_header header,
			unsigned long *count)
{
	op_published_add(count, 1);
	if (header.nr_callers) /* they are lost with it */
		op_published_add(&op_sync_stats.bt_lost_no_mapping, 1);
	batch->span = NULL;
	return to;
}

static u64 *add_sample(struct batch *batch, u64 *to, struct op_record_header header)
{
	unsigned long pc = op_cpu_reader_word(&batch->reader, 1);
	bool kernel = header.kind & OP_SAMPLE_KERNEL;

	if (!kernel) {
		if (!batch->context->mm)
			return lose_sample(batch, to, header, &op_sync_stats.lost_no_mm);
		if (!batch->span || !op_address_span_holds(batch->span, pc, header.epoch))
			batch->span = find_image(batch, pc, header.epoch);
		if (!batch->span)
			return lose_sample(batch, to, header, &op_sync_stats.lost_no_mapping);
	}

	if (!batch->context_said)
		to = say_cpu_and_context(batch, to);
	if (header.kind & OP_SAMPLE_TRACED)
		to = add_escape(to, OPROFILE_TRACE_BEGIN);
	if (kernel) {
		to = say_mode(batch, to, MODE_KERNEL);
		to = say_sample(to, pc, header.event);
	} else {
		to = say_image(batch, to, batch->span->cookie);
		to = say_sample(to, op_address_span_offset(batch->span, pc), header.event);
	}
	return header.nr_callers ? add_callers(batch, to, header) : to;
}

static unsigned long words_at_most(struct op_record_header header)
{
	return CPU_SWITCH_WORDS + CTX_SWITCH_WORDS + TRACE_BEGIN_WORDS + CALLER_WORDS +
	       header.nr_callers * CALLER_WORDS;
}

/* Returns false if the event buffer has no room for the record. */
static bool consume(struct batch *batch, struct op_record_header header)
{
	unsigned long need;

	if (header.kind & OP_RECORD_CONTEXT) {
		enter_context(batch, header);
		return true;
	}

	need = words_at_most(header);
	if (need > op_event_buffer_size()) {
		op_published_add(&op_sync_stats.lost_no_room, 1);
		op_published_add(&op_sync_stats.event_lost_overflow, need);
		return true;
	}
	if (need > op_event_buffer_free())
		return false;
	op_event_buffer_end(add_sample(batch, op_event_buffer_begin(), header));
	return true;
}

/* How far consume_run() may go before the place in the CPU buffer is given back. */
static unsigned long run_limit(void)
{
	return min_t(unsigned long, op_event_buffer_free() / PLAIN_SAMPLE_WORDS, RUN_MAX);
}

/*
 * Nearly all samples follow one like them: without callers, and of the same task, mode and
 * image.  These two are consume() for a run of such, which needs no record but the samples.
 * They return the position behind it; the copy of the reader stays in registers.
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

/* @header: of the record that was consumed last. */
static void consume_run(struct batch *batch, struct op_record_header header)
{
	if (header.kind == (OP_RECORD_SAMPLE | OP_SAMPLE_KERNEL))
		batch->reader.position = consume_kernel_run(batch->reader);
	else if (header.kind == OP_RECORD_SAMPLE && batch->span)
		batch->reader.position = consume_user_run(batch->reader, *batch->span);
}

/* Returns false if records were left behind. */
static bool sync_cpu(unsigned int cpu)
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
	while (!op_cpu_reader_at_end(&batch.reader)) {
		header = op_cpu_reader_header(&batch.reader);
		room = consume(&batch, header);
		if (!room)
			break;
		op_cpu_reader_advance(&batch.reader, header);
		consume_run(&batch, header);
		op_cpu_reader_release(&batch.reader);
	}
	op_address_space_release(&batch.space);
	return room;
}

static bool module_loaded_unsaid;
static bool stalled; /* the event buffer was full */

static void say_module_loaded(void)
{
	if (!module_loaded_unsaid || op_event_buffer_free() < MODE_SWITCH_WORDS)
		return;
	op_event_buffer_end(add_escape(op_event_buffer_begin(), OPROFILE_MODULE_LOADED));
	module_loaded_unsaid = false;
}

static void sync_all_locked(void)
{
	unsigned int cpu;

	lockdep_assert_held(&op_sync_mutex);

	say_module_loaded();
	stalled = false;
	for_each_possible_cpu(cpu) {
		if (!sync_cpu(cpu)) {
			stalled = true;
			break;
		}
	}
	if (stalled)
		op_event_buffer_make_ready();
	else
		op_unmapped_drained();
	op_event_buffer_check_ready();
}

void op_sync_all(void)
{
	mutex_lock(&op_sync_mutex);
	sync_all_locked();
	mutex_unlock(&op_sync_mutex);
}

void op_sync_and_make_ready(void)
{
	mutex_lock(&op_sync_mutex);
	sync_all_locked();
	op_event_buffer_make_ready();
	mutex_unlock(&op_sync_mutex);
}

void op_sync_module_loaded(void)
{
	mutex_lock(&op_sync_mutex);
	sync_all_locked(); /* samples so far belong to the old list of modules */
	module_loaded_unsaid = true;
	say_module_loaded();
	mutex_unlock(&op_sync_mutex);
}

static void sync_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(sync_work, sync_work_fn);
static struct workqueue_struct *sync_queue;
static atomic_t kicked;

static void sync_work_fn(struct work_struct *work)
{
	atomic_set(&kicked, 0); /* work:A - before the buffers are read; see kick:A */
	op_sync_all();
	if (READ_ONCE(stalled))
		atomic_set(&kicked, 1); /* no kick can help before op_sync_resume() */
	queue_delayed_work(sync_queue, &sync_work, SYNC_PERIOD);
}

static void kick_irq_fn(struct irq_work *work)
{
	mod_delayed_work(sync_queue, &sync_work, 0);
}

static DEFINE_IRQ_WORK(kick_irq, kick_irq_fn);

void op_sync_kick(void)
{
	/*
	 * Once until the work runs: irq_work interrupts this CPU.  A kick that crosses work:A and
	 * is lost costs no sample: the work runs again after SYNC_PERIOD.
	 */
	if (!atomic_read(&kicked) && !atomic_xchg(&kicked, 1)) /* kick:A */
		irq_work_queue(&kick_irq);
}

void op_sync_resume(void)
{
	/* Here and not in the work, which has an end with op_sync_stop_work(). */
	if (READ_ONCE(stalled))
		op_sync_and_make_ready();
	atomic_set(&kicked, 0);
}

int op_sync_set_up(void)
{
	sync_queue = alloc_workqueue("oprofile_sync", WQ_UNBOUND | WQ_HIGHPRI, 1);
	if (!sync_queue)
		return -ENOMEM;
	memset(programs, 0, sizeof(programs));
	module_loaded_unsaid = false;
	stalled = false;
	atomic_set(&kicked, 0);
	return 0;
}

void op_sync_start_work(void)
{
	queue_delayed_work(sync_queue, &sync_work, SYNC_PERIOD);
}

void op_sync_stop_work(void)
{
	irq_work_sync(&kick_irq);
	cancel_delayed_work_sync(&sync_work);
}

void op_sync_tear_down(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct context *context = per_cpu_ptr(&cpu_context, cpu);

		if (context->mm)
			mmdrop(context->mm);
		memset(context, 0, sizeof(*context));
	}
	destroy_workqueue(sync_queue);
}
