// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend timer: each CPU's hrtimer samples what it interrupts.  Works everywhere, and does
 * not see code that runs with interrupts off: it falls on the instruction that enables them.
 */
#include <linux/preempt.h>

#include <asm/irq_regs.h>

#include "backend.h"
#include "backtrace.h"
#include "cpu_buffer.h"
#include "backends/idle.h"
#include "backends/ticker.h"
#include "backends/timer.h"

void op_timer_sample(void)
{
	struct pt_regs *regs = get_irq_regs();

	if (regs && !op_idle_interrupted())
		oprofile_add_sample(regs, 0);
}

static bool sample_on_tick(bool whole)
{
	op_timer_sample();
	return false;
}

static int timer_start(void)
{
	op_ticker_prepare(sample_on_tick, NULL);
	return 0;
}

static void timer_cpu_start(unsigned int cpu)
{
	op_ticker_start();
}

static void timer_cpu_stop(unsigned int cpu)
{
	op_ticker_stop();
}

static const char *timer_cpu_type(void)
{
	return "timer";
}

const struct oprofile_backend op_timer_backend = {
	.name = "timer",
	.start = timer_start,
	.stop = op_ticker_end,
	.cpu_start = timer_cpu_start,
	.cpu_stop = timer_cpu_stop,
	.create_files = op_ticker_create_files,
	.cpu_type = timer_cpu_type,
	.backtrace = op_backtrace,
};
