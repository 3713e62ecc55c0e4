// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a context back to the address space that somebody still has.
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

#include "suite.h"

#include "fake_mm.h"
#include "fake_task.h"

struct task_struct *fake_tasks[FAKE_TASKS_MOST];
unsigned int nr_fake_tasks;

/* Seam: made-up tasks, while there are any. */
static struct task_struct *seam_pid_task(u32 number)
{
	unsigned int i;

	for (i = 0; i < nr_fake_tasks; i++) {
		if (fake_tasks[i]->pid == number)
			return fake_tasks[i];
	}
	return nr_fake_tasks ? NULL : pid_task(find_pid_ns(number, &init_pid_ns), PIDTYPE_PID);
}

#define pid_task(unused, type) seam_pid_task(pid)

#include "context.c"

static struct mm_struct *mm, *other_mm;

#define EXEC_ID 7

/* Is what is found @mm?  The reference is dropped. */
static bool finds_after(u32 exec_id, u32 tgid, u32 pid, u32 lender)
{
	struct op_context context = {
		.pid = pid, .tgid = tgid, .lender = lender, .exec_id = exec_id, .mm = mm,
	};
	struct mm_struct *found = op_context_grab(&context);

	if (found)
		mmdrop(found);
	return found == mm;
}

static bool finds(u32 tgid, u32 pid, u32 lender)
{
	return finds_after(0, tgid, pid, lender);
}

static void context_task(struct kunit *test)
{
	struct op_context context = { .pid = 10, .tgid = 10, .mm = mm };

	fake_task_found(test, 10, 10, mm);
	KUNIT_ASSERT_PTR_EQ(test, op_context_grab(&context), mm);
	KUNIT_EXPECT_EQ(test, atomic_read(&mm->mm_count), 2);
	mmdrop(mm);
	KUNIT_EXPECT_FALSE(test, finds(11, 11, 0));
}

/* Its number is another task's by now, or it runs another program, or nothing of its own. */
static void context_task_of_another(struct kunit *test)
{
	struct task_struct *task = fake_task_found(test, 10, 10, other_mm);

	KUNIT_EXPECT_FALSE(test, finds(10, 10, 0));
	task->mm = NULL;
	KUNIT_EXPECT_FALSE(test, finds(10, 10, 0));
	task->mm = mm;
	task->flags = PF_KTHREAD; /* borrowed */
	KUNIT_EXPECT_FALSE(test, finds(10, 10, 0));
	KUNIT_EXPECT_EQ(test, atomic_read(&mm->mm_count), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&other_mm->mm_count), 1);
}

/*
 * What is in the memory of an mm_struct after two exec, of the task or of its process, is another.
 */
static void context_exec(struct kunit *test)
{
	struct task_struct *task = fake_task_found(test, 10, 10, mm);

	task->self_exec_id = EXEC_ID;
	KUNIT_EXPECT_TRUE(test, finds_after(EXEC_ID, 10, 10, 0));
	task->self_exec_id++; /* the sample came just before it was counted up */
	KUNIT_EXPECT_TRUE(test, finds_after(EXEC_ID, 10, 10, 0));
	task->self_exec_id++;
	KUNIT_EXPECT_FALSE(test, finds_after(EXEC_ID, 10, 10, 0));
	KUNIT_EXPECT_FALSE(test, finds_after(EXEC_ID, 10, 12, 0));
	KUNIT_EXPECT_FALSE(test, finds_after(EXEC_ID, 20, 20, 10));
	KUNIT_EXPECT_FALSE(test, finds_after(EXEC_ID + 3, 10, 10, 0));
}

/* A thread has ended, and perhaps the first one, too; others go on. */
static void context_thread(struct kunit *test)
{
	struct task_struct *leader = fake_task_found(test, 10, 10, mm);

	KUNIT_EXPECT_TRUE(test, finds(10, 12, 0));
	leader->mm = NULL;
	KUNIT_EXPECT_FALSE(test, finds(10, 12, 0));
	fake_thread_found(test, leader, 13, mm);
	KUNIT_EXPECT_TRUE(test, finds(10, 12, 0));
}

/* A child of vfork() has called exec, or has ended. */
static void context_lent(struct kunit *test)
{
	fake_task_found(test, 10, 10, mm);
	fake_task_found(test, 20, 20, other_mm);
	KUNIT_EXPECT_FALSE(test, finds(20, 20, 0));
	KUNIT_EXPECT_TRUE(test, finds(20, 20, 10));
	KUNIT_EXPECT_TRUE(test, finds(21, 21, 10));
}

/* This very task, by the kernel's own tables. */
static void context_real(struct kunit *test)
{
	struct mm_struct *own = current->mm;

	current->mm = mm; /* as kthread_use_mm() does: it is a kernel thread, and has nothing */
	KUNIT_EXPECT_FALSE(test, finds(current->tgid, current->pid, 0));
	current->mm = own;
	KUNIT_EXPECT_FALSE(test, finds(1, 1, 0));
	KUNIT_EXPECT_FALSE(test, finds(U32_MAX, U32_MAX, U32_MAX));
}

static int context_init(struct kunit *test)
{
	mm = fake_mm(test, NULL);
	other_mm = fake_mm(test, NULL);
	return 0;
}

static void context_exit(struct kunit *test)
{
	nr_fake_tasks = 0;
	fake_mm_end(test, mm);
	fake_mm_end(test, other_mm);
}

TEST_SUITE(oprofile_context, context_init, context_exit,
	   KUNIT_CASE(context_task),
	   KUNIT_CASE(context_task_of_another),
	   KUNIT_CASE(context_exec),
	   KUNIT_CASE(context_thread),
	   KUNIT_CASE(context_lent),
	   KUNIT_CASE(context_real));
