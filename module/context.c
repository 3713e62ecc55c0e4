// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the numbers of a task to its address space.
 */
#include <linux/cred.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "context.h"
#include "images/account.h"

#define THREADS_MOST 64 /* of a process that are asked, if the one that was sampled has ended */

static struct task_struct *find_task(u32 pid)
{
	return pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
}

/*
 * Has the task the address space of the context?  One exec cannot put another one into the same
 * memory, as the old one is there until then; it counts up a little later than it gives the new
 * one.
 */
static bool still_has(const struct task_struct *task, const struct op_context *context)
{
	u32 execs = (u32)READ_ONCE(task->self_exec_id) - context->exec_id;

	return task->mm == context->mm && execs <= 1 && !(task->flags & PF_KTHREAD);
}

/* While the task is locked, it keeps its address space. */
static struct mm_struct *grab_from(struct task_struct *task, struct op_context *context)
{
	struct mm_struct *mm = NULL;

	task_lock(task);
	if (still_has(task, context))
		mm = task->mm;
	if (mm) {
		mmgrab(mm);
		context->account = op_account_of(__task_cred(task));
	}
	task_unlock(task);
	return mm;
}

static struct mm_struct *grab_from_process(u32 tgid, struct op_context *context)
{
	struct task_struct *leader = find_task(tgid), *thread;
	unsigned int left = THREADS_MOST;
	struct mm_struct *mm;

	if (!leader)
		return NULL;
	for_each_thread(leader, thread) {
		mm = grab_from(thread, context);
		if (mm || !--left)
			return mm;
	}
	return NULL;
}

struct mm_struct *op_context_grab(struct op_context *context)
{
	struct mm_struct *mm = NULL;
	struct task_struct *task;

	rcu_read_lock();
	task = find_task(context->pid);
	if (task)
		mm = grab_from(task, context);
	if (!mm)
		mm = grab_from_process(context->tgid, context);
	if (!mm && context->lender)
		mm = grab_from_process(context->lender, context);
	rcu_read_unlock();
	return mm;
}
