// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer that switches groups.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include <asm/irq_regs.h>

#include "suite.h"

#include "x86/pmu.h"

static unsigned int switches, switched_elsewhere;
static unsigned int started_on;

static void seam_switch(struct pt_regs *regs)
{
	if (smp_processor_id() != started_on || !in_hardirq() || !regs)
		switched_elsewhere++;
	WRITE_ONCE(switches, switches + 1);
}

/* Seams. */
#define op_x86_pmu_switch seam_switch

#include "x86/rotation.c"

#define PATIENCE (30LL * NSEC_PER_SEC)

/* On the CPU that was started, in its hard interrupt, in about the time that was asked for. */
static void rotation_switches_groups(struct kunit *test)
{
	ktime_t begin = ktime_get(), taken;

	time_slice = 2;
	migrate_disable();
	started_on = smp_processor_id();
	switches = 0;
	switched_elsewhere = 0;
	op_x86_rotation_start();
	while (READ_ONCE(switches) < 20 && ktime_get() - begin < PATIENCE)
		cpu_relax();
	taken = ktime_get() - begin;
	op_x86_rotation_stop();
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&this_cpu_ptr(&rotations)->timer));
	migrate_enable();
	KUNIT_EXPECT_GE(test, switches, 20U);
	KUNIT_EXPECT_EQ(test, switched_elsewhere, 0);
	/* A busy machine may be late, but nothing comes early: 7/8 of 20 slices of 2 ms. */
	KUNIT_EXPECT_GE(test, taken, 35LL * NSEC_PER_MSEC);
	time_slice = OP_X86_TIME_SLICE_DEFAULT;
}

static void rotation_limits(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, time_slice_number.value, &time_slice);
	KUNIT_EXPECT_EQ(test, time_slice_number.min, 1);
	KUNIT_EXPECT_EQ(test, time_slice_number.max, 1000);
}

TEST_SUITE(oprofile_x86_rotation, NULL, NULL,
	   KUNIT_CASE(rotation_switches_groups),
	   KUNIT_CASE(rotation_limits));
