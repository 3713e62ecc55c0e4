// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of counters.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "suite.h"

#include "x86/machines.h"
#include "x86/settings.h"

#include "x86/plan.c"

static struct op_x86_model model;
static struct op_x86_plan plan;

/* Lists of numbers; the first column ends with NONE. */
#define NONE 0xff

static const struct grouping {
	const char *what;
	const struct machine *machine;
	u8 enabled[12];
	u8 groups[4][6];
	u8 hardware[8];
	u64 global_bits; /* of the plan */
	bool has_fixed;
} groupings[] = {
	{ "all fit", &machine_nehalem, { 0, 3, NONE }, { { 0, 3, NONE }, { NONE } },
	  { 0, 3, NONE }, 0x9, false },
	{ "two groups on one counter", &machine_nehalem, { 1, 8, NONE },
	  { { 1, NONE }, { 8, NONE }, { NONE } }, { 1, NONE }, 0x2, false },
	{ "a turn that nobody has is left out", &machine_core2, { 0, 9, NONE },
	  { { 0, NONE }, { 9, NONE }, { NONE } }, { 0, NONE }, 0x1, false },
	{ "fixed ones are in all groups", &machine_core2, { 0, 2, 6, 8, NONE },
	  { { 0, 2, NONE }, { 2, 6, NONE }, { 2, 8, NONE }, { NONE } }, { 0, 2, 1, NONE },
	  0x100000003, true },
	{ "fixed ones alone are one group", &machine_core2, { 2, 3, NONE },
	  { { 2, 3, NONE }, { NONE } }, { 2, 3, NONE }, 0x300000000, true },
	{ "no fixed ones in the way", &machine_family10, { 0, 4, 5, NONE },
	  { { 0, NONE }, { 4, 5, NONE }, { NONE } }, { 0, 1, NONE }, 0x3, false },
};

static void grouping_describe(const struct grouping *grouping, char *text)
{
	strscpy(text, grouping->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(grouping, groupings, grouping_describe);

static void enable(unsigned int number)
{
	struct op_x86_setting setting = {
		.enabled = 1, .event = 0xc0, .count = 1000 + number, .kernel = 1, .user = 1,
	};

	/* The second fixed counter counts cycles. */
	if (model.nr_fixed && number == model.nr_general + 1)
		setting.event = 0x3c;
	settings_put(number, &setting);
}

static void plan_groups(struct kunit *test)
{
	const struct grouping *g = test->param_value;
	unsigned int i, j;

	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&g->machine->identity, &model));
	for (i = 0; g->enabled[i] != NONE; i++)
		enable(g->enabled[i]);
	memset(&plan, 0xff, sizeof(plan));
	KUNIT_ASSERT_EQ(test, op_x86_plan_make(&model, &plan), 0);

	KUNIT_EXPECT_PTR_EQ(test, plan.model, &model);
	KUNIT_ASSERT_EQ(test, plan.nr_numbers, i);
	for (i = 0; i < plan.nr_numbers; i++)
		KUNIT_EXPECT_EQ(test, plan.numbers[i], g->enabled[i]);

	for (i = 0; g->groups[i][0] != NONE; i++) {
		const struct op_x86_group *group = &plan.groups[i];
		u64 global_bits = 0, fixed_control = 0;

		KUNIT_ASSERT_LT(test, i, plan.nr_groups);
		for (j = 0; g->groups[i][j] != NONE; j++) {
			const struct op_x86_program *program = &group->programs[j];

			KUNIT_ASSERT_LT(test, j, group->nr_programs);
			KUNIT_EXPECT_EQ(test, program->number, g->groups[i][j]);
			KUNIT_EXPECT_EQ(test, program->count, 1000 + program->number);
			global_bits |= program->global_bit;
			fixed_control |= program->fixed ? program->control : 0;
		}
		KUNIT_EXPECT_EQ(test, group->nr_programs, j);
		KUNIT_EXPECT_EQ(test, group->global_bits, global_bits);
		KUNIT_EXPECT_EQ(test, group->fixed_control, fixed_control);
	}
	KUNIT_EXPECT_EQ(test, plan.nr_groups, i);

	for (i = 0; g->hardware[i] != NONE; i++) {
		KUNIT_ASSERT_LT(test, i, plan.nr_hardware);
		KUNIT_EXPECT_EQ(test, plan.hardware[i]->hardware, g->hardware[i]);
	}
	KUNIT_EXPECT_EQ(test, plan.nr_hardware, i);
	KUNIT_EXPECT_EQ(test, plan.has_fixed, g->has_fixed);
	KUNIT_EXPECT_EQ(test, plan.global_bits, g->global_bits);
}

/* As many as there can be: everything of a machine with one general counter, on each turn. */
static void plan_largest(struct kunit *test)
{
	const struct op_x86_identity identity = {
		.vendor = OP_X86_INTEL, .family = 6, .model = 0xff, .leaf_a_eax = 0x07300102,
		.leaf_a_edx = 0x601,
	};
	static const struct op_x86_setting fixed = {
		.enabled = 1, .event = 0xc0, .count = 999, .user = 1,
	};
	unsigned int number, i, programs = 0;

	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&identity, &model));
	KUNIT_ASSERT_EQ(test, op_x86_numbers(&model), 32);
	for (number = 0; number < 32; number++)
		enable(number);
	/* The fixed one's event is that of number 1 here. */
	KUNIT_ASSERT_EQ(test, model.nr_fixed, 1);
	settings_put(1, &fixed);
	KUNIT_ASSERT_EQ(test, op_x86_plan_make(&model, &plan), 0);
	KUNIT_EXPECT_EQ(test, plan.nr_groups, 31);
	for (i = 0; i < plan.nr_groups; i++)
		programs += plan.groups[i].nr_programs;
	KUNIT_EXPECT_EQ(test, programs, 62);
	KUNIT_EXPECT_LE(test, programs, (unsigned int)OP_X86_PROGRAMS_MAX);
	KUNIT_EXPECT_EQ(test, plan.nr_hardware, 2);
}

/* What the counters refuse, the plan refuses, and it is empty then. */
static void plan_refused(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&machine_core2.identity, &model));
	KUNIT_EXPECT_EQ(test, op_x86_plan_make(&model, &plan), -EINVAL);
	KUNIT_EXPECT_EQ(test, plan.nr_groups, 0);
	enable(0);
	settings_put(5, &(struct op_x86_setting){ .enabled = 1, .event = 0xc0, .user = 1 });
	KUNIT_EXPECT_EQ(test, op_x86_plan_make(&model, &plan), -EINVAL);
	KUNIT_EXPECT_EQ(test, plan.nr_groups, 0);
}

static int plan_init(struct kunit *test)
{
	settings_clear();
	return 0;
}

static void plan_exit(struct kunit *test)
{
	settings_clear();
}

TEST_SUITE(oprofile_x86_plan, plan_init, plan_exit,
	   KUNIT_CASE_PARAM(plan_groups, grouping_gen_params),
	   KUNIT_CASE(plan_largest),
	   KUNIT_CASE(plan_refused));
