// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sharing out the enabled counters to groups.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "x86/plan.h"

static void add_program(struct op_x86_group *group, struct op_x86_program *slot,
			const struct op_x86_program *program)
{
	*slot = *program;
	group->nr_programs++;
	group->global_bits |= program->global_bit;
	if (program->fixed)
		group->fixed_control |= program->control;
}

static bool is_in_group(const struct op_x86_model *model, const struct op_x86_program *program,
			unsigned int number)
{
	return !program->fixed && op_x86_group_number(model, program->number) == number;
}

/*
 * Group @number; none if it has no general counter, except the first one, which holds the fixed
 * counters if there is nothing else.
 */
static void make_group(struct op_x86_plan *plan, struct op_x86_program **free,
		       const struct op_x86_program *enabled, int nr, unsigned int number,
		       bool needed)
{
	struct op_x86_group *group = &plan->groups[plan->nr_groups];
	int i;

	for (i = 0; !needed && i < nr; i++)
		needed = is_in_group(plan->model, &enabled[i], number);
	if (!needed)
		return;
	group->programs = *free;
	for (i = 0; i < nr; i++) {
		if (enabled[i].fixed || is_in_group(plan->model, &enabled[i], number))
			add_program(group, (*free)++, &enabled[i]);
	}
	plan->nr_groups++;
}

static void note_hardware(struct op_x86_plan *plan, const struct op_x86_group *group)
{
	DECLARE_BITMAP(noted, OP_X86_COUNTERS_MAX) = { 0 };
	unsigned int i;

	for (i = 0; i < plan->nr_hardware; i++)
		__set_bit(plan->hardware[i]->hardware, noted);
	for (i = 0; i < group->nr_programs; i++) {
		const struct op_x86_program *program = &group->programs[i];

		if (__test_and_set_bit(program->hardware, noted))
			continue;
		plan->hardware[plan->nr_hardware++] = program;
		plan->global_bits |= program->global_bit;
		plan->has_fixed |= program->fixed;
	}
}

static void make_plan(struct op_x86_plan *plan, const struct op_x86_program *enabled, int nr)
{
	struct op_x86_program *free = plan->programs;
	unsigned int number;
	int i;

	for (i = 0; i < nr; i++)
		plan->numbers[plan->nr_numbers++] = enabled[i].number;
	for (number = 0; number < OP_X86_GROUPS_MAX; number++)
		make_group(plan, &free, enabled, nr, number, false);
	if (!plan->nr_groups)
		make_group(plan, &free, enabled, nr, 0, true);
	for (i = 0; i < plan->nr_groups; i++)
		note_hardware(plan, &plan->groups[i]);
}

int op_x86_plan_make(const struct op_x86_model *model, struct op_x86_plan *plan)
{
	struct op_x86_program *enabled;
	int nr;

	enabled = kcalloc(OP_X86_NUMBERS_MAX, sizeof(*enabled), GFP_KERNEL);
	if (!enabled)
		return -ENOMEM;
	memset(plan, 0, sizeof(*plan));
	plan->model = model;
	nr = op_x86_counters_compile(model, enabled);
	if (nr > 0)
		make_plan(plan, enabled, nr);
	kfree(enabled);
	return nr < 0 ? nr : 0;
}
