/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the CPUs are to count: the enabled counters, as groups that are multiplexed.
 *
 * The counters of a group are counted at the same time.  If all fit, there is one group, and
 * nothing is multiplexed.
 */
#ifndef OPROFILE_X86_PLAN_H
#define OPROFILE_X86_PLAN_H

#include "x86/counter.h"
#include "x86/model.h"

/* As many as there are numbers, if the CPU has one general counter. */
#define OP_X86_GROUPS_MAX OP_X86_NUMBERS_MAX
/* The fixed counters are in all groups. */
#define OP_X86_PROGRAMS_MAX (OP_X86_NUMBERS_MAX + OP_X86_FIXED_MAX * OP_X86_GROUPS_MAX)

/**
 * struct op_x86_group - what is counted at the same time
 * @fixed_control: the bits of all its fixed counters
 * @global_bits: of all its counters
 */
struct op_x86_group {
	const struct op_x86_program *programs;
	unsigned int nr_programs;
	u64 fixed_control;
	u64 global_bits;
};

/**
 * struct op_x86_plan - constant while CPUs are started
 * @groups: @nr_groups of them; one at least
 * @numbers: of the counters that are enabled
 * @hardware: a program of each of the hardware's counters that any group uses
 * @has_fixed: there are fixed counters among them
 * @global_bits: of all of them
 */
struct op_x86_plan {
	const struct op_x86_model *model;
	unsigned int nr_groups;
	struct op_x86_group groups[OP_X86_GROUPS_MAX];
	unsigned int nr_numbers;
	u8 numbers[OP_X86_NUMBERS_MAX];
	unsigned int nr_hardware;
	const struct op_x86_program *hardware[OP_X86_COUNTERS_MAX];
	bool has_fixed;
	u64 global_bits;
	struct op_x86_program programs[OP_X86_PROGRAMS_MAX];
};

/**
 * op_x86_plan_make - from what is enabled in oprofilefs
 * @plan: filled in; it holds pointers into itself
 *
 * Context: process.  Return: 0; -ENOMEM; -EINVAL, with a message in the log, as of
 * op_x86_counters_compile().
 */
int op_x86_plan_make(const struct op_x86_model *model, struct op_x86_plan *plan);

#endif
