// SPDX-License-Identifier: GPL-2.0-only
/*
 * One bug of each kind that a sanitised kernel is there to see, to prove that it sees it and
 * that the harness hears of it.  Nothing of it does harm to a kernel without sanitisers.
 *
 *	insmod seeded.ko bug=use-after-free	reads an object that was freed
 *	insmod seeded.ko bug=out-of-bounds	reads behind an object
 *	insmod seeded.ko bug=sleep		may sleep with a spinlock held
 *	insmod seeded.ko bug=locks		takes two locks in one order, then in the other
 *	insmod seeded.ko bug=rcu		dereferences an RCU pointer without its lock
 *	insmod seeded.ko bug=object		frees a timer that is running
 *	insmod seeded.ko bug=leak		forgets an object
 *	insmod seeded.ko bug=race		two threads count up without a lock
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>

static char *bug = "";
module_param(bug, charp, 0);

static int use_after_free(void)
{
	int *object = kmalloc(sizeof(*object), GFP_KERNEL);

	if (!object)
		return -ENOMEM;
	kfree(object);
	OPTIMIZER_HIDE_VAR(object);
	return READ_ONCE(*object) & 0;
}

static int out_of_bounds(void)
{
	u8 *object = kmalloc(13, GFP_KERNEL);
	int value;

	if (!object)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(object);
	value = READ_ONCE(object[13]) & 0;
	kfree(object);
	return value;
}

static DEFINE_SPINLOCK(spinlock);

static int sleep_in_atomic(void)
{
	void *object;

	spin_lock(&spinlock);
	object = kmalloc(8, GFP_KERNEL);
	spin_unlock(&spinlock);
	kfree(object);
	return 0;
}

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static int lock_inversion(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
	return 0;
}

static int number;
static int __rcu *protected;

static int rcu_unlocked(void)
{
	rcu_assign_pointer(protected, &number);
	return *rcu_dereference(protected);
}

static void timer_ends(struct timer_list *timer)
{
}

static int active_object(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return -ENOMEM;
	timer_setup(timer, timer_ends, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
	return 0;
}

static int leak(void)
{
	void *object = kmalloc(1000, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(object);
	return object ? 0 : -ENOMEM;
}

static int counter;

static int count_up(void *finished)
{
	int i;

	for (i = 0; i < 200000; i++) {
		counter++;
		barrier();
		if (!(i & 1023))
			cond_resched();
	}
	kthread_complete_and_exit(finished, 0);
}

static int race(void)
{
	static struct completion finished[2];
	struct task_struct *task;
	int i;

	for (i = 0; i < 2; i++) {
		init_completion(&finished[i]);
		task = kthread_create(count_up, &finished[i], "seeded/%d", i);
		if (IS_ERR(task))
			return PTR_ERR(task);
		kthread_bind(task, i);
		wake_up_process(task);
	}
	wait_for_completion(&finished[0]);
	wait_for_completion(&finished[1]);
	return 0;
}

static const struct {
	const char *name;
	int (*make)(void);
} bugs[] = {
	{ "use-after-free", use_after_free },
	{ "out-of-bounds", out_of_bounds },
	{ "sleep", sleep_in_atomic },
	{ "locks", lock_inversion },
	{ "rcu", rcu_unlocked },
	{ "object", active_object },
	{ "leak", leak },
	{ "race", race },
};

static int __init seeded_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (!strcmp(bug, bugs[i].name))
			return bugs[i].make();
	}
	pr_err("seeded: no such bug: %s\n", bug);
	return -EINVAL;
}

static void __exit seeded_exit(void)
{
}

module_init(seeded_init);
module_exit(seeded_exit);
MODULE_DESCRIPTION("Bugs on purpose, for tests of the sanitised kernels");
MODULE_LICENSE("GPL");
