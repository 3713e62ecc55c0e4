/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whom and what a sample interrupts, as the test wants it.
 */
#ifndef OPROFILE_KUNIT_FAKE_TASK_H
#define OPROFILE_KUNIT_FAKE_TASK_H

#include <linux/ptrace.h>
#include <linux/sched.h>

#include <kunit/test.h>

/* The task that oprofile_add_sample() believes in; NULL, as outside of suites: the real one. */
extern struct task_struct *fake_current;

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
