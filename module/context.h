/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts: the task that samples belong to, and the way back to its address space.
 *
 * A sample is resolved a quarter of a second after it was taken, or later.  Its task may have ended
 * by then, so a context names it and refers to nothing: an mm_struct that is held (mmgrab) would
 * stay in the memory control group of a process that is dead, 9 kB each, and their number would be
 * the process's choice.  What the address space of a dead process was is remembered elsewhere
 * (images/unmapped.h).
 */
#ifndef OPROFILE_CONTEXT_H
#define OPROFILE_CONTEXT_H

#include <linux/types.h>

struct mm_struct;

/**
 * struct op_context - a task in an address space
 * @pid, @tgid: as the initial namespace numbers them
 * @lender: tgid of who lent the address space to a child of vfork(); 0: nobody
 * @exec_id: the task's self_exec_id, which each exec counts up, and fork and clone copy
 * @account: of its user, see images/account.h; known if the task was found
 * @mm: where its mm_struct was; compared, never followed: another one may be there now.  NULL
 *	without an address space
 * @app: cookie of the program
 */
struct op_context {
	u32 pid;
	u32 tgid;
	u32 lender;
	u32 exec_id;
	u16 account;
	const struct mm_struct *mm;
	u64 app;
};

/**
 * op_context_grab - the address space of a context, if somebody still runs in it
 * @context: with an mm; @account is written
 *
 * Looks for the task, for others of its process, of which 64 are looked at, and for @lender.  One
 * that has called exec twice since, and has got the memory of its former mm_struct again, is known
 * by @exec_id.
 *
 * Context: process.  Return: an mm_struct with a reference (mmdrop() it), which may lose its last
 * user at any time; NULL: nobody has it any more.
 */
struct mm_struct *op_context_grab(struct op_context *context);

#endif
