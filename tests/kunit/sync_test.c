// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sync: from samples in made-up address spaces to the words that the daemon reads.
 *
 * Cookies are given out from 1 in the order of first sight, so words can be compared with what
 * they must be, to the last.
 */
#include <linux/cpumask.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched/mm.h>
#include <linux/workqueue.h>

#include <kunit/test.h>

#include "dcookie.h"
#include "fake_backend.h"
#include "fake_mm.h"
#include "fake_task.h"
#include "scratch_file.h"

static bool no_memory;

/* Seam. */
static struct workqueue_struct *seam_alloc_workqueue(const char *name)
{
	return no_memory ? NULL : alloc_workqueue("%s", WQ_UNBOUND | WQ_HIGHPRI, 1, name);
}

#undef alloc_workqueue
#define alloc_workqueue(name, flags, max_active) seam_alloc_workqueue(name)

#include "sync.c"

#define ESC OPROFILE_ESCAPE_CODE
#define CPU(cpu) ESC, OPROFILE_CPU_SWITCH, (cpu)
#define TASK(pid, app, tgid) \
	ESC, OPROFILE_CTX_SWITCH, (pid), (app), ESC, OPROFILE_CTX_TGID, (tgid)
#define KERNEL ESC, OPROFILE_KERNEL_ENTER
#define USER ESC, OPROFILE_USER_ENTER
#define IMAGE(cookie) ESC, OPROFILE_COOKIE_SWITCH, (cookie)
#define TRACE ESC, OPROFILE_TRACE_BEGIN
#define MODULES ESC, OPROFILE_MODULE_LOADED
#define NO_APP OPROFILE_INVALID_COOKIE

#define EXE 1 /* the cookie of the program of fixture.mm, and that of the library, in most cases */
#define LIBRARY 2

/* What all cases have: a program that maps itself, a library and anonymous memory. */
static struct {
	unsigned int cpu;
	struct file *exe;
	struct file *library;
	struct file *other;
	struct mm_struct *mm;
	struct vm_area_struct *library_vma;
	struct task_struct *task;
} fixture;

#define EXE_AT 0x400000UL	  /* from page 1 of the file, 4 pages */
#define LIBRARY_AT 0x7f0000000000UL /* from page 0x10, 16 pages */
#define ANON_AT 0x7f1000000000UL  /* 2 pages */
#define NOWHERE 0x100000UL
#define KERNEL_AT 0xffffffff81000000UL

static void add(bool user, unsigned long pc, u8 event)
{
	static struct pt_regs regs; /* some are too large for the stack */

	fake_regs(&regs, user, pc);
	preempt_disable();
	oprofile_add_sample(&regs, event);
	preempt_enable();
}

static void expect_words(struct kunit *test, const u64 *expected, unsigned long nr)
{
	unsigned long i;

	KUNIT_EXPECT_EQ(test, op_event_buffer.nr_words, nr);
	for (i = 0; i < min(nr, op_event_buffer.nr_words); i++) {
		KUNIT_EXPECT_EQ_MSG(test, op_event_buffer.words[i], expected[i], "word %lu", i);
		if (op_event_buffer.words[i] != expected[i])
			break;
	}
	op_event_buffer.nr_words = 0;
}

#define EXPECT_WORDS(test, ...)							\
do {										\
	const u64 expected[] = { __VA_ARGS__ };					\
										\
	expect_words(test, expected, ARRAY_SIZE(expected));			\
} while (0)

#define EXPECT_NO_WORDS(test) KUNIT_EXPECT_EQ(test, op_event_buffer.nr_words, 0)

static void sync_nothing(struct kunit *test)
{
	op_sync_all();
	EXPECT_NO_WORDS(test);
	KUNIT_EXPECT_FALSE(test, op_event_buffer_ready());
	op_sync_and_make_ready();
	EXPECT_NO_WORDS(test);
	KUNIT_EXPECT_TRUE(test, op_event_buffer_ready());
}

static void sync_kernel_sample(struct kunit *test)
{
	add(false, KERNEL_AT, 3);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT, 3);
}

static void sync_user_sample(struct kunit *test)
{
	add(true, EXE_AT + 0x234, 1);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(EXE),
		     PAGE_SIZE + 0x234, 1);
}

/* The ends of a mapping, one word before and one behind. */
static void sync_bounds(struct kunit *test)
{
	unsigned long end = LIBRARY_AT + 16 * PAGE_SIZE;

	add(true, LIBRARY_AT - 1, 0);
	add(true, LIBRARY_AT, 0);
	add(true, end - 1, 0);
	add(true, end, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(LIBRARY),
		     0x10 * PAGE_SIZE, 0,
		     0x20 * PAGE_SIZE - 1, 0);
	KUNIT_EXPECT_EQ(test, op_sync_stats.lost_no_mapping, 2);
}

/* So is memory of a JIT compiler, the heap, the stack and the vDSO. */
static void sync_anonymous(struct kunit *test)
{
	add(true, ANON_AT + 8, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(OPROFILE_NO_COOKIE),
		     ANON_AT + 8, 0);
}

/* What stays the same is said once. */
static void sync_switches(struct kunit *test)
{
	add(true, EXE_AT, 0);
	add(true, EXE_AT + 1, 1);
	add(false, KERNEL_AT, 0);
	add(false, KERNEL_AT + 1, 0);
	add(true, EXE_AT + 2, 0);
	add(true, LIBRARY_AT, 0);
	add(false, KERNEL_AT, 0);
	add(true, LIBRARY_AT + 1, 0);
	add(true, EXE_AT, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(EXE),
		     PAGE_SIZE, 0,
		     PAGE_SIZE + 1, 1,
		     KERNEL, KERNEL_AT, 0,
		     KERNEL_AT + 1, 0,
		     USER, PAGE_SIZE + 2, 0,
		     IMAGE(LIBRARY), 0x10 * PAGE_SIZE, 0,
		     KERNEL, KERNEL_AT, 0,
		     USER, 0x10 * PAGE_SIZE + 1, 0,
		     IMAGE(EXE), PAGE_SIZE, 0);
}

/* Each sync can be decoded without those before it. */
static void sync_again(struct kunit *test)
{
	int i;

	for (i = 0; i < 3; i++) {
		add(true, EXE_AT, 0);
		op_sync_all();
		EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(EXE),
			     PAGE_SIZE, 0);
	}
}

static void sync_tasks(struct kunit *test)
{
	struct task_struct *thread = fake_task(test, 10, 12, fixture.mm);
	struct task_struct *kernel_thread = fake_task(test, 2, 2, NULL);

	kernel_thread->flags = PF_KTHREAD;
	add(false, KERNEL_AT, 0);
	fake_current = thread;
	add(true, EXE_AT, 0);
	fake_current = kernel_thread;
	add(false, KERNEL_AT, 0);
	fake_current = fixture.task;
	add(true, EXE_AT, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT, 0,
		     TASK(12, EXE, 10), USER, IMAGE(EXE), PAGE_SIZE, 0,
		     TASK(2, OPROFILE_NO_COOKIE, 2), KERNEL, KERNEL_AT, 0,
		     TASK(11, EXE, 10), USER, PAGE_SIZE, 0);
}

/* A context without samples that could be resolved says nothing. */
static void sync_lost(struct kunit *test)
{
	struct task_struct *exiting = fake_task(test, 20, 20, NULL);

	add(true, NOWHERE, 0);
	op_sync_all();
	EXPECT_NO_WORDS(test);
	KUNIT_EXPECT_EQ(test, op_sync_stats.lost_no_mapping, 1);

	fake_current = exiting;
	add(true, EXE_AT, 0);
	op_sync_all();
	EXPECT_NO_WORDS(test);
	KUNIT_EXPECT_EQ(test, op_sync_stats.lost_no_mm, 1);
	KUNIT_EXPECT_EQ(test, op_sync_stats.lost_no_mapping, 1);
}

/* A task that has left its address space runs the program that it was last seen to run. */
static void sync_exiting(struct kunit *test)
{
	struct task_struct *exiting = fake_task(test, 10, 11, NULL);
	struct task_struct *stranger;
	pid_t tgid = 77;

	/* One that shares the other's place in the table. */
	while (hash_32(tgid, PROGRAMS_ORDER) != hash_32(10, PROGRAMS_ORDER))
		tgid++;
	stranger = fake_task(test, tgid, tgid, NULL);

	add(true, EXE_AT, 0);
	fake_current = exiting;
	add(false, KERNEL_AT, 0);
	fake_current = stranger;
	add(false, KERNEL_AT, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(EXE), PAGE_SIZE, 0,
		     TASK(11, EXE, 10), KERNEL, KERNEL_AT, 0,
		     TASK(tgid, NO_APP, tgid), KERNEL_AT, 0);
}

/* The program is gone, but a region of the address space tells which it was. */
static void sync_program_gone(struct kunit *test)
{
	struct mm_struct *mm = fake_mm(test, fixture.exe);
	struct vm_area_struct *vma = fake_mm_map(test, mm, EXE_AT, EXE_AT + PAGE_SIZE,
						 fixture.exe, 0);
	struct task_struct *task = fake_task(test, 40, 40, mm);
	struct file *exe = rcu_dereference_protected(mm->exe_file, true);

	fake_current = task;
	add(true, EXE_AT + 4, 0);
	atomic_dec(&mm->mm_users); /* exit */
	op_unmapped_remember(vma, vma->vm_start, vma->vm_end);
	fake_mm_unmap(vma);
	RCU_INIT_POINTER(mm->exe_file, NULL);
	fput(exe);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(40, 1, 40), USER, IMAGE(1), 4, 0);

	/* And here nothing does. */
	op_unmapped_tear_down();
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	fake_current = fixture.task; /* so that the next is a new context */
	add(false, KERNEL_AT, 0);
	fake_current = fake_task(test, 41, 41, mm);
	add(false, KERNEL_AT, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, 1, 10), KERNEL, KERNEL_AT, 0,
		     TASK(41, NO_APP, 41), KERNEL_AT, 0);

	fake_current = fixture.task;
	add(false, KERNEL_AT, 0);
	op_sync_all(); /* lets go of mm */
	op_event_buffer.nr_words = 0;
	fake_mm_end(test, mm);
}

/* One library in the place of another between the samples, which are resolved afterwards. */
static void sync_unmapped(struct kunit *test)
{
	struct vm_area_struct *old = fixture.library_vma, *new;

	add(true, LIBRARY_AT + 0x10, 0);
	op_unmapped_remember(old, old->vm_start, old->vm_end);
	fake_mm_unmap(old);
	new = fake_mm_map(test, fixture.mm, LIBRARY_AT, LIBRARY_AT + PAGE_SIZE, fixture.other, 0);
	op_unmapped_advance_epoch();
	add(true, LIBRARY_AT + 0x10, 0);
	op_unmapped_remember(new, new->vm_start, new->vm_end);
	fake_mm_unmap(new);
	op_unmapped_advance_epoch();
	add(true, LIBRARY_AT + 0x10, 0);
	op_sync_all();
	/* The cookies in the order of the hook: the library, the program, the other one. */
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, 2, 10), USER, IMAGE(1),
		     0x10 * PAGE_SIZE + 0x10, 0,
		     IMAGE(3), 0x10, 0);
	KUNIT_EXPECT_EQ(test, op_sync_stats.lost_no_mapping, 1);
}

/* The same within one run of samples, where the last answer is at hand. */
static void sync_part_unmapped(struct kunit *test)
{
	struct vm_area_struct *vma = fixture.library_vma;

	add(true, LIBRARY_AT, 0);
	op_sync_all();
	op_event_buffer.nr_words = 0;

	/* The second page goes away. */
	op_unmapped_remember(vma, vma->vm_start + PAGE_SIZE, vma->vm_start + 2 * PAGE_SIZE);
	op_unmapped_advance_epoch();
	fake_mm_unmap(vma);
	fake_mm_map(test, fixture.mm, LIBRARY_AT, LIBRARY_AT + PAGE_SIZE, fixture.library, 0x10);
	fake_mm_map(test, fixture.mm, LIBRARY_AT + 2 * PAGE_SIZE, LIBRARY_AT + 16 * PAGE_SIZE,
		    fixture.library, 0x12);
	add(true, LIBRARY_AT, 0);
	add(true, LIBRARY_AT + PAGE_SIZE, 0);
	add(true, LIBRARY_AT + 2 * PAGE_SIZE, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(LIBRARY),
		     0x10 * PAGE_SIZE, 0,
		     0x12 * PAGE_SIZE, 0);
	KUNIT_EXPECT_EQ(test, op_sync_stats.lost_no_mapping, 1);
}

static void sync_module_loaded(struct kunit *test)
{
	add(false, KERNEL_AT, 0);
	op_sync_module_loaded();
	add(false, KERNEL_AT + 1, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT, 0,
		     MODULES,
		     CPU(fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT + 1, 0);
}

/* There is no room for the record: it comes with the next sync. */
static void sync_module_later(struct kunit *test)
{
	op_event_buffer.nr_words = op_event_buffer.max_words - 1;
	op_sync_module_loaded();
	KUNIT_EXPECT_EQ(test, op_event_buffer.nr_words, op_event_buffer.max_words - 1);
	op_event_buffer.nr_words = 0;
	op_sync_all();
	EXPECT_WORDS(test, MODULES);
	op_sync_all();
	EXPECT_NO_WORDS(test);
}

/* Callers: what the next backtrace finds, those of the kernel first. */
static const unsigned long *callers;
static unsigned int nr_callers, nr_kernel_callers;

static void fake_backtrace(struct pt_regs *regs, struct op_frames *frames)
{
	unsigned int i;

	for (i = 0; i < nr_callers; i++) {
		if (!op_frames_add(frames, callers[i], i < nr_kernel_callers))
			return;
	}
}

static const struct oprofile_backend tracing_backend = {
	.name = "tracing",
	.backtrace = fake_backtrace,
};

static void begin_traces(struct kunit *test, u8 depth)
{
	op_cpu_buffers_tear_down();
	KUNIT_ASSERT_EQ(test, op_cpu_buffers_set_up(OP_CPU_BUFFER_SIZE_MIN, depth), 0);
	fake_backend_use(&tracing_backend);
}

static void add_trace(bool user, unsigned long pc, const unsigned long *pcs, unsigned int nr,
		      unsigned int nr_kernel)
{
	callers = pcs;
	nr_callers = nr;
	nr_kernel_callers = nr_kernel;
	add(user, pc, 5);
}

static void sync_traces(struct kunit *test)
{
	static const unsigned long both[] = {
		KERNEL_AT + 1, KERNEL_AT + 2, LIBRARY_AT + 3, LIBRARY_AT + 4, EXE_AT + 5,
		ANON_AT + 6, EXE_AT + 7,
	};

	begin_traces(test, 16);
	add_trace(false, KERNEL_AT, both, ARRAY_SIZE(both), 2);
	add_trace(true, LIBRARY_AT, both + 2, 3, 0);
	add_trace(true, EXE_AT, NULL, 0, 0);
	op_sync_all();
	/* Cookies: the program's context is first, then the library. */
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10),
		     TRACE, KERNEL, KERNEL_AT, 5,
		     KERNEL_AT + 1, 0,
		     KERNEL_AT + 2, 0,
		     USER, IMAGE(LIBRARY), 0x10 * PAGE_SIZE + 3, 0,
		     0x10 * PAGE_SIZE + 4, 0,
		     IMAGE(EXE), PAGE_SIZE + 5, 0,
		     IMAGE(OPROFILE_NO_COOKIE), ANON_AT + 6, 0,
		     IMAGE(EXE), PAGE_SIZE + 7, 0,
		     TRACE, IMAGE(LIBRARY), 0x10 * PAGE_SIZE, 5,
		     0x10 * PAGE_SIZE + 3, 0,
		     0x10 * PAGE_SIZE + 4, 0,
		     IMAGE(EXE), PAGE_SIZE + 5, 0,
		     TRACE, PAGE_SIZE, 5);
	KUNIT_EXPECT_EQ(test, op_sync_stats.bt_lost_no_mapping, 0);
}

/* A chain ends at the first caller that is nowhere; its sample does not count as lost. */
static void sync_trace_cut(struct kunit *test)
{
	static const unsigned long cut[] = { EXE_AT + 1, NOWHERE, EXE_AT + 2 };
	struct task_struct *exiting = fake_task(test, 10, 11, NULL);

	begin_traces(test, 16);
	add_trace(true, EXE_AT, cut, ARRAY_SIZE(cut), 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), TRACE, USER, IMAGE(EXE),
		     PAGE_SIZE, 5,
		     PAGE_SIZE + 1, 0);
	KUNIT_EXPECT_EQ(test, op_sync_stats.bt_lost_no_mapping, 1);
	KUNIT_EXPECT_EQ(test, op_sync_stats.lost_no_mapping, 0);

	/* The callers of a sample that is lost are lost, too. */
	add_trace(true, NOWHERE, cut, 1, 0);
	op_sync_all();
	EXPECT_NO_WORDS(test);
	KUNIT_EXPECT_EQ(test, op_sync_stats.bt_lost_no_mapping, 2);
	KUNIT_EXPECT_EQ(test, op_sync_stats.lost_no_mapping, 1);

	/* Without an address space, callers in the program are nowhere. */
	fake_current = exiting;
	add_trace(false, KERNEL_AT, cut, 1, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), TRACE, KERNEL, KERNEL_AT, 5);
	KUNIT_EXPECT_EQ(test, op_sync_stats.bt_lost_no_mapping, 3);
}

/* A slow reader: what finds no room stays where it is, and is there after the next read. */
static void sync_stalls(struct kunit *test)
{
	unsigned long nr = 0, pc, i;

	op_event_buffer_tear_down();
	op_event_buffer_set_up(100, 10);
	for (pc = 0; pc < 120; pc++)
		add(pc % 3, pc % 3 ? EXE_AT + pc : KERNEL_AT + pc, 0);

	op_sync_all();
	KUNIT_EXPECT_TRUE(test, stalled);
	KUNIT_EXPECT_TRUE(test, op_event_buffer_ready());
	for (pc = 0; pc < 120;) {
		KUNIT_ASSERT_LE(test, op_event_buffer.nr_words, 100);
		KUNIT_ASSERT_GT(test, op_event_buffer.nr_words, 12);
		KUNIT_EXPECT_EQ(test, op_event_buffer.words[1], OPROFILE_CPU_SWITCH);
		for (i = CPU_SWITCH_WORDS + CTX_SWITCH_WORDS; i < op_event_buffer.nr_words;) {
			const u64 *word = op_event_buffer.words + i;

			if (*word == ESC) {
				i += word[1] == OPROFILE_COOKIE_SWITCH ? 3 : 2;
				continue;
			}
			KUNIT_ASSERT_EQ(test, *word, pc % 3 ? PAGE_SIZE + pc : KERNEL_AT + pc);
			pc++;
			i += 2;
		}
		op_event_buffer.nr_words = 0;
		nr++;
		op_sync_resume();
	}
	KUNIT_EXPECT_GT(test, nr, 3);
	KUNIT_EXPECT_FALSE(test, stalled);
	EXPECT_NO_WORDS(test);
	KUNIT_EXPECT_EQ(test, op_sync_stats.lost_no_room, 0);
}

/* A record that is larger than all of the event buffer is the only one that is lost here. */
static void sync_no_room(struct kunit *test)
{
	static unsigned long pcs[255];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pcs); i++)
		pcs[i] = EXE_AT + i;
	begin_traces(test, 255);
	op_event_buffer_tear_down();
	op_event_buffer_set_up(1024, 10);
	add_trace(true, EXE_AT, pcs, 255, 0);
	add_trace(true, EXE_AT, pcs, 1, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), TRACE, USER, IMAGE(EXE),
		     PAGE_SIZE, 5,
		     PAGE_SIZE, 0);
	KUNIT_EXPECT_EQ(test, op_sync_stats.lost_no_room, 1);
	KUNIT_EXPECT_EQ(test, op_sync_stats.event_lost_overflow, 3 + 7 + 2 + 7 + 255 * 7);
	KUNIT_EXPECT_FALSE(test, stalled);
}

/* No word is written behind the end, wherever the end is. */
static void sync_every_room(struct kunit *test)
{
	static const unsigned long both[] = { KERNEL_AT + 1, LIBRARY_AT + 3, EXE_AT + 5 };
	unsigned long size, nr;
	int i;

	begin_traces(test, 16);
	for (size = 40; size < 120; size++) {
		op_event_buffer_tear_down();
		/* The words behind max_words are ours, to see if they are written. */
		op_event_buffer_set_up(size + 40, 1);
		memset(op_event_buffer.words, 0x5a, (size + 40) * sizeof(u64));
		op_event_buffer.max_words = size;
		for (i = 0; i < 6; i++)
			add_trace(i % 2, i % 2 ? EXE_AT : KERNEL_AT, both, 3, i % 2 ? 0 : 1);
		nr = 0;
		do {
			op_sync_all();
			nr += op_event_buffer.nr_words;
			KUNIT_ASSERT_LE(test, op_event_buffer.nr_words, size);
			for (i = op_event_buffer.nr_words; i < size + 40; i++)
				KUNIT_ASSERT_EQ(test, op_event_buffer.words[i],
						0x5a5a5a5a5a5a5a5aULL);
			memset(op_event_buffer.words, 0x5a, size * sizeof(u64));
			op_event_buffer.nr_words = 0;
		} while (stalled);
		KUNIT_EXPECT_GE(test, nr, 6 * 10);
		KUNIT_EXPECT_EQ(test, op_sync_stats.lost_no_room, 0);
	}
}

static void sync_kicked(struct kunit *test)
{
	op_sync_start_work();
	add(false, KERNEL_AT, 0);
	op_sync_kick();
	op_sync_kick();
	irq_work_sync(&kick_irq);
	flush_delayed_work(&sync_work);
	op_sync_stop_work();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kicked), 0);

	/* While it is stalled a kick is of no use. */
	op_event_buffer.nr_words = op_event_buffer.max_words;
	add(false, KERNEL_AT, 0);
	op_sync_start_work();
	op_sync_kick();
	irq_work_sync(&kick_irq);
	flush_delayed_work(&sync_work);
	op_sync_stop_work();
	KUNIT_EXPECT_TRUE(test, stalled);
	KUNIT_EXPECT_EQ(test, atomic_read(&kicked), 1);
	op_event_buffer.nr_words = 0;
	op_sync_resume();
	EXPECT_WORDS(test, CPU(fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kicked), 0);
}

static void sync_memory(struct kunit *test)
{
	op_sync_tear_down();
	no_memory = true;
	KUNIT_EXPECT_EQ(test, op_sync_set_up(), -ENOMEM);
	no_memory = false;
	KUNIT_ASSERT_EQ(test, op_sync_set_up(), 0);
}

static int sync_init(struct kunit *test)
{
	memset(&fixture, 0, sizeof(fixture));
	fixture.cpu = cpumask_last(cpu_online_mask);
	set_cpus_allowed_ptr(current, cpumask_of(fixture.cpu));
	memset(&op_sync_stats, 0, sizeof(op_sync_stats));
	op_cpu_stats_reset();

	KUNIT_ASSERT_EQ(test, op_event_buffer_set_up(OP_BUFFER_SIZE_MIN, 1), 0);
	KUNIT_ASSERT_EQ(test, op_cpu_buffers_set_up(OP_CPU_BUFFER_SIZE_MIN, 0), 0);
	KUNIT_ASSERT_EQ(test, op_dcookies_set_up(), 0);
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	KUNIT_ASSERT_EQ(test, op_sync_set_up(), 0);

	fixture.exe = scratch_file(test, "oprofile_sync_exe", "", 0);
	fixture.library = scratch_file(test, "oprofile_sync_library", "", 0);
	fixture.other = scratch_file(test, "oprofile_sync_other", "", 0);
	fixture.mm = fake_mm(test, fixture.exe);
	fake_mm_map(test, fixture.mm, EXE_AT, EXE_AT + 4 * PAGE_SIZE, fixture.exe, 1);
	fixture.library_vma = fake_mm_map(test, fixture.mm, LIBRARY_AT,
					  LIBRARY_AT + 16 * PAGE_SIZE, fixture.library, 0x10);
	fake_mm_map(test, fixture.mm, ANON_AT, ANON_AT + 2 * PAGE_SIZE, NULL, 0);
	fixture.task = fake_task(test, 10, 11, fixture.mm);
	fake_current = fixture.task;
	return 0;
}

static void sync_exit(struct kunit *test)
{
	fake_current = NULL;
	fake_backend_use(NULL);
	op_sync_tear_down();
	op_unmapped_tear_down();
	op_dcookies_tear_down();
	op_cpu_buffers_tear_down();
	op_event_buffer_tear_down();
	if (fixture.mm)
		fake_mm_end(test, fixture.mm);
	if (fixture.other)
		scratch_file_end(test, fixture.other);
	if (fixture.library)
		scratch_file_end(test, fixture.library);
	if (fixture.exe)
		scratch_file_end(test, fixture.exe);
}

static struct kunit_case sync_cases[] = {
	KUNIT_CASE(sync_nothing),
	KUNIT_CASE(sync_kernel_sample),
	KUNIT_CASE(sync_user_sample),
	KUNIT_CASE(sync_bounds),
	KUNIT_CASE(sync_anonymous),
	KUNIT_CASE(sync_switches),
	KUNIT_CASE(sync_again),
	KUNIT_CASE(sync_tasks),
	KUNIT_CASE(sync_lost),
	KUNIT_CASE(sync_exiting),
	KUNIT_CASE(sync_program_gone),
	KUNIT_CASE(sync_unmapped),
	KUNIT_CASE(sync_part_unmapped),
	KUNIT_CASE(sync_module_loaded),
	KUNIT_CASE(sync_module_later),
	KUNIT_CASE(sync_traces),
	KUNIT_CASE(sync_trace_cut),
	KUNIT_CASE(sync_stalls),
	KUNIT_CASE(sync_no_room),
	KUNIT_CASE(sync_every_room),
	KUNIT_CASE(sync_kicked),
	KUNIT_CASE(sync_memory),
	{}
};

static struct kunit_suite oprofile_sync_suite = {
	.name = "oprofile_sync",
	.init = sync_init,
	.exit = sync_exit,
	.test_cases = sync_cases,
};

kunit_test_suite(oprofile_sync_suite);
