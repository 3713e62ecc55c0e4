// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backend timer, with all of the module behind it: real samples of this very loop, from
 * oprofilefs to the words in the buffer.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>

#include <asm/irq_regs.h>

#include "suite.h"

#include "core.h"
#include "cpu_buffer.h"
#include "event_buffer.h"
#include "fake_backend.h"
#include "resolve.h"

#include "backends/timer.c"

static unsigned long sum_received(void)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += op_cpu_stats(cpu)->received;
	return sum;
}

static unsigned long sum_lost(void)
{
	unsigned long sum = op_resolve_stats.lost_no_mm + op_resolve_stats.lost_no_mapping +
			    op_resolve_stats.lost_busy + op_resolve_stats.lost_no_room;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct op_cpu_stats *stats = op_cpu_stats(cpu);

		sum += stats->lost_overflow + stats->lost_nested + stats->invalid_eip;
	}
	return sum;
}

/* Samples, without their callers, in what waits for the reader. */
static unsigned long count_samples(struct kunit *test)
{
	const u64 *words = op_event_buffer.words;
	unsigned long i = 0, samples = 0;

	while (i < op_event_buffer.nr_words) {
		if (words[i] != OPROFILE_ESCAPE_CODE) {
			samples++;
			i += 2;
			continue;
		}
		switch (words[i + 1]) {
		case OPROFILE_CPU_SWITCH:
		case OPROFILE_COOKIE_SWITCH:
			i += 3;
			break;
		case OPROFILE_CTX_SWITCH:
			KUNIT_ASSERT_EQ(test, words[i + 5], OPROFILE_CTX_TGID);
			i += 7;
			break;
		case OPROFILE_KERNEL_ENTER:
		case OPROFILE_USER_ENTER:
		case OPROFILE_MODULE_LOADED:
			i += 2;
			break;
		default:
			KUNIT_FAIL(test, "word %lu: a record of kind %llu", i, words[i + 1]);
			return 0;
		}
	}
	KUNIT_EXPECT_EQ(test, i, op_event_buffer.nr_words);
	return samples;
}

static void timer_samples(struct kunit *test)
{
	unsigned long until = jiffies + 60 * HZ;
	unsigned long received;

	KUNIT_EXPECT_STREQ(test, op_backend()->cpu_type(), "timer");
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	KUNIT_ASSERT_EQ(test, oprofile_start(), 0);
	while (sum_received() < 50 && time_before(jiffies, until))
		cond_resched();
	KUNIT_EXPECT_EQ(test, oprofile_stop(), 0);

	received = sum_received();
	KUNIT_EXPECT_GE(test, received, 50);
	KUNIT_EXPECT_EQ(test, count_samples(test) + sum_lost(), received);
	KUNIT_EXPECT_EQ(test, sum_received(), received); /* it has stopped */
}

/* Out of an interrupt there is nothing to sample. */
static void timer_not_interrupted(struct kunit *test)
{
	op_cpu_stats_reset();
	preempt_disable();
	op_timer_sample();
	preempt_enable();
	KUNIT_EXPECT_EQ(test, sum_received(), 0);
}

static int timer_init(struct kunit *test)
{
	fake_backend_use(&op_timer_backend);
	return 0;
}

static void timer_exit(struct kunit *test)
{
	oprofile_shutdown();
	fake_backend_use(NULL);
}

TEST_SUITE(oprofile_timer, timer_init, timer_exit,
	   KUNIT_CASE(timer_samples),
	   KUNIT_CASE(timer_not_interrupted));
