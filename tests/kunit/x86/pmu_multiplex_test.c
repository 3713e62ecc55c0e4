// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of counters that are multiplexed on one CPU, and throttling.
 */
#include <linux/smp.h>

#include "suite.h"

#include "x86/samples.h"
#include "x86/throttle.h"
#include "x86/times_sums.h"

static struct pt_regs *const at_switch = (struct pt_regs *)0x1000;

static void enable(unsigned int number, unsigned long count)
{
	const struct op_x86_setting setting = {
		.enabled = 1, .event = 0xc0, .count = count, .kernel = 1, .user = 1,
	};

	settings_put(number, &setting);
}

/* Of which number's turn a machine's first virtual counter is, on counter 0. */
static unsigned int first_virtual(const struct machine *machine)
{
	unsigned int fixed = machine->pmu.nr_fixed;

	return machine->pmu.nr_general + (fixed > 3 ? 3 : fixed);
}

static const struct machine *const machines[] = {
	&machine_pentium3, &machine_core, &machine_core2, &machine_skylake, &machine_family10,
	&machine_family15, &machine_zen4,
};

static void machine_describe(const struct machine *const *machine, char *text)
{
	strscpy(text, (*machine)->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(machine, machines, machine_describe);

static const struct machine *machine_of(struct kunit *test)
{
	return *(const struct machine *const *)test->param_value;
}

/* No event is lost or counted twice: each counter goes on where it was. */
static void multiplex_continues_each_counter(struct kunit *test)
{
	const struct machine *machine = machine_of(test);
	const struct fake_pmu *pmu = &machine->pmu;
	unsigned int second = first_virtual(machine);
	u64 mask = GENMASK_ULL(pmu->bits - 1, 0);

	enable(0, 1000);
	enable(second, 3000);
	fake_pmu_set_up(test, machine);
	op_x86_pmu_start(&fake_plan);
	fake_msr_count(0, 400);
	op_x86_pmu_switch(at_switch);
	KUNIT_EXPECT_EQ(test, fake_msr_get(pmu->counter), -3000ULL & mask);
	fake_msr_count(0, 2900);
	op_x86_pmu_switch(at_switch);
	KUNIT_EXPECT_EQ(test, fake_msr_get(pmu->counter), -600ULL & mask);
	fake_msr_count(0, 599);
	KUNIT_EXPECT_EQ(test, fake_msr_nmis(), 0);
	fake_msr_count(0, 1);
	KUNIT_EXPECT_EQ(test, fake_msr_nmis(), 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	op_x86_pmu_switch(at_switch);
	KUNIT_EXPECT_EQ(test, fake_msr_get(pmu->counter), -100ULL & mask);
	fake_msr_count(0, 100);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_ASSERT_EQ(test, fake_samples.nr, 2);
	KUNIT_EXPECT_EQ(test, fake_samples.number[0], 0);
	KUNIT_EXPECT_EQ(test, fake_samples.number[1], second);
	KUNIT_EXPECT_EQ(test, fake_log.interrupts_lost, 0);

	op_x86_pmu_stop();
	KUNIT_EXPECT_EQ(test, fake_msr_changed(), 0);
}

/* What ran for how long, in a table of switches; the time of switches is nobody's. */
static void multiplex_times_each_group(struct kunit *test)
{
	unsigned int second = first_virtual(&machine_core2), cpu = smp_processor_id();

	enable(0, 1000);
	enable(2, 5000); /* fixed: in both groups */
	enable(second, 3000);
	fake_pmu_set_up(test, &machine_core2);
	fake_ns = 100;
	op_x86_pmu_start(&fake_plan);
	fake_ns = 1100;
	op_x86_pmu_switch(at_switch);
	fake_ns = 1400;
	op_x86_pmu_switch(at_switch);
	fake_ns = 3400;
	op_x86_pmu_stop();
	KUNIT_EXPECT_EQ(test, times_enabled(cpu, 0), 3300);
	KUNIT_EXPECT_EQ(test, times_running(cpu, 0), 3000);
	KUNIT_EXPECT_EQ(test, times_enabled(cpu, second), 3300);
	KUNIT_EXPECT_EQ(test, times_running(cpu, second), 300);
	KUNIT_EXPECT_EQ(test, times_enabled(cpu, 2), 3300);
	KUNIT_EXPECT_EQ(test, times_running(cpu, 2), 3300);
	KUNIT_EXPECT_EQ(test, times_enabled(cpu, 1), 0);
}

/*
 * What samples take, and the way of an NMI into the kernel and back, is nobody's: 2 ms a sample
 * here.
 */
static void multiplex_leaves_samples_out_of_times(struct kunit *test)
{
	unsigned int second = first_virtual(&machine_core2), cpu = smp_processor_id();

	enable(0, 1000);
	enable(second, 3000);
	fake_pmu_set_up(test, &machine_core2);
	op_x86_pmu_set_nmi_cost(tsc_khz);
	op_x86_pmu_start(&fake_plan);
	fake_cycles_step = tsc_khz; /* 1 ms */
	fake_msr_count(0, 1000);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	fake_msr_count(0, 1000);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	fake_ns = 7 * NSEC_PER_MSEC;
	op_x86_pmu_switch(at_switch);
	fake_ns = 9 * NSEC_PER_MSEC;
	op_x86_pmu_switch(at_switch);
	fake_msr_count(0, 1000);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	fake_ns = 10 * NSEC_PER_MSEC; /* a clock that is coarse: not less than nothing */
	op_x86_pmu_stop();
	KUNIT_EXPECT_EQ(test, times_running(cpu, 0), 3 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, times_running(cpu, second), 2 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, times_enabled(cpu, 0), 5 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, times_enabled(cpu, second), 5 * NSEC_PER_MSEC);
}

/*
 * An overflow whose NMI has not come when the groups switch: the switch makes the sample, and
 * the NMI that comes afterwards is claimed, once.
 */
static void multiplex_takes_overflow_before_switch(struct kunit *test)
{
	const struct machine *machine = machine_of(test);
	const struct fake_pmu *pmu = &machine->pmu;
	u64 mask = GENMASK_ULL(pmu->bits - 1, 0);

	enable(0, 1000);
	enable(first_virtual(machine), 3000);
	fake_pmu_set_up(test, machine);
	op_x86_pmu_start(&fake_plan);
	fake_msr_count(0, 1010);
	op_x86_pmu_switch(at_switch);
	KUNIT_ASSERT_EQ(test, fake_samples.nr, 1);
	KUNIT_EXPECT_EQ(test, fake_samples.number[0], 0);
	KUNIT_EXPECT_PTR_EQ(test, fake_samples.regs, at_switch);
	KUNIT_EXPECT_EQ(test, fake_msr_get(FAKE_LVTPC), 0x400);

	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	KUNIT_EXPECT_EQ(test, fake_samples.nr, 1);
	op_x86_pmu_switch(at_switch);
	KUNIT_EXPECT_EQ(test, fake_msr_get(pmu->counter), -990ULL & mask);
	op_x86_pmu_stop();
	KUNIT_EXPECT_EQ(test, fake_msr_changed(), 0);
}

static int said_in_switch;

static void overflow_in_switch(void)
{
	fake_msr_count(0, 1000);
	said_in_switch = fake_pmu_nmi();
}

/* The NMI comes in the midst of the switch: claimed there, sampled there, and not waited for. */
static void multiplex_takes_overflow_in_switch(struct kunit *test)
{
	const struct machine *machine = machine_of(test);
	const struct fake_pmu *pmu = &machine->pmu;

	enable(0, 1000);
	enable(first_virtual(machine), 3000);
	fake_pmu_set_up(test, machine);
	op_x86_pmu_start(&fake_plan);
	said_in_switch = -1;
	/* The first write that stops the group. */
	fake_msr_before(pmu->global_control ?: pmu->control, overflow_in_switch);
	op_x86_pmu_switch(at_switch);
	KUNIT_EXPECT_EQ(test, said_in_switch, 1);
	KUNIT_ASSERT_EQ(test, fake_samples.nr, 1);
	KUNIT_EXPECT_EQ(test, fake_samples.number[0], 0);
	/* The entry was masked when it was delivered; it must not stay so. */
	KUNIT_EXPECT_EQ(test, fake_msr_get(FAKE_LVTPC), 0x400);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	op_x86_pmu_stop();
	KUNIT_EXPECT_EQ(test, fake_msr_changed(), 0);
}

static int said_again;

static void two_overflow_in_switch(void)
{
	fake_msr_count(0, 1000);
	fake_msr_count(1, 1000);
	said_in_switch = fake_pmu_nmi();
	said_again = fake_pmu_nmi();
}

/* The same where the APIC leaves its entry unmasked: an NMI for each of two counters, no more. */
static void multiplex_takes_overflows_of_unmasked_entry(struct kunit *test)
{
	struct machine machine = machine_core2;

	machine.pmu.masks_lvtpc = false;
	enable(0, 1000);
	enable(1, 1000);
	enable(first_virtual(&machine), 3000);
	fake_pmu_set_up(test, &machine);
	op_x86_pmu_start(&fake_plan);
	said_in_switch = -1;
	said_again = -1;
	fake_msr_before(machine.pmu.global_control, two_overflow_in_switch);
	op_x86_pmu_switch(at_switch);
	KUNIT_EXPECT_EQ(test, said_in_switch, 1);
	KUNIT_EXPECT_EQ(test, said_again, 1);
	KUNIT_EXPECT_EQ(test, fake_samples.nr, 2);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);

	/* Both are found by the switch, and their NMIs come afterwards. */
	op_x86_pmu_switch(at_switch);
	fake_msr_count(0, 1000);
	fake_msr_count(1, 1000);
	op_x86_pmu_switch(at_switch);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);

	/* And if they never come, not for ever. */
	op_x86_pmu_switch(at_switch);
	fake_msr_count(0, 1000);
	op_x86_pmu_switch(at_switch);
	fake_cycles += 2ULL * tsc_khz; /* 2 ms */
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	op_x86_pmu_stop();
}

static void somebodys_nmi(void)
{
	said_in_switch = fake_pmu_nmi();
}

/* An NMI of somebody else in the midst of a switch is left to him, where the hardware can tell. */
static void multiplex_leaves_foreign_nmi(struct kunit *test)
{
	enable(0, 1000);
	enable(5, 3000);
	fake_pmu_set_up(test, &machine_core2);
	op_x86_pmu_start(&fake_plan);
	said_in_switch = -1;
	fake_msr_before(0x38f, somebodys_nmi);
	op_x86_pmu_switch(at_switch);
	KUNIT_EXPECT_EQ(test, said_in_switch, 0);
	KUNIT_EXPECT_EQ(test, fake_samples.nr, 0);
	op_x86_pmu_stop();
}

static unsigned int group_seen; /* the first counter's value while it was set up */

static void nmi_while_set_up(void)
{
	said_in_switch = fake_pmu_nmi();
	group_seen = fake_samples.nr;
}

/* Before the second group is complete, the handler must not look at its counters. */
static void multiplex_undoes_half_a_setup(struct kunit *test)
{
	enable(0, 1000);
	enable(2, 1000);
	enable(3, 3000);
	fake_pmu_set_up(test, &machine_core);
	op_x86_pmu_start(&fake_plan);
	said_in_switch = -1;
	/* Counter 1 is set after counter 0 was; before, its top bit is clear. */
	fake_msr_before(0xc2, nmi_while_set_up);
	op_x86_pmu_switch(at_switch);
	KUNIT_EXPECT_EQ(test, said_in_switch, 0);
	KUNIT_EXPECT_EQ(test, group_seen, 0);
	op_x86_pmu_stop();
	KUNIT_EXPECT_EQ(test, fake_msr_changed(), 0);
}

#define RUNS_BEFORE_DOUBLING (32 * OP_THROTTLE_RUNS_PER_TIMING)

/* Handling takes more than a quarter of the time: after 32 timed runs, periods double. */
static void multiplex_keeps_doubled_period(struct kunit *test)
{
	int i;

	enable(0, 1000);
	fake_pmu_set_up(test, &machine_core2);
	op_x86_pmu_start(&fake_plan);
	fake_cycles_step = 1000; /* a run takes as long as there is between two timed ones */
	for (i = 1; i <= RUNS_BEFORE_DOUBLING; i++) {
		fake_msr_count(0, 1000);
		KUNIT_ASSERT_EQ(test, fake_pmu_nmi(), 1);
		KUNIT_ASSERT_EQ(test, fake_msr_get(0xc1), 0xfffffffc18);
		KUNIT_ASSERT_EQ(test, fake_samples.throttled, i == RUNS_BEFORE_DOUBLING);
	}
	fake_msr_count(0, 1000 + 3);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_msr_get(0xc1), 0xfffffff833); /* -2000 + 3 */
	op_x86_pmu_stop();

	/* The next start begins with what was asked for. */
	op_x86_pmu_start(&fake_plan);
	KUNIT_EXPECT_EQ(test, fake_msr_get(0xc1), 0xfffffffc18);
	fake_msr_count(0, 1000);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_msr_get(0xc1), 0xfffffffc18);
	op_x86_pmu_stop();
}

/* A period that would not fit a counter any more stays what it is. */
static void multiplex_keeps_longest_period(struct kunit *test)
{
	int i;

	enable(0, 0x7fffffff);
	fake_pmu_set_up(test, &machine_core2);
	op_x86_pmu_start(&fake_plan);
	fake_cycles_step = 1000;
	for (i = 1; i <= RUNS_BEFORE_DOUBLING + 1; i++) {
		fake_msr_count(0, 0x7fffffff);
		KUNIT_ASSERT_EQ(test, fake_pmu_nmi(), 1);
	}
	KUNIT_EXPECT_EQ(test, fake_samples.throttled, 1);
	KUNIT_EXPECT_EQ(test, fake_msr_get(0xc1), 0xff80000001);
	op_x86_pmu_stop();
}

TEST_SUITE(oprofile_x86_pmu_multiplex, fake_pmu_init, fake_pmu_exit,
	   KUNIT_CASE_PARAM(multiplex_continues_each_counter, machine_gen_params),
	   KUNIT_CASE(multiplex_times_each_group),
	   KUNIT_CASE(multiplex_leaves_samples_out_of_times),
	   KUNIT_CASE_PARAM(multiplex_takes_overflow_before_switch, machine_gen_params),
	   KUNIT_CASE_PARAM(multiplex_takes_overflow_in_switch, machine_gen_params),
	   KUNIT_CASE(multiplex_takes_overflows_of_unmasked_entry),
	   KUNIT_CASE(multiplex_leaves_foreign_nmi),
	   KUNIT_CASE(multiplex_undoes_half_a_setup),
	   KUNIT_CASE(multiplex_keeps_doubled_period),
	   KUNIT_CASE(multiplex_keeps_longest_period));
