/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Weights of the samples of a perf event, and periods that keep it below perf's limit.
 *
 * perf stops an event that has had too many samples since its CPU's last tick
 * (kernel.perf_event_max_sample_rate), and starts it again at the next one.  Nobody counts what
 * happens in between.  So the period is lengthened: when perf has stopped the event, which tells
 * the limit, and from then on before it does.
 */
#ifndef OPROFILE_PERF_PERIOD_H
#define OPROFILE_PERF_PERIOD_H

#include <linux/types.h>

/**
 * struct op_perf_period - of one event on one CPU; all zero at first
 * @sampled: events that its samples stand for
 * @tick: perf's number of the tick before its last sample
 * @in_tick: samples since then
 * @calm: ticks in a row with so few samples that half of the period would do
 * @doubled_at: so many of them double the period
 * @limit: perf stopped it last after so many since a tick; 0: it has not stopped it
 * @shift: its period is doubled so often
 */
struct op_perf_period {
	u64 sampled;
	u64 tick;
	unsigned int in_tick;
	unsigned int calm;
	unsigned int doubled_at;
	unsigned int limit;
	unsigned int shift;
};

/**
 * op_perf_period_weigh - how many events the next sample stands for
 * @period: what was asked for
 * @counted: events since the beginning, until this overflow
 *
 * Context: any.  Return: @period, or a multiple.  What is left counts for the samples after it, so
 * that all of them stand for all @counted events but for less than @period.
 */
u64 op_perf_period_weigh(struct op_perf_period *of, u64 period, u64 counted);

/**
 * op_perf_period_adjust - lengthen or halve the period, by how fast samples come
 * @tick: perf's number of the tick before this sample
 * @stopped: perf has stopped the event
 *
 * Context: any.  Return: is it longer now?
 */
bool op_perf_period_adjust(struct op_perf_period *of, u64 tick, bool stopped);

#endif
