/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Idle CPUs.  A halted CPU has no cycles to count.  The timer backends leave it alone (ticker.h);
 * what meets it all the same, as it was on its way, is no sample and counts in sample_idle.
 */
#ifndef OPROFILE_IDLE_H
#define OPROFILE_IDLE_H

#include <linux/compiler.h>
#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "cpu_buffer.h"

/* Did this interrupt find the CPU idle?  Counts it.  Context: NMI or hard interrupt. */
static inline bool op_idle_interrupted(void)
{
	struct op_cpu_stats *stats;
	bool idle = data_race(is_idle_task(current)); /* as op_current(), current.h */

	/* This interrupt itself is one level of hard interrupt, as an NMI too. */
	if (!idle || hardirq_count() != HARDIRQ_OFFSET || in_serving_softirq())
		return false;
	stats = op_cpu_stats(smp_processor_id());
	WRITE_ONCE(stats->idle, stats->idle + 1);
	return true;
}

#endif
