// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of counters, on machines made of memory.  pmu_test.c has what becomes of overflows,
 * and what is written to registers, bit for bit.
 */
#include <linux/kprobes.h>
#include <linux/string.h>

#include <asm/apicdef.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>

#include "suite.h"

#include "x86/fake_msr.h"
#include "x86/samples.h"

#include "x86/registers.c"

#define PERIOD 1000

static const struct op_x86_setting instructions = {
	.enabled = 1, .event = 0xc0, .count = PERIOD, .kernel = 1, .user = 1,
};

static const struct machine *const machines[] = {
	&machine_pentium3, &machine_core, &machine_core2, &machine_nehalem, &machine_skylake,
	&machine_sapphire, &machine_hypervisor, &machine_family10, &machine_family15,
	&machine_zen4,
};

static void machine_describe(const struct machine *const *machine, char *text)
{
	strscpy(text, (*machine)->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(machine, machines, machine_describe);

/* Two counters that count, and what the registers held before. */
static const struct op_x86_group *run_group(struct kunit *test, struct op_x86_saved *saved)
{
	const struct op_x86_group *group = &fake_plan.groups[0];
	static u64 left[OP_X86_NUMBERS_MAX];

	left[0] = PERIOD;
	left[1] = PERIOD;
	settings_put(0, &instructions);
	settings_put(1, &instructions);
	fake_pmu_set_up(test, *(const struct machine *const *)test->param_value);
	op_x86_registers_save(&fake_plan, saved);
	op_x86_registers_halt(&fake_plan);
	op_x86_registers_forget_overflows(&fake_plan);
	op_x86_group_set(&fake_plan, group, left);
	op_x86_group_run(&fake_plan, group);
	return group;
}

static void registers_restored(struct kunit *test)
{
	static struct op_x86_saved saved; /* large */

	run_group(test, &saved);
	fake_msr_count(0, PERIOD + 3);
	KUNIT_EXPECT_NE(test, fake_msr_changed(), 0);
	op_x86_registers_halt(&fake_plan);
	op_x86_registers_forget_overflows(&fake_plan);
	op_x86_registers_restore(&fake_plan, &saved);
	KUNIT_EXPECT_EQ(test, fake_msr_changed(), 0);
}

static void registers_tell_overflows(struct kunit *test)
{
	static struct op_x86_saved saved;
	const struct op_x86_group *group = run_group(test, &saved);

	fake_msr_count(0, PERIOD - 1);
	KUNIT_EXPECT_EQ(test, op_x86_group_overflowed(&fake_model, group), 0);
	fake_msr_count(0, 1);
	KUNIT_EXPECT_EQ(test, op_x86_group_overflowed(&fake_model, group), 1);
	fake_msr_count(1, PERIOD);
	op_x86_group_stop(&fake_model, group);
	KUNIT_EXPECT_EQ(test, op_x86_group_overflowed(&fake_model, group), 2);
}

static void registers_stop_group(struct kunit *test)
{
	static struct op_x86_saved saved;
	const struct op_x86_group *group = run_group(test, &saved);

	op_x86_group_stop(&fake_model, group);
	fake_msr_count(0, PERIOD);
	fake_msr_count(1, PERIOD);
	KUNIT_EXPECT_EQ(test, op_x86_group_overflowed(&fake_model, group), 0);
	KUNIT_EXPECT_EQ(test, fake_msr_nmis(), 0);
}

TEST_SUITE(oprofile_x86_registers, fake_pmu_init, fake_pmu_exit,
	   KUNIT_CASE_PARAM(registers_restored, machine_gen_params),
	   KUNIT_CASE_PARAM(registers_tell_overflows, machine_gen_params),
	   KUNIT_CASE_PARAM(registers_stop_group, machine_gen_params));
