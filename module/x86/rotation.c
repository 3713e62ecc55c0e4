// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multiplexes groups of counters.
 */
#include <linux/hrtimer.h>
#include <linux/percpu.h>

#include <asm/irq_regs.h>

#include "oprofilefs.h"
#include "backends/spread.h"
#include "x86/pmu.h"
#include "x86/rotation.h"

struct rotation {
	struct hrtimer timer;
	u32 random;
};

static DEFINE_PER_CPU(struct rotation, rotations);
static unsigned long time_slice = OP_X86_TIME_SLICE_DEFAULT; /* ms; constant while started */

static const struct oprofilefs_number time_slice_number = {
	.value = &time_slice,
	.min = 1,
	.max = OP_X86_TIME_SLICE_MAX,
};

int op_x86_rotation_create_files(struct dentry *root)
{
	return oprofilefs_create_number(root, "time_slice", &time_slice_number);
}

static enum hrtimer_restart slice_ends(struct hrtimer *timer)
{
	struct rotation *rotation = container_of(timer, struct rotation, timer);

	op_x86_pmu_switch(get_irq_regs());
	hrtimer_forward_now(timer, op_spread(time_slice * NSEC_PER_MSEC, &rotation->random));
	return HRTIMER_RESTART;
}

void op_x86_rotation_start(void)
{
	struct rotation *rotation = this_cpu_ptr(&rotations);

	rotation->random = op_spread_begin();
	hrtimer_setup(&rotation->timer, slice_ends, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&rotation->timer, op_spread(time_slice * NSEC_PER_MSEC, &rotation->random),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

void op_x86_rotation_stop(void)
{
	hrtimer_cancel(&this_cpu_ptr(&rotations)->timer);
}
