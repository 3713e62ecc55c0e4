// SPDX-License-Identifier: GPL-2.0-only
/*
 * The buffer of one CPU in a storm: samples come from the hard interrupt of a timer, on another
 * CPU if there is one, while the case reads.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "suite.h"

#include "backend.h"
#include "cpu_buffer.h"
#include "cpu_buffer_fixture.h"
#include "fake_backend.h"
#include "fake_task.h"

/*
 * Sample number n says all about itself: its pc is n, its task n / 7, its callers
 * are as many as n mod 32, and each is n times a number of its own.
 */
#define STORM_SAMPLES 200000 /* at least; more, if the consumer had few looks at them */
#define STORM_ROUNDS 1000
#define STORM_DEPTH 31
#define STORM_PERIOD_NS 50000

static unsigned long storm_caller(unsigned long n, unsigned int caller)
{
	return (n + 1) * (2 * caller + 3) << 8 | caller;
}

static void storm_backtrace(struct pt_regs *regs, struct op_frames *frames)
{
	unsigned long n = instruction_pointer(regs);
	unsigned int i;

	for (i = 0; i < n % (STORM_DEPTH + 1); i++) {
		if (!op_frames_add(frames, storm_caller(n, i), false))
			return;
	}
}

static const struct oprofile_backend storm_backend = {
	.name = "storm",
	.backtrace = storm_backtrace,
};

static struct hrtimer storm;
static unsigned int storm_cpu;
static unsigned long storm_sent;
static bool storm_seen; /* the consumer has had its rounds */
static bool storm_over;

static enum hrtimer_restart storm_tick(struct hrtimer *timer)
{
	/* Now a few, now more than the buffer has room for. */
	unsigned long burst = 1 + (storm_sent * 2654435761UL >> 7) % 90;
	static struct pt_regs regs;

	while (burst--) {
		fake_current->pid = storm_sent / 7;
		fake_regs(&regs, true, storm_sent++);
		oprofile_add_sample(&regs, 0);
	}
	if (storm_sent >= STORM_SAMPLES && READ_ONCE(storm_seen)) {
		smp_store_release(&storm_over, true); /* pairs with cpu_buffer_storm() */
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(STORM_PERIOD_NS));
	return HRTIMER_RESTART;
}

static void storm_begin(void *unused)
{
	hrtimer_setup(&storm, storm_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&storm, ns_to_ktime(STORM_PERIOD_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

static void cpu_buffer_storm(struct kunit *test)
{
	unsigned long received = 0, next = 0, rounds = 0, torn = 0, disordered = 0, misplaced = 0;
	struct op_cpu_stats *stats;
	bool over;
	u32 pid = 0;

	op_cpu_buffers_tear_down();
	KUNIT_ASSERT_EQ(test, op_cpu_buffers_set_up(OP_CPU_BUFFER_SIZE_MIN, STORM_DEPTH), 0);
	fake_backend_use(&storm_backend);
	storm_cpu = cpumask_last(cpu_online_mask);
	stats = op_cpu_stats(storm_cpu);
	storm_sent = 0;
	storm_seen = false;
	storm_over = false;
	KUNIT_ASSERT_EQ(test, smp_call_function_single(storm_cpu, storm_begin, NULL, true), 0);

	do {
		struct op_record_header header;
		struct op_cpu_reader reader;

		over = smp_load_acquire(&storm_over); /* before the last look into the buffer */
		KUNIT_ASSERT_TRUE(test, op_cpu_reader_open(&reader, storm_cpu));
		rounds += !op_cpu_reader_at_end(&reader);
		WRITE_ONCE(storm_seen, rounds > STORM_ROUNDS);
		while (!op_cpu_reader_at_end(&reader)) {
			u64 n = op_cpu_reader_word(&reader, 1);
			unsigned int i;

			header = op_cpu_reader_header(&reader);
			if (header.kind & OP_RECORD_CONTEXT) {
				pid = lower_32_bits(n);
			} else {
				disordered += n < next;
				misplaced += pid != n / 7;
				torn += header.kind != (OP_RECORD_SAMPLE | OP_SAMPLE_TRACED) ||
					header.nr_callers != n % (STORM_DEPTH + 1);
				for (i = 0; i < header.nr_callers; i++)
					torn += op_cpu_reader_word(&reader, 2 + i) !=
						storm_caller(n, i);
				next = n + 1;
				received++;
			}
			op_cpu_reader_advance(&reader, header);
			op_cpu_reader_release(&reader);
		}
		cond_resched();
	} while (!over);
	hrtimer_cancel(&storm);

	kunit_info(test, "%lu rounds, %lu samples read, %lu lost", rounds, received,
		   stats->lost_overflow);
	KUNIT_EXPECT_EQ(test, torn, 0);
	KUNIT_EXPECT_EQ(test, disordered, 0);
	KUNIT_EXPECT_EQ(test, misplaced, 0);
	KUNIT_EXPECT_EQ(test, stats->received, storm_sent);
	KUNIT_EXPECT_EQ(test, received + stats->lost_overflow, storm_sent);
	KUNIT_EXPECT_GT(test, stats->lost_overflow, 0);
	KUNIT_EXPECT_EQ(test, stats->lost_nested, 0);
}

TEST_SUITE(oprofile_cpu_buffer_storm, cpu_buffer_init, cpu_buffer_exit,
	   KUNIT_CASE(cpu_buffer_storm));
