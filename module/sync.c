// SPDX-License-Identifier: GPL-2.0-only
/*
 * When sync runs, in which order it looks at CPUs, and what it does beside resolving samples.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include "cpu_buffer.h"
#include "deferred.h"
#include "event_buffer.h"
#include "kick.h"
#include "resolve.h"
#include "sync.h"
#include "unwind/map.h"
#include "images/dcookie.h"
#include "images/mapping_hooks.h"
#include "images/marks.h"
#include "images/spaces.h"
#include "images/unmapped.h"

#define SYNC_PERIOD (HZ / 4)
#define SYNC_PERIOD_MAX (2 * HZ) /* where there is nothing to sync: an idle CPU is woken for it */
#define RETRY_PERIOD (HZ / 20) /* while samples are set aside */

/* How long a dump or a stop waits for address spaces that are locked. */
#define SETTLE_TRIES 10
#define SETTLE_MS 10

static bool found; /* a sync has found records */

/*
 * A module was loaded.  Samples that were logged before, up to the marks of the CPU buffers, belong
 * to the old list of modules, those behind to the new one.
 */
static bool module_loaded; /* loaded:A */
static bool stalled; /* the event buffer was full */
static unsigned int first_cpu; /* with which a sync begins */

void op_sync_module_loaded(void)
{
	/*
	 * If it is set, a record is still to be written.  The reader gets it later than now, and
	 * reads a list that has this module.
	 */
	if (smp_load_acquire(&module_loaded))
		return;
	op_cpu_buffers_mark();
	smp_store_release(&module_loaded, true); /* loaded:A - after the marks, see said:A */
}

/*
 * Returns false if the event buffer is full.  The next sync then begins where this one ended, or
 * behind that if one CPU filled all of the buffer: with a slow reader, all CPUs have their turn.
 */
static bool sync_cpus(bool up_to_mark)
{
	unsigned int begin = first_cpu, cpu;

	for_each_cpu_wrap(cpu, cpu_possible_mask, begin) {
		if (!op_resolve_cpu(cpu, up_to_mark, &found)) {
			first_cpu = cpu == begin ? (cpu + 1) % nr_cpu_ids : cpu;
			return false;
		}
	}
	return true;
}

static bool say_module_loaded(void)
{
	if (!smp_load_acquire(&module_loaded)) /* said:A - pairs with loaded:A */
		return true;
	if (!sync_cpus(true) || !op_resolve_say_module_loaded())
		return false;
	WRITE_ONCE(module_loaded, false);
	return true;
}

/* What samples that are set aside will ask for is not forgotten. */
static void forget_unmapped(void)
{
	u32 oldest = op_epoch_now();

	op_deferred_keep(&oldest);
	op_unmapped_drained(oldest);
}

static void sync_all_locked(bool last)
{
	lockdep_assert_held(&op_sync_mutex);

	stalled = !op_resolve_deferred(false) || !say_module_loaded() || !sync_cpus(false) ||
		  (last && !op_resolve_deferred(true));
	op_spaces_let_die();
	if (stalled)
		op_event_buffer_make_ready();
	else
		forget_unmapped();
	op_event_buffer_check_ready();
}

void op_sync_all(void)
{
	mutex_lock(&op_sync_mutex);
	sync_all_locked(false);
	mutex_unlock(&op_sync_mutex);
}

/* Most locks are held for a moment only: gives the samples set aside a little time. */
static void settle(void)
{
	int tries;

	for (tries = SETTLE_TRIES; tries && op_deferred_any(); tries--) {
		mutex_unlock(&op_sync_mutex);
		msleep(SETTLE_MS);
		mutex_lock(&op_sync_mutex);
		if (!op_resolve_deferred(false))
			break;
	}
}

void op_sync_and_make_ready(void)
{
	mutex_lock(&op_sync_mutex);
	sync_all_locked(false);
	if (op_deferred_any()) {
		settle();
		sync_all_locked(true);
	}
	op_event_buffer_make_ready();
	mutex_unlock(&op_sync_mutex);
}

static void sync_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(sync_work, sync_work_fn);
static struct workqueue_struct *sync_queue;

/* Until the next sync: longer and longer as long as nothing comes. */
static unsigned long next_period(void)
{
	static unsigned long period;

	if (op_deferred_any())
		return RETRY_PERIOD;
	mutex_lock(&op_sync_mutex);
	if (found)
		period = SYNC_PERIOD;
	else
		period = clamp_t(unsigned long, 2 * period, SYNC_PERIOD, SYNC_PERIOD_MAX);
	found = false;
	mutex_unlock(&op_sync_mutex);
	return period;
}

/* All of them are looked at: not each time that an interrupt asks for a sync. */
static void age_unwind_maps(void)
{
	static unsigned long aged;

	if (!time_in_range(jiffies, aged, aged + SYNC_PERIOD - 1)) {
		aged = jiffies;
		op_unwind_maps_age();
	}
}

static void sync_work_fn(struct work_struct *work)
{
	op_kick_answered(); /* before the buffers are read */
	op_sync_all();
	op_mapping_hooks_watch();
	op_cpu_stats_watch();
	op_dcookies_age(op_event_buffer_settled());
	age_unwind_maps();
	if (READ_ONCE(stalled))
		op_kick_hold_off(); /* no kick can help before op_sync_resume() */
	queue_delayed_work(sync_queue, &sync_work, next_period());
}

/* In a hard interrupt. */
static void sync_soon(bool now)
{
	mod_delayed_work(sync_queue, &sync_work, now ? 0 : 1);
}

void op_sync_resume(void)
{
	/* Here and not in the work, which has an end with op_sync_stop_work(). */
	if (READ_ONCE(stalled)) {
		mutex_lock(&op_sync_mutex);
		sync_all_locked(!op_resolve_sampling()); /* else the work retries */
		op_event_buffer_make_ready();
		mutex_unlock(&op_sync_mutex);
	}
	op_kick_answered();
}

int op_sync_set_up(void)
{
	sync_queue = alloc_workqueue("oprofile_sync", WQ_UNBOUND | WQ_HIGHPRI, 1);
	if (!sync_queue)
		return -ENOMEM;
	op_resolve_set_up();
	module_loaded = false;
	first_cpu = 0;
	stalled = false;
	op_kick_set_up(sync_soon);
	return 0;
}

void op_sync_start_work(void)
{
	op_resolve_set_sampling(true);
	mutex_lock(&op_sync_mutex);
	found = true; /* there will be some soon */
	mutex_unlock(&op_sync_mutex);
	queue_delayed_work(sync_queue, &sync_work, SYNC_PERIOD);
}

void op_sync_stop_work(void)
{
	op_kick_stop();
	cancel_delayed_work_sync(&sync_work);
	op_resolve_set_sampling(false);
}

void op_sync_tear_down(void)
{
	op_resolve_tear_down();
	destroy_workqueue(sync_queue);
}
