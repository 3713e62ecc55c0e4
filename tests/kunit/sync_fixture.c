// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "backend.h"
#include "images/dcookie.h"
#include "fake_backend.h"
#include "scratch_file.h"
#include "sync_fixture.h"
#include "unwind/map.h"

struct sync_fixture sync_fixture;

void sync_add(bool user, unsigned long pc, u8 event)
{
	static struct pt_regs regs; /* some are too large for the stack */

	fake_regs(&regs, user, pc);
	preempt_disable();
	oprofile_add_sample(&regs, event);
	preempt_enable();
}

void sync_add_weight(bool user, unsigned long pc, u8 event, u64 weight)
{
	static struct pt_regs regs;

	fake_regs(&regs, user, pc);
	preempt_disable();
	oprofile_add_weighted_sample(&regs, event, weight);
	preempt_enable();
}

void sync_expect_words(struct kunit *test, const u64 *expected, unsigned long nr)
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

/* What the next backtrace finds, callers in the kernel first. */
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

void sync_begin_traces(struct kunit *test, u8 depth)
{
	op_cpu_buffers_tear_down();
	KUNIT_ASSERT_EQ(test, op_cpu_buffers_set_up(OP_CPU_BUFFER_SIZE_MIN, depth), 0);
	fake_backend_use(&tracing_backend);
}

void sync_add_trace(bool user, unsigned long pc, const unsigned long *pcs, unsigned int nr,
		    unsigned int nr_kernel)
{
	callers = pcs;
	nr_callers = nr;
	nr_kernel_callers = nr_kernel;
	sync_add(user, pc, 5);
}

int sync_fixture_init(struct kunit *test)
{
	memset(&sync_fixture, 0, sizeof(sync_fixture));
	sync_fixture.cpu = cpumask_last(cpu_online_mask);
	set_cpus_allowed_ptr(current, cpumask_of(sync_fixture.cpu));
	memset(&op_resolve_stats, 0, sizeof(op_resolve_stats));
	op_cpu_stats_reset();

	KUNIT_ASSERT_EQ(test, op_event_buffer_set_up(OP_BUFFER_SIZE_MIN, 1), 0);
	KUNIT_ASSERT_EQ(test, op_cpu_buffers_set_up(OP_CPU_BUFFER_SIZE_MIN, 0), 0);
	KUNIT_ASSERT_EQ(test, op_dcookies_set_up(), 0);
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	KUNIT_ASSERT_EQ(test, op_sync_set_up(), 0);

	sync_fixture.exe = scratch_file(test, "oprofile_sync_exe", "", 0);
	sync_fixture.library = scratch_file(test, "oprofile_sync_library", "", 0);
	sync_fixture.other = scratch_file(test, "oprofile_sync_other", "", 0);
	sync_fixture.mm = fake_mm(test, sync_fixture.exe);
	fake_mm_map(test, sync_fixture.mm, EXE_AT, EXE_AT + 4 * PAGE_SIZE, sync_fixture.exe, 1);
	sync_fixture.library_vma = fake_mm_map(test, sync_fixture.mm, LIBRARY_AT,
					       LIBRARY_AT + 16 * PAGE_SIZE, sync_fixture.library,
					       0x10);
	fake_mm_map(test, sync_fixture.mm, ANON_AT, ANON_AT + 2 * PAGE_SIZE, NULL, 0);
	sync_fixture.task = fake_task_found(test, 10, 11, sync_fixture.mm);
	fake_current = sync_fixture.task;
	return 0;
}

void sync_fixture_exit(struct kunit *test)
{
	fake_current = NULL;
	nr_fake_tasks = 0;
	fake_backend_use(NULL);
	op_sync_tear_down();
	op_unwind_maps_forget();
	op_unmapped_tear_down();
	op_dcookies_tear_down();
	op_cpu_buffers_tear_down();
	op_event_buffer_tear_down();
	if (sync_fixture.mm)
		fake_mm_end(test, sync_fixture.mm);
	if (sync_fixture.other)
		scratch_file_end(test, sync_fixture.other);
	if (sync_fixture.library)
		scratch_file_end(test, sync_fixture.library);
	if (sync_fixture.exe)
		scratch_file_end(test, sync_fixture.exe);
}
