// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unmappings that wait for a context in which they can be remembered.
 *
 * Each CPU has places of its own.  The hook, of which a CPU runs one at a time, is the only one
 * that takes free places of its CPU; whoever takes over gives them back.  So both lists need no
 * lock.
 *
 * Pairs of accesses:
 *
 *	hook					op_postponed_take()
 *	postpone:A  count			take:A  load-acquire the count
 *	postpone:B  add to the list		take:B  take the list
 *						take:C  store-release the count, less what was taken
 *
 * The locks of the mappings order postpone:A and B before the take:A of a sync that finds the
 * mapping gone.  One that sees no count sees what was taken over (take:C with take:A); else it
 * waits for the mutex, and so for those who are taking over.
 */
#include <linux/atomic.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "images/account.h"
#include "images/postponed.h"

/* A large program has some hundred mappings.  Else only NMIs need places, for a short time. */
#define PLACES (IS_ENABLED(CONFIG_PREEMPT_RT) ? 512 : 64) /* of a CPU */

/**
 * struct place - one of a CPU
 * @node: in the list of free places or in that of those that wait
 * @free: where it goes back to
 *
 * Lifetime: from set-up to tear-down.  While it waits it has references to the files, and to an
 * address space that is to be kept.
 */
struct place {
	struct llist_node node;
	struct llist_head *free;
	struct op_unmapping unmapping;
};

static DEFINE_PER_CPU(struct llist_head, free_places);
static LLIST_HEAD(waiting_places);
static atomic_t nr_waiting = ATOMIC_INIT(0);
static struct place *places;
static void (*take_fn)(const struct op_unmapping *unmapping);
static DEFINE_MUTEX(take_mutex); /* inside of the mmap_lock of a profiled process */

static void take_work_fn(struct work_struct *work)
{
	op_postponed_take();
}

static DECLARE_WORK(take_work, take_work_fn);

static void take_irq_fn(struct irq_work *work)
{
	queue_work(system_highpri_wq, &take_work);
}

static struct irq_work take_irq = IRQ_WORK_INIT_HARD(take_irq_fn);

bool op_postpone(const struct op_unmapping *unmapping)
{
	struct llist_node *node = llist_del_first(this_cpu_ptr(&free_places));
	struct place *place;

	if (!node)
		return false;
	place = llist_entry(node, struct place, node);
	place->unmapping = *unmapping;
	if (unmapping->file)
		get_file(unmapping->file);
	place->unmapping.program = compat_mm_exe_file(unmapping->live);
	place->unmapping.account = op_account_of_current();
	place->unmapping.live = NULL;
	if (unmapping->dying)
		mmgrab(unmapping->dying);
	atomic_inc(&nr_waiting);		   /* postpone:A */
	if (llist_add(node, &waiting_places)) /* postpone:B - a full barrier */
		irq_work_queue(&take_irq);
	return true;
}

static void give_back(struct place *place)
{
	if (place->unmapping.file)
		fput(place->unmapping.file);
	if (place->unmapping.program)
		fput(place->unmapping.program);
	if (place->unmapping.dying)
		mmdrop(place->unmapping.dying);
	llist_add(&place->node, place->free);
}

/* The oldest first: the order decides which one of an address space has no room any more. */
static void take_all(void)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&waiting_places)); /* take:B */
	struct place *place, *next;

	lockdep_assert_held(&take_mutex);
	llist_for_each_entry_safe(place, next, list, node) {
		take_fn(&place->unmapping);
		give_back(place);
		atomic_dec_return_release(&nr_waiting); /* take:C */
	}
}

void op_postponed_take(void)
{
	if (!atomic_read_acquire(&nr_waiting)) /* take:A */
		return;
	mutex_lock(&take_mutex);
	take_all();
	mutex_unlock(&take_mutex);
}

int op_postponed_set_up(void (*take)(const struct op_unmapping *unmapping))
{
	struct place *place;
	unsigned int cpu;
	int i;

	places = kvcalloc(num_possible_cpus() * PLACES, sizeof(*places), GFP_KERNEL);
	if (!places)
		return -ENOMEM;
	take_fn = take;
	place = places;
	for_each_possible_cpu(cpu) {
		struct llist_head *free = per_cpu_ptr(&free_places, cpu);

		init_llist_head(free);
		for (i = 0; i < PLACES; i++, place++) {
			place->free = free;
			llist_add(&place->node, free);
		}
	}
	return 0;
}

void op_postponed_tear_down(void)
{
	irq_work_sync(&take_irq);
	cancel_work_sync(&take_work);
	op_postponed_take();
	kvfree(places);
	places = NULL;
}
