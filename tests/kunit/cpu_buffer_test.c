// SPDX-License-Identifier: GPL-2.0-only
/*
 * The buffer of one CPU.  Cases run bound to one CPU, so that they know whose buffer is written.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "suite.h"

#include "backend.h"
#include "cpu_buffer.h"
#include "cpu_buffer_fixture.h"
#include "fake_backend.h"
#include "fake_mm.h"
#include "fake_task.h"
#include "kick.h"
#include "images/marks.h"

struct task_struct *fake_current;

static bool counted; /* these are for this suite; else the real functions are called */
static unsigned int nr_kicks;
static unsigned int nr_marks;
static bool no_memory;

static void seam_sync_kick(void)
{
	if (counted)
		nr_kicks++;
	else
		op_sync_kick();
}

static void seam_mark_sampled(const struct mm_struct *mm, unsigned int period)
{
	if (counted)
		nr_marks++;
	else
		op_mark_sampled(mm, period);
}

static void *seam_kvzalloc_node(size_t size, gfp_t flags, int node)
{
	return no_memory ? NULL : kvzalloc_node(size, flags, node);
}

/* Seams. */
#undef current
#define current (fake_current ?: get_current())
#define op_sync_kick seam_sync_kick
#define op_mark_sampled seam_mark_sampled
#undef kvzalloc_node
#define kvzalloc_node seam_kvzalloc_node

#include "cpu_buffer.c"

#undef current
#define current get_current()

#define ENTRIES OP_CPU_BUFFER_SIZE_MIN
#define WORDS (ENTRIES * OP_ENTRY_WORDS)

static unsigned int the_cpu; /* whose buffer the cases write */

static void add(bool user, unsigned long pc, u8 event)
{
	static struct pt_regs regs; /* some are too large for the stack */

	fake_regs(&regs, user, pc);
	preempt_disable();
	oprofile_add_sample(&regs, event);
	preempt_enable();
}

static struct op_cpu_buffer *the_buffer(void)
{
	return per_cpu(cpu_buffer, the_cpu);
}

/* Of the record taken last. */
static u64 words[OP_SAMPLE_WORDS + OP_WEIGHT_WORDS + OP_BACKTRACE_DEPTH_MAX];

/* Takes the next record out; the test fails if there is none. */
static struct op_record_header take(struct kunit *test)
{
	struct op_cpu_reader reader;
	struct op_record_header header;
	unsigned int nr, i;

	KUNIT_ASSERT_TRUE(test, op_cpu_reader_open(&reader, the_cpu));
	KUNIT_ASSERT_FALSE(test, op_cpu_reader_at_end(&reader));
	header = op_cpu_reader_header(&reader);
	nr = header.kind & OP_RECORD_CONTEXT ? OP_CONTEXT_WORDS :
					       op_sample_words(header) + header.nr_callers;
	for (i = 0; i < nr; i++)
		words[i] = op_cpu_reader_word(&reader, i);
	op_cpu_reader_advance(&reader, header);
	op_cpu_reader_release(&reader);
	return header;
}

static void expect_context(struct kunit *test, u8 kind, const struct task_struct *task,
			   const struct mm_struct *mm)
{
	struct op_record_header header = take(test);

	KUNIT_EXPECT_EQ(test, header.kind, OP_RECORD_CONTEXT | kind);
	KUNIT_EXPECT_EQ(test, words[1], (u64)task->tgid << 32 | task->pid);
	KUNIT_EXPECT_EQ(test, words[2], (u64)(unsigned long)mm);
}

static void expect_sample(struct kunit *test, u8 kind, unsigned long pc, u8 event)
{
	struct op_record_header header = take(test);

	KUNIT_EXPECT_EQ(test, header.kind, OP_RECORD_SAMPLE | kind);
	KUNIT_EXPECT_EQ(test, header.event, event);
	KUNIT_EXPECT_EQ(test, header.nr_callers, 0);
	KUNIT_EXPECT_EQ(test, words[1], pc);
}

static void expect_empty(struct kunit *test)
{
	struct op_cpu_reader reader;

	KUNIT_ASSERT_TRUE(test, op_cpu_reader_open(&reader, the_cpu));
	KUNIT_EXPECT_TRUE(test, op_cpu_reader_at_end(&reader));
}

/* A weight is a word of its own, of the samples that have one. */
static void cpu_buffer_weights(struct kunit *test)
{
	static const u64 weights[] = { 20000, OPROFILE_WEIGHT_MAX, U64_MAX };
	static struct pt_regs regs;
	int i;

	add(false, 7, 3);
	take(test); /* the context */
	expect_sample(test, OP_SAMPLE_KERNEL, 7, 3);
	fake_regs(&regs, false, 8);
	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		preempt_disable();
		oprofile_add_weighted_sample(&regs, 3, weights[i]);
		preempt_enable();
		expect_sample(test, OP_SAMPLE_KERNEL | OP_SAMPLE_WEIGHTED, 8, 3);
		KUNIT_EXPECT_EQ(test, words[2], min(weights[i], OPROFILE_WEIGHT_MAX));
	}
	add(false, 9, 3);
	expect_sample(test, OP_SAMPLE_KERNEL, 9, 3);
	expect_empty(test);
	KUNIT_EXPECT_EQ(test, op_cpu_stats(the_cpu)->received, 5);
}

static void cpu_buffer_samples(struct kunit *test)
{
	u32 epoch = op_epoch_now();

	add(true, 0x401000, 0);
	op_epoch_advance();
	add(false, 0xffffffff81000000, 3);
	add(true, 0, 255);

	expect_context(test, 0, fake_current, fake_current->mm);
	expect_sample(test, 0, 0x401000, 0);
	KUNIT_EXPECT_EQ(test, header_at(the_buffer(), OP_CONTEXT_WORDS)->epoch, epoch);
	expect_sample(test, OP_SAMPLE_KERNEL, 0xffffffff81000000, 3);
	KUNIT_EXPECT_EQ(test, header_at(the_buffer(), OP_CONTEXT_WORDS + OP_SAMPLE_WORDS)->epoch,
			epoch + 1);
	expect_sample(test, 0, 0, 255);
	expect_empty(test);
	KUNIT_EXPECT_EQ(test, op_cpu_stats(the_cpu)->received, 3);
}

/* A context is logged when any of its parts changes, and only then; it keeps no address space. */
static void cpu_buffer_contexts(struct kunit *test)
{
	struct mm_struct *mm = fake_current->mm, *other_mm = fake_mm(test, NULL);
	struct task_struct *first = fake_current;
	struct task_struct *thread = fake_task(test, 10, 12, mm);
	struct task_struct *forked = fake_task(test, 12, 12, other_mm);
	struct task_struct *exiting = fake_task(test, 12, 12, NULL);
	struct task_struct *kthread = fake_task(test, 30, 30, mm); /* borrowed */
	struct task_struct *same_pid = fake_task(test, 11, 12, other_mm);
	struct task_struct *execed = fake_task(test, 11, 12, other_mm); /* to the same memory */
	struct task_struct *const tasks[] = { first, thread, forked, exiting, kthread, same_pid,
					      execed };
	unsigned int i;

	kthread->flags = PF_KTHREAD;
	execed->self_exec_id = 2;
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		fake_current = tasks[i];
		add(false, i, 0);
		add(false, i, 1);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&mm->mm_count), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&other_mm->mm_count), 1);
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		bool kernel_thread = tasks[i] == kthread;

		expect_context(test, kernel_thread ? OP_CONTEXT_KERNEL_THREAD : 0, tasks[i],
			       kernel_thread ? NULL : tasks[i]->mm);
		expect_sample(test, OP_SAMPLE_KERNEL, i, 0);
		expect_sample(test, OP_SAMPLE_KERNEL, i, 1);
	}
	expect_empty(test);
	fake_mm_end(test, other_mm);
}

/* The address space is marked for a new context, and once more in each period. */
static void cpu_buffer_marks(struct kunit *test)
{
	add(true, 1, 0);
	add(true, 2, 0);
	KUNIT_EXPECT_EQ(test, nr_marks, 1);
	op_mark_period++;
	add(true, 3, 0);
	add(true, 4, 0);
	KUNIT_EXPECT_EQ(test, nr_marks, 2);
	fake_current->mm = NULL;
	add(false, 5, 0);
	KUNIT_EXPECT_EQ(test, nr_marks, 2);
	fake_current->mm = test->priv;
}

/* A child of vfork() says who lends it its address space. */
static void cpu_buffer_lender(struct kunit *test)
{
	struct task_struct *parent = fake_current;
	struct task_struct *child = fake_task(test, 50, 50, parent->mm);
	struct completion done;

	RCU_INIT_POINTER(child->real_parent, parent);
	fake_current = child;
	add(true, 1, 0);
	expect_context(test, 0, child, child->mm);
	KUNIT_EXPECT_EQ(test, words[3], 0);
	expect_sample(test, 0, 1, 0);
	child->vfork_done = &done;
	child->pid = 51;
	add(true, 1, 0);
	expect_context(test, 0, child, child->mm);
	KUNIT_EXPECT_EQ(test, words[3], parent->tgid);
}

/* Positions wrap in the ring, and as numbers. */
static void cpu_buffer_wraps(struct kunit *test)
{
	unsigned long pc;

	the_buffer()->head = ULONG_MAX - 2 * WORDS - 4;
	the_buffer()->tail = the_buffer()->head;
	add(true, 0, 0);
	expect_context(test, 0, fake_current, fake_current->mm);
	expect_sample(test, 0, 0, 0);
	for (pc = 1; pc < 5 * ENTRIES; pc++) {
		add(true, pc, pc);
		add(true, ~pc - 1, pc);
		expect_sample(test, 0, pc, pc);
		expect_sample(test, 0, ~pc - 1, pc);
	}
	expect_empty(test);
	KUNIT_EXPECT_EQ(test, op_cpu_stats(the_cpu)->received, 1 + 2 * (5 * ENTRIES - 1));
	KUNIT_EXPECT_EQ(test, op_cpu_stats(the_cpu)->lost_overflow, 0);
}

/* A full buffer keeps what it has, and takes new samples as soon as there is room. */
static void cpu_buffer_overflows(struct kunit *test)
{
	unsigned long room = (WORDS - OP_CONTEXT_WORDS) / OP_SAMPLE_WORDS;
	struct op_cpu_stats *stats = op_cpu_stats(the_cpu);
	unsigned long kept, pc;

	for (pc = 0; pc < 2 * ENTRIES; pc++)
		add(true, pc, 1);
	kept = stats->received - stats->lost_overflow;
	KUNIT_EXPECT_EQ(test, stats->received, 2 * ENTRIES);
	KUNIT_EXPECT_LE(test, kept, room);
	KUNIT_EXPECT_GE(test, kept, room - 3); /* room for a context is always kept */
	KUNIT_EXPECT_GT(test, nr_kicks, 0);

	expect_context(test, 0, fake_current, fake_current->mm);
	for (pc = 0; pc < kept / 2; pc++)
		expect_sample(test, 0, pc, 1);
	add(false, 77, 2);
	for (; pc < kept; pc++)
		expect_sample(test, 0, pc, 1);
	expect_sample(test, OP_SAMPLE_KERNEL, 77, 2);
	expect_empty(test);
	KUNIT_EXPECT_EQ(test, stats->lost_overflow, 2 * ENTRIES - kept);
}

static void cpu_buffer_kicks(struct kunit *test)
{
	unsigned long pc;

	for (pc = 0; the_buffer()->head <= the_buffer()->mask / 2; pc++) {
		KUNIT_EXPECT_EQ(test, nr_kicks, 0);
		add(true, pc, 0);
	}
	add(true, pc, 0);
	KUNIT_EXPECT_EQ(test, nr_kicks, 1);
}

/* What a backtrace writes, as the cases want it. */
static unsigned int kernel_callers, user_callers; /* how many it has */
static unsigned int escape_at; /* this caller's address is the escape code; 0: none is */
static bool aborts;
static bool nests;

static void fake_backtrace(struct pt_regs *regs, struct op_frames *frames)
{
	unsigned long pc = instruction_pointer(regs);
	unsigned int i;

	for (i = 1; i <= kernel_callers + user_callers; i++) {
		unsigned long caller = i == escape_at ? ULONG_MAX : pc + i;

		if (!op_frames_add(frames, caller, i <= kernel_callers))
			return;
	}
	if (nests) {
		oprofile_add_sample(regs, 9);
		oprofile_add_sample(regs, 9);
	}
	if (aborts)
		op_frames_abort(frames);
}

static const struct oprofile_backend tracing_backend = {
	.name = "tracing",
	.backtrace = fake_backtrace,
};

static void begin_traces(struct kunit *test, u8 depth)
{
	op_cpu_buffers_tear_down();
	KUNIT_ASSERT_EQ(test, op_cpu_buffers_set_up(ENTRIES, depth), 0);
	fake_backend_use(&tracing_backend);
	kernel_callers = 0;
	user_callers = 0;
	escape_at = 0;
	aborts = false;
	nests = false;
}

static const struct trace {
	const char *what;
	unsigned int depth, kernel, user, escape_at;
	bool aborts;
	/* expected: */
	unsigned int nr, nr_kernel;
	unsigned long aborted;
} traces[] = {
	{ "no callers", 8, 0, 0, 0, false, 0, 0, 0 },
	{ "user", 8, 0, 3, 0, false, 3, 0, 0 },
	{ "kernel", 8, 3, 0, 0, false, 3, 3, 0 },
	{ "both", 8, 2, 3, 0, false, 5, 2, 0 },
	{ "exactly the depth", 8, 3, 5, 0, false, 8, 3, 0 },
	{ "more than the depth", 8, 3, 9, 0, false, 8, 3, 0 },
	{ "more of the kernel", 8, 9, 9, 0, false, 8, 8, 0 },
	{ "deepest", 255, 100, 200, 0, false, 255, 100, 0 },
	{ "one", 1, 0, 4, 0, false, 1, 0, 0 },
	{ "cut short", 8, 2, 1, 0, true, 3, 2, 1 },
	{ "aborted at once", 8, 0, 0, 0, true, 0, 0, 1 },
	{ "an escape code", 8, 1, 4, 3, false, 2, 1, 1 },
};

static void trace_describe(const struct trace *trace, char *text)
{
	strscpy(text, trace->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(trace, traces, trace_describe);

static void cpu_buffer_traced(struct kunit *test)
{
	const struct trace *trace = test->param_value;
	struct op_record_header header;
	unsigned int i;

	begin_traces(test, trace->depth);
	kernel_callers = trace->kernel;
	user_callers = trace->user;
	escape_at = trace->escape_at;
	aborts = trace->aborts;
	add(false, 1000, 4);

	expect_context(test, 0, fake_current, fake_current->mm);
	header = take(test);
	KUNIT_EXPECT_EQ(test, header.kind, OP_RECORD_SAMPLE | OP_SAMPLE_KERNEL | OP_SAMPLE_TRACED);
	KUNIT_EXPECT_EQ(test, header.event, 4);
	KUNIT_EXPECT_EQ(test, header.nr_callers, trace->nr);
	KUNIT_EXPECT_EQ(test, header.nr_kernel_callers, trace->nr_kernel);
	for (i = 0; i <= trace->nr; i++)
		KUNIT_EXPECT_EQ(test, words[1 + i], 1000 + i);
	KUNIT_EXPECT_EQ(test, op_cpu_stats(the_cpu)->backtrace_aborted, trace->aborted);
	expect_empty(test);
}

/*
 * Whole or not at all: of however many callers, in however full a buffer.  Each round leaves
 * another number of words free.
 */
static void cpu_buffer_whole_traces(struct kunit *test)
{
	struct op_cpu_stats *stats = op_cpu_stats(the_cpu);
	unsigned long round, pc, kept;

	for (round = 0; round < 256; round++) {
		begin_traces(test, 255);
		op_cpu_stats_reset();
		for (pc = 0; pc < 256; pc++) {
			/* Not alone the number of callers changes, but also who calls. */
			fake_current->pid = 10 + pc % 3;
			user_callers = pc ? 255 - (pc + round) % 256 : round;
			add(true, pc << 16, 0);
			KUNIT_ASSERT_LE(test, the_buffer()->head, WORDS);
		}
		kept = stats->received - stats->lost_overflow;
		KUNIT_ASSERT_GT(test, stats->lost_overflow, 0);
		for (pc = 0; pc < kept; pc++) {
			struct op_record_header header;
			unsigned int nr, i;

			do
				header = take(test);
			while (header.kind & OP_RECORD_CONTEXT);
			/* Only what came behind the last that was kept can have been lost. */
			KUNIT_ASSERT_EQ(test, words[1], pc << 16);
			nr = pc ? 255 - (pc + round) % 256 : round;
			KUNIT_ASSERT_EQ(test, header.nr_callers, nr);
			for (i = 0; i < nr; i++)
				KUNIT_ASSERT_EQ(test, words[2 + i], words[1] + 1 + i);
		}
		expect_empty(test);
	}
}

/* A sample that interrupts the logging of another is counted, and does no harm to it. */
static void cpu_buffer_nested(struct kunit *test)
{
	begin_traces(test, 8);
	user_callers = 2;
	nests = true;
	add(true, 500, 1);
	expect_context(test, 0, fake_current, fake_current->mm);
	KUNIT_EXPECT_EQ(test, take(test).nr_callers, 2);
	KUNIT_EXPECT_EQ(test, words[1], 500);
	expect_empty(test);
	KUNIT_EXPECT_EQ(test, op_cpu_stats(the_cpu)->received, 3);
	KUNIT_EXPECT_EQ(test, op_cpu_stats(the_cpu)->lost_nested, 2);
}

static void cpu_buffer_refuses(struct kunit *test)
{
	struct op_cpu_stats *stats = op_cpu_stats(the_cpu);

	add(true, OPROFILE_ESCAPE_CODE, 0);
	KUNIT_EXPECT_EQ(test, stats->invalid_eip, 1);
	expect_empty(test);

	op_cpu_buffers_tear_down();
	add(true, 1, 0);
	KUNIT_EXPECT_EQ(test, stats->lost_overflow, 1);
	KUNIT_EXPECT_EQ(test, stats->received, 2);
}

static void cpu_buffer_statistics(struct kunit *test)
{
	struct op_cpu_stats *stats = op_cpu_stats(the_cpu);

	preempt_disable();
	op_cpu_stats_throttled();
	preempt_enable();
	add(true, 1, 0);
	KUNIT_EXPECT_EQ(test, stats->throttled, 1);
	KUNIT_EXPECT_EQ(test, stats->received, 1);
	op_cpu_stats_reset();
	KUNIT_EXPECT_EQ(test, stats->throttled, 0);
	KUNIT_EXPECT_EQ(test, stats->received, 0);
}

static void cpu_buffer_memory(struct kunit *test)
{
	struct op_cpu_buffer *before = the_buffer();
	struct op_cpu_reader reader;

	no_memory = true;
	KUNIT_EXPECT_EQ(test, op_cpu_buffer_allocate(the_cpu), 0); /* it has one already */
	KUNIT_EXPECT_PTR_EQ(test, the_buffer(), before);
	op_cpu_buffers_tear_down();
	KUNIT_EXPECT_EQ(test, op_cpu_buffers_set_up(ENTRIES, 0), -ENOMEM);
	KUNIT_EXPECT_EQ(test, op_cpu_buffer_allocate(the_cpu), -ENOMEM);
	KUNIT_EXPECT_FALSE(test, op_cpu_reader_open(&reader, the_cpu));

	/* A size that is no power of two is rounded up. */
	no_memory = false;
	KUNIT_ASSERT_EQ(test, op_cpu_buffers_set_up(ENTRIES + 1, 0), 0);
	KUNIT_EXPECT_EQ(test, the_buffer()->mask, 2 * WORDS - 1);
}

int cpu_buffer_init(struct kunit *test)
{
	the_cpu = cpumask_first(cpu_online_mask);
	set_cpus_allowed_ptr(current, cpumask_of(the_cpu));
	op_cpu_stats_reset();
	counted = true;
	nr_kicks = 0;
	nr_marks = 0;
	no_memory = false;
	test->priv = fake_mm(test, NULL);
	fake_current = fake_task(test, 10, 11, test->priv);
	return op_cpu_buffers_set_up(ENTRIES, 0);
}

void cpu_buffer_exit(struct kunit *test)
{
	op_cpu_buffers_tear_down();
	op_cpu_stats_reset();
	fake_backend_use(NULL);
	fake_current = NULL;
	counted = false;
	no_memory = false;
	if (test->priv)
		fake_mm_end(test, test->priv);
}

TEST_SUITE(oprofile_cpu_buffer, cpu_buffer_init, cpu_buffer_exit,
	   KUNIT_CASE(cpu_buffer_samples),
	   KUNIT_CASE(cpu_buffer_weights),
	   KUNIT_CASE(cpu_buffer_contexts),
	   KUNIT_CASE(cpu_buffer_marks),
	   KUNIT_CASE(cpu_buffer_lender),
	   KUNIT_CASE(cpu_buffer_wraps),
	   KUNIT_CASE(cpu_buffer_overflows),
	   KUNIT_CASE(cpu_buffer_kicks),
	   KUNIT_CASE_PARAM(cpu_buffer_traced, trace_gen_params),
	   KUNIT_CASE(cpu_buffer_whole_traces),
	   KUNIT_CASE(cpu_buffer_nested),
	   KUNIT_CASE(cpu_buffer_refuses),
	   KUNIT_CASE(cpu_buffer_statistics),
	   KUNIT_CASE(cpu_buffer_memory));
