/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters as oprofilefs shows them: /dev/oprofile/N/{enabled,event,count,unit_mask,
 * kernel,user,extra}, {general,fixed,virtual}_counters, and as values of registers.
 */
#ifndef OPROFILE_X86_COUNTER_H
#define OPROFILE_X86_COUNTER_H

#include <linux/types.h>

#include "x86/model.h"

struct dentry;

/* The entries of one counter. */
struct op_x86_setting {
	unsigned long enabled;
	unsigned long event;
	unsigned long count; /* events between two samples */
	unsigned long unit_mask;
	unsigned long kernel; /* count in kernel code */
	unsigned long user;   /* count in user code */
	unsigned long extra;  /* further bits of the event select */
};

/**
 * struct op_x86_program - a counter as it is going to be programmed
 * @number: in oprofilefs, which is the event number of its samples
 * @hardware: the counter of the hardware
 * @fixed: one of the fixed counters
 * @control: value of the event select with the enable bit; of a fixed counter, its four bits,
 *	in their place
 * @select: the event select of a general counter that counts the same, for perf
 * @control_msr: where it goes
 * @counter_msr, @write_msr: where the counter is read and written
 * @global_bit: of this counter in the global registers
 * @count: events between two samples
 */
struct op_x86_program {
	u8 number;
	u8 hardware;
	bool fixed;
	u64 control;
	u64 select;
	u32 control_msr;
	u32 counter_msr;
	u32 write_msr;
	u64 global_bit;
	u64 count;
};

/**
 * op_x86_counters_create - make the directories of counters, and say how many of what there are
 * @offered: leave out the numbers that this says no to; NULL: none
 *
 * Context: process, may sleep.  Return: 0 or a negative errno.
 */
int op_x86_counters_create(struct dentry *root, const struct op_x86_model *model,
			   bool (*offered)(const struct op_x86_model *model, unsigned int number));

/**
 * op_x86_counter_compile - from settings to register values
 * @number: of the counter in oprofilefs
 * @program: filled in
 *
 * Return: 0; -EINVAL, with a message in the log, for settings that contradict each other: no
 * count, neither kernel nor user, or an event that a fixed counter does not count.
 */
int op_x86_counter_compile(const struct op_x86_model *model, unsigned int number,
			   const struct op_x86_setting *setting, struct op_x86_program *program);

/**
 * op_x86_counters_compile - all enabled counters, by number
 * @programs: room for OP_X86_NUMBERS_MAX of them
 *
 * Return: how many there are; -EINVAL, with a message in the log, if one is invalid or
 * none is enabled.
 */
int op_x86_counters_compile(const struct op_x86_model *model, struct op_x86_program *programs);

#endif
