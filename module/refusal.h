/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a process was refused what it asked for, in the log.
 */
#ifndef OPROFILE_REFUSAL_H
#define OPROFILE_REFUSAL_H

#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>

/* One line, which names the process; few of them, however often it asks.  Context: process. */
#define op_log_refusal(format, ...)						\
	pr_err_ratelimited("process %d (%s): " format, task_tgid_nr(current),	\
			   current->comm, ##__VA_ARGS__)

#endif
