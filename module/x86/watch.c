// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watches the counters.
 *
 * The timers are deferrable: an idle CPU, on which nothing counts, is not woken for them.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "core.h"
#include "x86/pmu.h"
#include "x86/reserve.h"
#include "x86/watch.h"

#define TRY_AGAIN_MS 20

static DEFINE_PER_CPU(struct timer_list, watch_timer);

static struct {
	atomic_t reported; /* the rest is constant until it is taken */
	unsigned int cpu;
	const char *what;
} counters_loss;

static void begin_anew_fn(struct work_struct *work)
{
	struct delayed_work *again = to_delayed_work(work);

	if (!oprofile_restart())
		schedule_delayed_work(again, msecs_to_jiffies(TRY_AGAIN_MS));
}

static DECLARE_DELAYED_WORK(begin_anew, begin_anew_fn);

void op_x86_watch_report(unsigned int cpu, const char *what)
{
	if (atomic_cmpxchg(&counters_loss.reported, 0, 1))
		return;
	counters_loss.cpu = cpu;
	counters_loss.what = what;
	schedule_delayed_work(&begin_anew, 0);
}

bool op_x86_watch_take(char *text, size_t size)
{
	if (!atomic_read(&counters_loss.reported))
		return false;
	snprintf(text, size, "others use the counters: %s on CPU %u", counters_loss.what,
		 counters_loss.cpu);
	atomic_set_release(&counters_loss.reported, 0);
	return true;
}

static void look_at_counters(struct timer_list *timer)
{
	const char *what = op_x86_pmu_lost();

	if (!what && op_x86_traced())
		what = "Intel PT is in use";
	if (what)
		op_x86_watch_report(smp_processor_id(), what);
	mod_timer(timer, jiffies + HZ);
}

void op_x86_watch_start(void)
{
	struct timer_list *timer = this_cpu_ptr(&watch_timer);

	timer_setup(timer, look_at_counters, TIMER_DEFERRABLE | TIMER_PINNED);
	mod_timer(timer, jiffies + HZ);
}

void op_x86_watch_stop(void)
{
	timer_delete_sync(this_cpu_ptr(&watch_timer));
}

void op_x86_watch_end(void)
{
	cancel_delayed_work_sync(&begin_anew);
	atomic_set(&counters_loss.reported, 0);
}
