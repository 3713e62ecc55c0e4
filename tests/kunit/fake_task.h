/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whom and what a sample interrupts, as the test wants it.
 */
#ifndef OPROFILE_KUNIT_FAKE_TASK_H
#define OPROFILE_KUNIT_FAKE_TASK_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <kunit/test.h>

/* The task that oprofile_add_sample() believes in; NULL, as outside of suites: the real one. */
extern struct task_struct *fake_current;

#define FAKE_TASKS_MOST 16

/* Those that op_context_grab() finds by their numbers; with none, it finds the real ones. */
extern struct task_struct *fake_tasks[FAKE_TASKS_MOST];
extern unsigned int nr_fake_tasks;

/* A task with these numbers in this address space (NULL: it has left it), freed with the test. */
static inline struct task_struct *fake_task(struct kunit *test, pid_t tgid, pid_t pid,
					    struct mm_struct *mm)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	task->tgid = tgid;
	task->pid = pid;
	task->mm = mm;
	return task;
}

/* The same, which is found by its numbers until nr_fake_tasks is 0: the end of the suite's case. */
static inline struct task_struct *fake_task_found(struct kunit *test, pid_t tgid, pid_t pid,
						  struct mm_struct *mm)
{
	struct task_struct *task = fake_task(test, tgid, pid, mm);
	struct signal_struct *signal = kunit_kzalloc(test, sizeof(*signal), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, signal);
	KUNIT_ASSERT_LT(test, nr_fake_tasks, FAKE_TASKS_MOST);
	INIT_LIST_HEAD(&signal->thread_head);
	list_add(&task->thread_node, &signal->thread_head);
	task->signal = signal;
	spin_lock_init(&task->alloc_lock);
	RCU_INIT_POINTER(task->real_cred, current_cred());
	fake_tasks[nr_fake_tasks++] = task;
	return task;
}

/* Another thread of the process of @leader, in @mm. */
static inline struct task_struct *fake_thread_found(struct kunit *test, struct task_struct *leader,
						    pid_t pid, struct mm_struct *mm)
{
	struct task_struct *task = fake_task_found(test, leader->tgid, pid, mm);

	list_move_tail(&task->thread_node, &leader->signal->thread_head);
	task->signal = leader->signal;
	return task;
}

static inline void fake_regs(struct pt_regs *regs, bool user, unsigned long pc)
{
	memset(regs, 0, sizeof(*regs));
#ifdef CONFIG_UML
	regs->regs.is_user = user;
	PT_REGS_IP(regs) = pc;
#else
	regs->cs = user ? __USER_CS : __KERNEL_CS;
	regs->ip = pc;
#endif
}

#endif
