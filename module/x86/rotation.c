// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns of groups of counters.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/percpu.h>

#include <asm/irq_regs.h>

#include "cpu_buffer.h"
#include "oprofilefs.h"
#include "x86/pmu.h"
#include "x86/rotation.h"

static DEFINE_PER_CPU(struct hrtimer, timers);
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

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	op_x86_pmu_switch(get_irq_regs(), oprofile_add_sample);
	hrtimer_forward_now(timer, ms_to_ktime(time_slice));
	return HRTIMER_RESTART;
}

void op_x86_rotation_start(void)
{
	struct hrtimer *timer = this_cpu_ptr(&timers);

	hrtimer_setup(timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(timer, ms_to_ktime(time_slice), HRTIMER_MODE_REL_PINNED_HARD);
}

void op_x86_rotation_stop(void)
{
	hrtimer_cancel(this_cpu_ptr(&timers));
}
