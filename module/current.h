/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the interrupted task says of itself.
 */
#ifndef OPROFILE_CURRENT_H
#define OPROFILE_CURRENT_H

#include <linux/compiler.h>
#include <linux/sched.h>

/**
 * op_current - a member of current, read by code that interrupts the task
 *
 * fork, exec and exit write pid, tgid, mm and flags with plain stores, on the CPU that runs the
 * task: an NMI that comes in the midst of them meets the old value or the new one, either of which
 * is right for its sample.
 *
 * Context: any.
 */
#define op_current(member) data_race(READ_ONCE(current->member))

#endif
