// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sync: when it runs, how far it goes if the event buffer has no room, and what it keeps from one
 * time to the next.  What words are made of samples is in resolve_test.c.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/workqueue.h>

#include "suite.h"

static bool no_memory;

/* Seam. */
static struct workqueue_struct *seam_alloc_workqueue(const char *name)
{
	return no_memory ? NULL : alloc_workqueue("%s", WQ_UNBOUND | WQ_HIGHPRI, 1, name);
}

#undef alloc_workqueue
#define alloc_workqueue(name, flags, max_active) seam_alloc_workqueue(name)

#include "sync.c"

#include "sync_fixture.h"

static void sync_nothing(struct kunit *test)
{
	op_sync_all();
	EXPECT_NO_WORDS(test);
	KUNIT_EXPECT_FALSE(test, op_event_buffer_ready());
	op_sync_and_make_ready();
	EXPECT_NO_WORDS(test);
	KUNIT_EXPECT_TRUE(test, op_event_buffer_ready());
}

/* There is no room for the record: it comes with the next sync. */
static void sync_module_later(struct kunit *test)
{
	op_event_buffer.nr_words = op_event_buffer.max_words - 1;
	op_sync_module_loaded();
	op_sync_all();
	KUNIT_EXPECT_EQ(test, op_event_buffer.nr_words, op_event_buffer.max_words - 1);
	op_event_buffer.nr_words = 0;
	op_sync_all();
	EXPECT_WORDS(test, MODULES);
	op_sync_all();
	EXPECT_NO_WORDS(test);
}

/* A slow reader: what finds no room stays where it is, and is there after the next read. */
static void sync_stalls(struct kunit *test)
{
	static const u64 head[] = { CPU(0), TASK(0, 0, 0) };
	unsigned long nr = 0, pc, i;

	op_event_buffer_tear_down();
	op_event_buffer_set_up(100, 10);
	for (pc = 0; pc < 120; pc++)
		sync_add(pc % 3, pc % 3 ? EXE_AT + pc : KERNEL_AT + pc, 0);

	op_sync_all();
	KUNIT_EXPECT_TRUE(test, stalled);
	KUNIT_EXPECT_TRUE(test, op_event_buffer_ready());
	for (pc = 0; pc < 120;) {
		KUNIT_ASSERT_LE(test, op_event_buffer.nr_words, 100);
		KUNIT_ASSERT_GT(test, op_event_buffer.nr_words, 12);
		KUNIT_EXPECT_EQ(test, op_event_buffer.words[1], OPROFILE_CPU_SWITCH);
		for (i = ARRAY_SIZE(head); i < op_event_buffer.nr_words;) {
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
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_room, 0);
}

/* A record that is larger than all of the event buffer is the only one that is lost here. */
static void sync_no_room(struct kunit *test)
{
	static unsigned long pcs[255];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pcs); i++)
		pcs[i] = EXE_AT + i;
	sync_begin_traces(test, 255);
	op_event_buffer_tear_down();
	op_event_buffer_set_up(1024, 10);
	sync_add_trace(true, EXE_AT, pcs, 255, 0);
	sync_add_trace(true, EXE_AT, pcs, 1, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), TRACE, USER, IMAGE(EXE),
		     PAGE_SIZE, 5,
		     PAGE_SIZE, 0);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_room, 1);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.event_lost_overflow, 3 + 7 + 2 + 7 + 255 * 7);
	KUNIT_EXPECT_FALSE(test, stalled);
}

/* No word is written behind the end, wherever the end is. */
static void sync_every_room(struct kunit *test)
{
	static const unsigned long both[] = { KERNEL_AT + 1, LIBRARY_AT + 3, EXE_AT + 5 };
	unsigned long size, nr;
	int i;

	sync_begin_traces(test, 16);
	for (size = 40; size < 120; size++) {
		op_event_buffer_tear_down();
		/* The words behind max_words are ours, to see if they are written. */
		op_event_buffer_set_up(size + 40, 1);
		memset(op_event_buffer.words, 0x5a, (size + 40) * sizeof(u64));
		op_event_buffer.max_words = size;
		for (i = 0; i < 6; i++)
			sync_add_trace(i % 2, i % 2 ? EXE_AT : KERNEL_AT, both, 3, i % 2 ? 0 : 1);
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
		KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_room, 0);
	}
}

static void sync_kicked(struct kunit *test)
{
	op_sync_start_work();
	sync_add(false, KERNEL_AT, 0);
	op_sync_kick();
	op_sync_kick();
	op_kick_stop();
	flush_delayed_work(&sync_work);
	op_sync_stop_work();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&op_kicked), OP_KICK_NONE);

	/* While it is stalled a kick is of no use. */
	op_event_buffer.nr_words = op_event_buffer.max_words;
	sync_add(false, KERNEL_AT, 0);
	op_sync_start_work();
	op_sync_kick();
	op_kick_stop();
	flush_delayed_work(&sync_work);
	op_sync_stop_work();
	KUNIT_EXPECT_TRUE(test, stalled);
	KUNIT_EXPECT_EQ(test, atomic_read(&op_kicked), OP_KICK_NOW);
	op_event_buffer.nr_words = 0;
	op_sync_resume();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), KERNEL, KERNEL_AT, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&op_kicked), OP_KICK_NONE);
}

static unsigned int nr_now, nr_later;

static void count_kick(bool now)
{
	if (now)
		nr_now++;
	else
		nr_later++;
}

/* A kick for later is one of its kind until it is answered, and holds up none for now. */
static void sync_kicked_later(struct kunit *test)
{
	nr_now = 0;
	nr_later = 0;
	op_kick_set_up(count_kick);
	op_sync_kick_later();
	op_kick_stop();
	op_sync_kick_later();
	op_kick_stop();
	KUNIT_EXPECT_EQ(test, nr_later, 1);
	KUNIT_EXPECT_EQ(test, nr_now, 0);
	op_sync_kick();
	op_kick_stop();
	op_sync_kick_later();
	op_sync_kick();
	op_kick_stop();
	KUNIT_EXPECT_EQ(test, nr_later, 1);
	KUNIT_EXPECT_EQ(test, nr_now, 1);
	op_kick_answered();
	op_sync_kick_later();
	op_kick_stop();
	KUNIT_EXPECT_EQ(test, nr_later, 2);
	KUNIT_EXPECT_EQ(test, nr_now, 1);
	op_kick_set_up(sync_soon);
}

/* Where nothing comes, the work runs less and less often. */
static void sync_rests(struct kunit *test)
{
	const unsigned long first = HZ / 4;
	const unsigned long periods[] = { first, 2 * first, 4 * first, 8 * first, 2 * HZ };
	unsigned int i;

	op_sync_start_work();
	op_sync_stop_work();
	for (i = 0; i < ARRAY_SIZE(periods); i++)
		KUNIT_EXPECT_EQ(test, next_period(), periods[i]);
	sync_add(false, KERNEL_AT, 0);
	op_sync_all();
	KUNIT_EXPECT_EQ(test, next_period(), first);
	KUNIT_EXPECT_EQ(test, next_period(), 2 * first);
	op_sync_start_work();
	op_sync_stop_work();
	KUNIT_EXPECT_EQ(test, next_period(), first);
}

/* A process keeps its address space locked: nothing waits, and only its own samples do without. */
static void sync_locked(struct kunit *test)
{
	static const unsigned long callers[] = { KERNEL_AT + 1, EXE_AT + 5 };

	sync_begin_traces(test, 16);
	mmap_write_lock(sync_fixture.mm);
	sync_add_trace(true, EXE_AT, NULL, 0, 0);
	sync_add_trace(false, KERNEL_AT, callers, 2, 1);
	sync_add_trace(false, KERNEL_AT, callers, 1, 1);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), TRACE, KERNEL, KERNEL_AT, 5,
		     KERNEL_AT + 1, 0);
	op_sync_all();
	EXPECT_NO_WORDS(test);
	mmap_write_unlock(sync_fixture.mm);

	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), TRACE, USER, IMAGE(EXE),
		     PAGE_SIZE, 5,
		     CPU(sync_fixture.cpu), TASK(11, EXE, 10), TRACE, KERNEL, KERNEL_AT, 5,
		     KERNEL_AT + 1, 0, USER, IMAGE(EXE), PAGE_SIZE + 5, 0);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_busy, 0);
	KUNIT_EXPECT_FALSE(test, op_deferred_any());
}

/* A dump waits for a moment; then the samples are lost, and that is counted. */
static void sync_locked_at_dump(struct kunit *test)
{
	static const unsigned long callers[] = { KERNEL_AT + 1, EXE_AT + 5 };

	sync_begin_traces(test, 16);
	mmap_write_lock(sync_fixture.mm);
	sync_add_trace(true, EXE_AT, callers + 1, 1, 0);
	sync_add_trace(false, KERNEL_AT, callers, 2, 1);
	op_sync_and_make_ready();
	mmap_write_unlock(sync_fixture.mm);
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), TRACE, KERNEL, KERNEL_AT, 5,
		     KERNEL_AT + 1, 0);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_busy, 1);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.bt_lost_no_mapping, 2);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_mapping, 0);
	KUNIT_EXPECT_FALSE(test, op_deferred_any());
}

/* Without a dump, too, they wait for a second and no longer. */
static void sync_locked_too_long(struct kunit *test)
{
	unsigned long until = jiffies + 10 * HZ;

	mmap_write_lock(sync_fixture.mm);
	sync_add(true, EXE_AT, 0);
	op_sync_all();
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_busy, 0);
	while (!op_resolve_stats.lost_busy && time_before(jiffies, until)) {
		msleep(50);
		op_sync_all();
	}
	mmap_write_unlock(sync_fixture.mm);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_busy, 1);
	EXPECT_NO_WORDS(test);
}

/* munmap() has taken the mapping out of the tree, and not yet called the hook. */
static void sync_unmapping(struct kunit *test)
{
	struct vm_area_struct *vma = sync_fixture.library_vma;

	sync_add(true, LIBRARY_AT, 0);
	fake_mm_unmap(vma);
	op_sync_all();
	EXPECT_NO_WORDS(test);
	op_unmapped_remember(vma, vma->vm_start, vma->vm_end);
	op_epoch_advance();
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, 1, 10), USER, IMAGE(2),
		     0x10 * PAGE_SIZE, 0);
	KUNIT_EXPECT_EQ(test, op_resolve_stats.lost_no_mapping, 0);
}

/* What a sample that is set aside will ask for is remembered, however many periods end. */
static void sync_locked_unmapped(struct kunit *test)
{
	struct vm_area_struct *vma = sync_fixture.library_vma;
	int i;

	sync_add(true, LIBRARY_AT, 0);
	mmap_write_lock(sync_fixture.mm);
	for (i = 0; i < 8; i++) {
		op_sync_all();
		synchronize_rcu();
	}
	op_unmapped_remember(vma, vma->vm_start, vma->vm_end);
	fake_mm_unmap(vma);
	op_epoch_advance();
	for (i = 0; i < 8; i++) {
		op_sync_all();
		synchronize_rcu();
	}
	mmap_write_unlock(sync_fixture.mm);
	EXPECT_NO_WORDS(test);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, 1, 10), USER, IMAGE(2),
		     0x10 * PAGE_SIZE, 0);
}

/*
 * A thread ran one library, then another CPU and another library at the same address.  If sync
 * looks at that other CPU first, what it sets aside is not in the order of epochs.
 */
static void sync_locked_replaced(struct kunit *test)
{
	struct vm_area_struct *vma = sync_fixture.library_vma;
	int old = atomic_read(&op_mapping_epoch);

	sync_add(true, EXE_AT, 0);
	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(EXE),
		     PAGE_SIZE, 0);

	mmap_write_lock(sync_fixture.mm);
	op_unmapped_remember(vma, vma->vm_start, vma->vm_end);
	fake_mm_unmap(vma);
	op_epoch_advance();
	fake_mm_map(test, sync_fixture.mm, LIBRARY_AT, LIBRARY_AT + 16 * PAGE_SIZE,
		    sync_fixture.other, 0x20);
	sync_add(true, LIBRARY_AT + 1, 0);
	op_sync_all(); /* the other CPU */
	atomic_set(&op_mapping_epoch, old);
	sync_add(true, LIBRARY_AT, 0);
	atomic_set(&op_mapping_epoch, old + 1);
	op_sync_all();
	EXPECT_NO_WORDS(test);
	mmap_write_unlock(sync_fixture.mm);

	op_sync_all();
	EXPECT_WORDS(test, CPU(sync_fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(3),
		     0x20 * PAGE_SIZE + 1, 0,
		     CPU(sync_fixture.cpu), TASK(11, EXE, 10), USER, IMAGE(LIBRARY),
		     0x10 * PAGE_SIZE, 0);
}

static void sync_memory(struct kunit *test)
{
	op_sync_tear_down();
	no_memory = true;
	KUNIT_EXPECT_EQ(test, op_sync_set_up(), -ENOMEM);
	no_memory = false;
	KUNIT_ASSERT_EQ(test, op_sync_set_up(), 0);
}

TEST_SUITE(oprofile_sync, sync_fixture_init, sync_fixture_exit,
	   KUNIT_CASE(sync_nothing),
	   KUNIT_CASE(sync_module_later),
	   KUNIT_CASE(sync_stalls),
	   KUNIT_CASE(sync_no_room),
	   KUNIT_CASE(sync_every_room),
	   KUNIT_CASE(sync_kicked),
	   KUNIT_CASE(sync_kicked_later),
	   KUNIT_CASE(sync_rests),
	   KUNIT_CASE(sync_locked),
	   KUNIT_CASE(sync_locked_at_dump),
	   KUNIT_CASE(sync_locked_too_long),
	   KUNIT_CASE(sync_unmapping),
	   KUNIT_CASE(sync_locked_unmapped),
	   KUNIT_CASE(sync_locked_replaced),
	   KUNIT_CASE(sync_memory));
