// SPDX-License-Identifier: GPL-2.0-only
/*
 * From samples in made-up address spaces to the words that the daemon reads.
 */
#include <linux/cpumask.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include "suite.h"

#include "resolve.c"

#include "sync_fixture.h"

static void sync_kernel_sample(struct kunit *test)
{
	sync_add(false, KERNEL_AT, 3);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT, 3);
}

static void sync_user_sample(struct kunit *test)
{
	sync_add(true, EXE_AT + 0x234, 1);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(EXE),
		     PAGE_SIZE + 0x234, 1);
}

/* Above the counter; in the midst of samples without. */
static void sync_weights(struct kunit *test)
{
	sync_add(true, EXE_AT, 1);
	sync_add_weight(true, EXE_AT + 1, 1, 20000);
	sync_add(true, EXE_AT + 2, 1);
	sync_add_weight(false, KERNEL_AT, 2, OPROFILE_WEIGHT_MAX);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(EXE),
		     PAGE_SIZE, 1, PAGE_SIZE + 1, 1 | 20000 << 8, PAGE_SIZE + 2, 1,
		     KERNEL, KERNEL_AT, 2 | OPROFILE_WEIGHT_MAX << 8);
}

/* The ends of a mapping, one word before and one behind. */
static void sync_bounds(struct kunit *test)
{
	unsigned long end = LIBRARY_AT + 16 * PAGE_SIZE;

	sync_add(true, LIBRARY_AT - 1, 0);
	sync_add(true, LIBRARY_AT, 0);
	sync_add(true, end - 1, 0);
	sync_add(true, end, 0);
	op_sync_and_make_ready();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(LIBRARY),
		     0x10 * PAGE_SIZE, 0,
		     0x20 * PAGE_SIZE - 1, 0);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_mapping, 2);
}

/* So is memory of a JIT compiler, the heap, the stack and the vDSO. */
static void sync_anonymous(struct kunit *test)
{
	sync_add(true, ANON_AT + 8, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), USER,
		     IMAGE(2), ANON_AT + 8, 0);
}

/* What stays the same is said once. */
static void sync_switches(struct kunit *test)
{
	sync_add(true, EXE_AT, 0);
	sync_add(true, EXE_AT + 1, 1);
	sync_add(false, KERNEL_AT, 0);
	sync_add(false, KERNEL_AT + 1, 0);
	sync_add(true, EXE_AT + 2, 0);
	sync_add(true, LIBRARY_AT, 0);
	sync_add(false, KERNEL_AT, 0);
	sync_add(true, LIBRARY_AT + 1, 0);
	sync_add(true, EXE_AT, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(EXE),
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
		sync_add(true, EXE_AT, 0);
		op_sync_all();
		EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(EXE),
			     PAGE_SIZE, 0);
	}
}

static void sync_tasks(struct kunit *test)
{
	struct task_struct *thread = fake_task_found(test, 10, 12, sync_fixture.mm);
	struct task_struct *kernel_thread = fake_task(test, 2, 2, NULL);

	kernel_thread->flags = PF_KTHREAD;
	sync_add(false, KERNEL_AT, 0);
	fake_current = thread;
	sync_add(true, EXE_AT, 0);
	fake_current = kernel_thread;
	sync_add(false, KERNEL_AT, 0);
	fake_current = sync_fixture.task;
	sync_add(true, EXE_AT, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT, 0,
		     TASK(12, EXE, 10), USER, IMAGE(EXE), PAGE_SIZE, 0,
		     TASK(2, OPROFILE_NO_COOKIE, 2), KERNEL, KERNEL_AT, 0,
		     TASK(11, EXE, 10), USER, PAGE_SIZE, 0);
}

/* A context without samples that could be resolved says nothing. */
static void sync_lost(struct kunit *test)
{
	struct task_struct *exiting = fake_task(test, 20, 20, NULL);

	sync_add(true, NOWHERE, 0);
	op_sync_and_make_ready();
	EXPECT_NO_WORDS(test);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_mapping, 1);

	fake_current = exiting;
	sync_add(true, EXE_AT, 0);
	op_sync_all();
	EXPECT_NO_WORDS(test);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_mm, 1);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_mapping, 1);
}

/* The program is gone, but a region of the address space tells which it was. */
static void sync_program_gone(struct kunit *test)
{
	struct mm_struct *mm = fake_mm(test, sync_fixture.exe);
	struct vm_area_struct *vma = fake_mm_map(test, mm, EXE_AT, EXE_AT + PAGE_SIZE,
						 sync_fixture.exe, 0);
	struct task_struct *task = fake_task(test, 40, 40, mm);
	struct file *exe = rcu_dereference_protected(mm->exe_file, true);

	fake_current = task;
	sync_add(true, EXE_AT + 4, 0);
	atomic_dec(&mm->mm_users); /* exit */
	op_unmapped_remember(vma, vma->vm_start, vma->vm_end);
	fake_mm_unmap(vma);
	RCU_INIT_POINTER(mm->exe_file, NULL);
	fput(exe);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(40, 1, 40), USER, IMAGE(1), 4, 0);

	/* And here nothing does. */
	op_unmapped_tear_down();
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	fake_current = sync_fixture.task; /* so that the next is a new context */
	sync_add(false, KERNEL_AT, 0);
	fake_current = fake_task(test, 41, 41, mm);
	sync_add(false, KERNEL_AT, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, 1, 10), KERNEL, KERNEL_AT, 0,
		     TASK(41, NO_APP, 41), KERNEL_AT, 0);

	fake_current = sync_fixture.task;
	sync_add(false, KERNEL_AT, 0);
	op_sync_all(); /* lets go of mm */
	op_event_buffer.nr_words = 0;
	fake_mm_end(test, mm);
}

/* One library in the place of another between the samples, which are resolved afterwards. */
static void sync_unmapped(struct kunit *test)
{
	struct vm_area_struct *old = sync_fixture.library_vma, *new;

	sync_add(true, LIBRARY_AT + 0x10, 0);
	op_unmapped_remember(old, old->vm_start, old->vm_end);
	fake_mm_unmap(old);
	new = fake_mm_map(test, sync_fixture.mm, LIBRARY_AT, LIBRARY_AT + PAGE_SIZE,
			  sync_fixture.other, 0);
	op_epoch_advance();
	sync_add(true, LIBRARY_AT + 0x10, 0);
	op_unmapped_remember(new, new->vm_start, new->vm_end);
	fake_mm_unmap(new);
	op_epoch_advance();
	sync_add(true, LIBRARY_AT + 0x10, 0);
	op_sync_and_make_ready();
	/* The cookies in the order of the hook: the program, the library, the other one. */
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, 1, 10), USER, IMAGE(2),
		     0x10 * PAGE_SIZE + 0x10, 0,
		     IMAGE(3), 0x10, 0);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_mapping, 1);
}

/* The same within one run of samples, where the last answer is at hand. */
static void sync_part_unmapped(struct kunit *test)
{
	struct vm_area_struct *vma = sync_fixture.library_vma;

	sync_add(true, LIBRARY_AT, 0);
	op_sync_all();
	op_event_buffer.nr_words = 0;

	/* The second page goes away. */
	op_unmapped_remember(vma, vma->vm_start + PAGE_SIZE, vma->vm_start + 2 * PAGE_SIZE);
	op_epoch_advance();
	fake_mm_unmap(vma);
	fake_mm_map(test, sync_fixture.mm, LIBRARY_AT, LIBRARY_AT + PAGE_SIZE,
		    sync_fixture.library, 0x10);
	fake_mm_map(test, sync_fixture.mm, LIBRARY_AT + 2 * PAGE_SIZE, LIBRARY_AT + 16 * PAGE_SIZE,
		    sync_fixture.library, 0x12);
	sync_add(true, LIBRARY_AT, 0);
	sync_add(true, LIBRARY_AT + PAGE_SIZE, 0);
	sync_add(true, LIBRARY_AT + 2 * PAGE_SIZE, 0);
	op_sync_and_make_ready();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(LIBRARY),
		     0x10 * PAGE_SIZE, 0,
		     0x12 * PAGE_SIZE, 0);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_mapping, 1);
}

static void sync_module_loaded(struct kunit *test)
{
	sync_add(false, KERNEL_AT, 0);
	op_sync_module_loaded();
	sync_add(false, KERNEL_AT + 1, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT, 0,
		     MODULES,
		     CPU(sync_fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT + 1, 0);
}

static void sync_traces(struct kunit *test)
{
	static const unsigned long both[] = {
		KERNEL_AT + 1, KERNEL_AT + 2, LIBRARY_AT + 3, LIBRARY_AT + 4, EXE_AT + 5,
		ANON_AT + 6, EXE_AT + 7,
	};

	sync_begin_traces(test, 16);
	sync_add_trace(false, KERNEL_AT, both, ARRAY_SIZE(both), 2);
	sync_add_trace(true, LIBRARY_AT, both + 2, 3, 0);
	sync_add_trace(true, EXE_AT, NULL, 0, 0);
	op_sync_all();
	/* Cookies: the program's context is first, then the library, then memory without a file. */
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10),
		     TRACE, KERNEL, KERNEL_AT, 5,
		     KERNEL_AT + 1, 0,
		     KERNEL_AT + 2, 0,
		     USER, IMAGE(LIBRARY), 0x10 * PAGE_SIZE + 3, 0,
		     0x10 * PAGE_SIZE + 4, 0,
		     IMAGE(EXE), PAGE_SIZE + 5, 0,
		     IMAGE(3), ANON_AT + 6, 0,
		     IMAGE(EXE), PAGE_SIZE + 7, 0,
		     TRACE, IMAGE(LIBRARY), 0x10 * PAGE_SIZE, 5,
		     0x10 * PAGE_SIZE + 3, 0,
		     0x10 * PAGE_SIZE + 4, 0,
		     IMAGE(EXE), PAGE_SIZE + 5, 0,
		     TRACE, PAGE_SIZE, 5);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.bt_lost_no_mapping, 0);
}

/* One after the other, of one image and not: each as if it was alone. */
static void sync_traces_in_a_row(struct kunit *test)
{
	static const unsigned long own[] = { EXE_AT + 1, EXE_AT + 2 };
	static const unsigned long mixed[] = { EXE_AT + 3, LIBRARY_AT + 4 };

	sync_begin_traces(test, 16);
	sync_add_trace(true, EXE_AT, own, 2, 0);
	sync_add_trace(true, EXE_AT + 5, own, 2, 0);
	sync_add_trace(true, EXE_AT + 6, NULL, 0, 0);
	sync_add_trace(true, EXE_AT + 7, mixed, 2, 0);
	sync_add_trace(true, EXE_AT + 8, own, 2, 0);
	sync_add_trace(true, EXE_AT + 9, own, 1, 0);
	sync_add_trace(false, KERNEL_AT, own, 1, 0);
	sync_add_trace(true, EXE_AT + 10, own, 1, 0);
	op_epoch_advance();
	sync_add_trace(true, EXE_AT + 11, own, 1, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10),
		     TRACE, USER, IMAGE(EXE), PAGE_SIZE, 5, PAGE_SIZE + 1, 0, PAGE_SIZE + 2, 0,
		     TRACE, PAGE_SIZE + 5, 5, PAGE_SIZE + 1, 0, PAGE_SIZE + 2, 0,
		     TRACE, PAGE_SIZE + 6, 5,
		     TRACE, PAGE_SIZE + 7, 5, PAGE_SIZE + 3, 0,
		     IMAGE(LIBRARY), 0x10 * PAGE_SIZE + 4, 0,
		     TRACE, IMAGE(EXE), PAGE_SIZE + 8, 5, PAGE_SIZE + 1, 0, PAGE_SIZE + 2, 0,
		     TRACE, PAGE_SIZE + 9, 5, PAGE_SIZE + 1, 0,
		     TRACE, KERNEL, KERNEL_AT, 5, USER, PAGE_SIZE + 1, 0,
		     TRACE, PAGE_SIZE + 10, 5, PAGE_SIZE + 1, 0,
		     TRACE, PAGE_SIZE + 11, 5, PAGE_SIZE + 1, 0);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.bt_lost_no_mapping, 0);
}

/* A chain ends at the first caller that is nowhere; its sample does not count as lost. */
static void sync_trace_cut(struct kunit *test)
{
	static const unsigned long cut[] = { EXE_AT + 1, NOWHERE, EXE_AT + 2 };
	struct task_struct *exiting = fake_task(test, 10, 11, NULL);

	sync_begin_traces(test, 16);
	sync_add_trace(true, EXE_AT, cut, ARRAY_SIZE(cut), 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), TRACE, USER, IMAGE(EXE),
		     PAGE_SIZE, 5,
		     PAGE_SIZE + 1, 0);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.bt_lost_no_mapping, 1);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_mapping, 0);

	/* The callers of a sample that is lost are lost, too. */
	sync_add_trace(true, NOWHERE, cut, 1, 0);
	op_sync_and_make_ready();
	EXPECT_NO_WORDS(test);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.bt_lost_no_mapping, 2);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_mapping, 1);

	/* Without an address space, callers in the program are nowhere. */
	fake_current = exiting;
	sync_add_trace(false, KERNEL_AT, cut, 1, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), TRACE, KERNEL, KERNEL_AT, 5);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.bt_lost_no_mapping, 3);
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

	sync_add(true, EXE_AT, 0);
	fake_current = exiting;
	sync_add(false, KERNEL_AT, 0);
	fake_current = stranger;
	sync_add(false, KERNEL_AT, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(EXE), PAGE_SIZE, 0,
		     TASK(11, EXE, 10), KERNEL, KERNEL_AT, 0,
		     TASK(tgid, NO_APP, tgid), KERNEL_AT, 0);
}

TEST_SUITE(oprofile_resolve, sync_fixture_init, sync_fixture_exit,
	   KUNIT_CASE(sync_kernel_sample),
	   KUNIT_CASE(sync_user_sample),
	   KUNIT_CASE(sync_weights),
	   KUNIT_CASE(sync_bounds),
	   KUNIT_CASE(sync_anonymous),
	   KUNIT_CASE(sync_switches),
	   KUNIT_CASE(sync_again),
	   KUNIT_CASE(sync_tasks),
	   KUNIT_CASE(sync_exiting),
	   KUNIT_CASE(sync_lost),
	   KUNIT_CASE(sync_program_gone),
	   KUNIT_CASE(sync_unmapped),
	   KUNIT_CASE(sync_part_unmapped),
	   KUNIT_CASE(sync_module_loaded),
	   KUNIT_CASE(sync_traces),
	   KUNIT_CASE(sync_traces_in_a_row),
	   KUNIT_CASE(sync_trace_cut));
