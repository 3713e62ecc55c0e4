// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timer on each CPU, that stands still while the CPU has nothing to do.
 *
 * All that is done to the timer of a CPU is done on that CPU with interrupts off.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/percpu.h>

#include "oprofilefs.h"
#include "backends/busy.h"
#include "backends/spread.h"
#include "backends/ticker.h"

/**
 * struct ticker - a CPU's
 * @started: between op_ticker_start() and op_ticker_stop()
 * @busy: the CPU has something to do; as in busy_cpus
 * @ticking: the timer runs; read by other CPUs
 * @whole: the CPU was busy at the last tick, and has been since; read by other CPUs
 * @left: of the interval, while it stands still
 */
struct ticker {
	struct hrtimer timer;
	u32 random;
	bool started;
	bool busy;
	bool ticking;
	bool whole;
	ktime_t left;
};

static DEFINE_PER_CPU(struct ticker, ticker);
static struct cpumask busy_cpus; /* of those that were started */
static unsigned long frequency = OP_FREQUENCY_DEFAULT; /* Hz */
static u64 period_ns;
static op_tick_fn tick_fn;
static bool (*keep_fn)(void);
static bool watched; /* else all CPUs pass for busy, always */

static const struct oprofilefs_number frequency_number = {
	.value = &frequency,
	.min = OP_FREQUENCY_MIN,
	.max = OP_FREQUENCY_MAX,
};

int op_ticker_create_files(struct dentry *root)
{
	return oprofilefs_create_number(root, "frequency", &frequency_number);
}

const struct cpumask *op_ticker_busy(void)
{
	return &busy_cpus;
}

bool op_ticker_ticks(unsigned int cpu)
{
	return READ_ONCE(per_cpu(ticker, cpu).ticking);
}

bool op_ticker_whole(unsigned int cpu)
{
	return READ_ONCE(per_cpu(ticker, cpu).whole);
}

static void go_on(struct ticker *t)
{
	if (!t->started || t->ticking)
		return;
	WRITE_ONCE(t->ticking, true);
	hrtimer_start(&t->timer, t->left, HRTIMER_MODE_REL_PINNED_HARD);
}

/* The rest of the interval is kept: a CPU that works by fits and starts has its samples, too. */
static void stand_still(struct ticker *t)
{
	if (!t->ticking)
		return;
	t->left = max_t(ktime_t, hrtimer_get_remaining(&t->timer), 0);
	hrtimer_try_to_cancel(&t->timer); /* it is not running: that would be on this CPU */
	WRITE_ONCE(t->ticking, false);
}

/* Context: of op_busy_set_up(). */
static void change_state(bool busy)
{
	struct ticker *t = this_cpu_ptr(&ticker);

	if (!t->started || t->busy == busy)
		return;
	t->busy = busy;
	if (busy) {
		cpumask_set_cpu(smp_processor_id(), &busy_cpus);
		go_on(t);
	} else {
		cpumask_clear_cpu(smp_processor_id(), &busy_cpus);
		WRITE_ONCE(t->whole, false);
		if (!keep_fn || !keep_fn())
			stand_still(t);
	}
}

void op_ticker_keep(void)
{
	go_on(this_cpu_ptr(&ticker));
}

void op_ticker_prepare(op_tick_fn tick, bool (*keep)(void))
{
	tick_fn = tick;
	keep_fn = keep;
	period_ns = div_u64(NSEC_PER_SEC, frequency);
	cpumask_clear(&busy_cpus);
	watched = !op_busy_set_up(change_state);
}

void op_ticker_end(void)
{
	if (watched)
		op_busy_tear_down();
	watched = false;
}

static enum hrtimer_restart on_tick(struct hrtimer *timer)
{
	struct ticker *t = container_of(timer, struct ticker, timer);
	bool keep = tick_fn(t->whole);

	WRITE_ONCE(t->whole, t->busy);
	t->left = op_spread(period_ns, &t->random);
	if (!t->busy && !keep) {
		WRITE_ONCE(t->ticking, false);
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, t->left);
	return HRTIMER_RESTART;
}

void op_ticker_start(void)
{
	struct ticker *t = this_cpu_ptr(&ticker);

	t->random = op_spread_begin();
	t->left = op_spread(period_ns, &t->random);
	t->whole = false;
	hrtimer_setup(&t->timer, on_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	local_irq_disable();
	t->started = true;
	change_state(true); /* this runs on it */
	local_irq_enable();
}

void op_ticker_stop(void)
{
	struct ticker *t = this_cpu_ptr(&ticker);

	local_irq_disable();
	change_state(false);
	stand_still(t); /* it can have been kept */
	t->started = false;
	local_irq_enable();
}
