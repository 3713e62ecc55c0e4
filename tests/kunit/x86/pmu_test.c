// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of one CPU, on machines made of memory: saved, programmed, overflown and restored,
 * compared bit for bit.  pmu_multiplex_test.c has the multiplexing.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include <asm/tsc.h>

#include "suite.h"

#include "cpu_buffer.h"
#include "x86/fake_msr.h"
#include "x86/samples.h"

struct fake_samples fake_samples;
u64 fake_ns;
u64 fake_cycles;
u64 fake_cycles_step;
struct op_x86_model fake_model;
struct op_x86_plan fake_plan;

static u64 seam_ktime_get_ns(void)
{
	return fake_ns;
}

static u64 seam_rdtsc(void)
{
	return fake_cycles += fake_cycles_step;
}

static void seam_add_weighted_sample(struct pt_regs *regs, u8 event, u64 weight)
{
	if (fake_samples.nr < FAKE_SAMPLES_MAX) {
		fake_samples.number[fake_samples.nr] = event;
		fake_samples.weight[fake_samples.nr] = weight;
	}
	fake_samples.nr++;
	fake_samples.regs = regs;
}

static void seam_add_sample(struct pt_regs *regs, u8 event)
{
	seam_add_weighted_sample(regs, event, 0);
}

static void seam_throttled(void)
{
	fake_samples.throttled++;
}

static void seam_guest(void)
{
	fake_samples.guest++;
}

/* Seams. */
#define op_cpu_stats_guest seam_guest
#define ktime_get_ns seam_ktime_get_ns
#define rdtsc seam_rdtsc
#define oprofile_add_sample seam_add_sample
#define oprofile_add_weighted_sample seam_add_weighted_sample
#define op_cpu_stats_throttled seam_throttled

#include "x86/pmu.c"

static struct pt_regs interrupted;

int fake_pmu_init(struct kunit *test)
{
	migrate_disable();
	memset(this_cpu_ptr(&cpu_pmu), 0, sizeof(cpu_pmu));
	settings_clear();
	return 0;
}

void fake_pmu_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, fake_log.faults, 0);
	memset(this_cpu_ptr(&cpu_pmu), 0, sizeof(cpu_pmu));
	settings_clear();
	migrate_enable();
}

void fake_pmu_set_up(struct kunit *test, const struct machine *machine)
{
	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&machine->identity, &fake_model));
	KUNIT_ASSERT_EQ(test, op_x86_plan_make(&fake_model, &fake_plan), 0);
	op_x86_times_reset();
	fake_msr_begin(&machine->pmu);
	memset(&fake_samples, 0, sizeof(fake_samples));
	memset(this_cpu_ptr(&cpu_pmu), 0, sizeof(cpu_pmu));
	fake_ns = 0;
	fake_cycles = 0;
	fake_cycles_step = 0;
}

int fake_pmu_nmi(void)
{
	return op_x86_pmu_handle(&interrupted);
}

/* Two general counters, and two fixed ones if there are. */
static const struct op_x86_setting both_rings = {
	.enabled = 1, .event = 0xc0, .count = 10007, .kernel = 1, .user = 1,
};

static const struct op_x86_setting user_only = {
	.enabled = 1, .event = 0x2e, .unit_mask = 0x41, .count = 5000, .user = 1,
};

static const struct op_x86_setting kernel_instructions = {
	.enabled = 1, .event = 0xc0, .count = 20011, .kernel = 1,
};

static const struct op_x86_setting user_cycles = {
	.enabled = 1, .event = 0x3c, .count = 600, .user = 1,
};

struct value {
	u32 msr;
	u64 value;
};

/* What the registers hold while it counts; a zero ends a list. */
static const struct programmed {
	const struct machine *machine;
	struct value values[12];
} programmeds[] = {
	{ &machine_pentium3, {
		{ 0x186, 0x5300c0 }, { 0x187, 0x11412e }, { 0xc1, 0xffffffd8e9 },
		{ 0xc2, 0xffffffec78 }, { FAKE_LVTPC, 0x400 } } },
	{ &machine_core, {
		{ 0x186, 0x5300c0 }, { 0x187, 0x51412e }, { 0xc1, 0xffffffd8e9 },
		{ 0xc2, 0xffffffec78 }, { FAKE_LVTPC, 0x400 } } },
	{ &machine_core2, {
		{ 0x186, 0x5300c0 }, { 0x187, 0x51412e }, { 0xc1, 0xffffffd8e9 },
		{ 0xc2, 0xffffffec78 }, { 0x309, 0xffffffb1d5 }, { 0x30a, 0xfffffffda8 },
		{ 0x38d, 0xa9 }, { 0x38f, 0x300000003 }, { 0x38e, 0 }, { FAKE_LVTPC, 0x400 } } },
	{ &machine_nehalem, {
		{ 0x186, 0x5300c0 }, { 0x187, 0x51412e }, { 0xc1, 0xffffffffd8e9 },
		{ 0xc2, 0xffffffffec78 }, { 0x309, 0xffffffffb1d5 }, { 0x30a, 0xfffffffffda8 },
		{ 0x38d, 0xa9 }, { 0x38f, 0x300000003 }, { 0x38e, 0 }, { FAKE_LVTPC, 0x400 } } },
	{ &machine_skylake, {
		{ 0x186, 0x5300c0 }, { 0x187, 0x51412e }, { 0xc1, 0xffffffffd8e9 },
		{ 0xc2, 0xffffffffec78 }, { 0x309, 0xffffffffb1d5 }, { 0x30a, 0xfffffffffda8 },
		{ 0x38d, 0xa9 }, { 0x38f, 0x300000003 }, { 0x38e, 0 }, { FAKE_LVTPC, 0x400 } } },
	{ &machine_sapphire, {
		{ 0x186, 0x5300c0 }, { 0x187, 0x51412e }, { 0xc1, 0xffffffffd8e9 },
		{ 0xc2, 0xffffffffec78 }, { 0x309, 0xffffffffb1d5 }, { 0x30a, 0xfffffffffda8 },
		{ 0x38d, 0xa9 }, { 0x38f, 0x300000003 }, { 0x38e, 0 }, { FAKE_LVTPC, 0x400 } } },
	{ &machine_hypervisor, {
		{ 0x186, 0x5300c0 }, { 0x187, 0x51412e }, { 0xc1, 0xffffffffd8e9 },
		{ 0xc2, 0xffffffffec78 }, { 0x38f, 0x3 }, { 0x38e, 0 }, { FAKE_LVTPC, 0x400 } } },
	{ &machine_family10, {
		{ 0xc0010000, 0x5300c0 }, { 0xc0010001, 0x51412e },
		{ 0xc0010004, 0xffffffffd8e9 }, { 0xc0010005, 0xffffffffec78 },
		{ FAKE_LVTPC, 0x400 } } },
	{ &machine_family15, {
		{ 0xc0010200, 0x5300c0 }, { 0xc0010202, 0x51412e },
		{ 0xc0010201, 0xffffffffd8e9 }, { 0xc0010203, 0xffffffffec78 },
		{ FAKE_LVTPC, 0x400 } } },
	{ &machine_zen4, {
		{ 0xc0010200, 0x5300c0 }, { 0xc0010202, 0x51412e },
		{ 0xc0010201, 0xffffffffd8e9 }, { 0xc0010203, 0xffffffffec78 },
		{ 0xc0000301, 0x3 }, { 0xc0000300, 0 }, { FAKE_LVTPC, 0x400 } } },
};

static void programmed_describe(const struct programmed *programmed, char *text)
{
	strscpy(text, programmed->machine->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(programmed, programmeds, programmed_describe);

static void set_up(struct kunit *test, const struct machine *machine)
{
	settings_clear();
	settings_put(0, &both_rings);
	settings_put(1, &user_only);
	if (machine->pmu.nr_fixed) {
		settings_put(machine->pmu.nr_general, &kernel_instructions);
		settings_put(machine->pmu.nr_general + 1, &user_cycles);
	}
	fake_pmu_set_up(test, machine);
}

/* Is it a register of the list, or another address of one? */
static bool may_be_written(const struct programmed *p, u32 msr)
{
	const struct fake_pmu *pmu = &p->machine->pmu;
	const struct value *value;

	if (msr == pmu->global_clear)
		return true;
	if (pmu->full_width && msr >= pmu->full_width && msr < pmu->full_width + pmu->nr_general)
		msr = pmu->counter + msr - pmu->full_width;
	for (value = p->values; value->msr; value++) {
		if (value->msr == msr)
			return true;
	}
	return false;
}

/* What is written is in the list, and all of the list is written. */
static void pmu_programmed(struct kunit *test)
{
	const struct programmed *p = test->param_value;
	const struct fake_pmu *pmu = &p->machine->pmu;
	const struct value *value;
	unsigned int i;

	set_up(test, p->machine);
	op_x86_pmu_start(&fake_plan);
	for (value = p->values; value->msr; value++)
		KUNIT_EXPECT_EQ_MSG(test, fake_msr_get(value->msr), value->value, "of %#x",
				    value->msr);
	for (i = 2; i < pmu->nr_general; i++) {
		u32 control = pmu->control + i * pmu->stride;
		u32 counter = pmu->counter + i * pmu->stride;

		KUNIT_EXPECT_EQ(test, fake_msr_get(control), fake_msr_initial(control));
		KUNIT_EXPECT_EQ(test, fake_msr_get(counter), fake_msr_initial(counter));
	}
	for (i = 0; i < fake_log.nr; i++) {
		const struct fake_access *access = &fake_log.accesses[i];

		KUNIT_EXPECT_TRUE_MSG(test, access->kind == FAKE_READ ||
				      may_be_written(p, access->msr),
				      "%#x was written", access->msr);
	}

	op_x86_pmu_stop();
	KUNIT_EXPECT_EQ(test, fake_msr_changed(), 0);
}

/* Somebody's values come back whatever has happened in between. */
static void pmu_restored(struct kunit *test)
{
	const struct programmed *p = test->param_value;
	const struct fake_pmu *pmu = &p->machine->pmu;
	unsigned int number, round;

	set_up(test, p->machine);
	for (round = 0; round < 3; round++) {
		op_x86_pmu_start(&fake_plan);
		for (number = 0; number < pmu->nr_general + pmu->nr_fixed; number++) {
			fake_msr_count(number, 25000);
			fake_pmu_nmi();
		}
		op_x86_pmu_stop();
		KUNIT_EXPECT_EQ(test, fake_msr_changed(), 0);
	}
	KUNIT_EXPECT_EQ(test, fake_samples.nr, 3 * (pmu->nr_fixed ? 4 : 2));
	KUNIT_EXPECT_EQ(test, fake_log.interrupts_lost, 0);
}

/* After the stop: nothing counts, and an NMI is somebody else's, as are the registers. */
static void pmu_stopped(struct kunit *test)
{
	const struct programmed *p = test->param_value;
	unsigned int accesses;

	set_up(test, p->machine);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	KUNIT_EXPECT_EQ(test, fake_log.nr, 0);
	op_x86_pmu_start(&fake_plan);
	op_x86_pmu_stop();
	accesses = fake_log.nr;
	fake_msr_count(0, 1ULL << 40);
	KUNIT_EXPECT_EQ(test, fake_msr_nmis(), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	KUNIT_EXPECT_EQ(test, fake_log.nr, accesses);
	KUNIT_EXPECT_EQ(test, fake_samples.nr, 0);
}

/*
 * Each counter, one after the other: no interrupt one event before, one at the period; what was
 * counted since is taken off the next period, so that the mean is exact.
 */
static void pmu_overflown(struct kunit *test)
{
	static const struct { u64 count; } of[] = { { 10007 }, { 5000 }, { 20011 }, { 600 } };
	const struct programmed *p = test->param_value;
	const struct fake_pmu *pmu = &p->machine->pmu;
	unsigned int i, nr = pmu->nr_fixed ? 4 : 2;

	set_up(test, p->machine);
	op_x86_pmu_start(&fake_plan);
	for (i = 0; i < nr; i++) {
		unsigned int number = i < 2 ? i : pmu->nr_general + i - 2;
		u32 msr = i < 2 ? pmu->counter + i * pmu->stride : 0x309 + i - 2;
		u64 mask = GENMASK_ULL(pmu->bits - 1, 0);

		fake_msr_count(number, of[i].count - 1);
		KUNIT_EXPECT_EQ(test, fake_msr_nmis(), i);
		fake_msr_count(number, 1 + 7); /* seven more before the handler runs */
		KUNIT_ASSERT_EQ(test, fake_msr_nmis(), i + 1);
		KUNIT_EXPECT_EQ(test, fake_msr_get(msr), 7);

		KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
		KUNIT_ASSERT_EQ(test, fake_samples.nr, i + 1);
		KUNIT_EXPECT_EQ(test, fake_samples.number[i], number);
		KUNIT_EXPECT_PTR_EQ(test, fake_samples.regs, &interrupted);
		KUNIT_EXPECT_EQ(test, fake_msr_get(msr), -(of[i].count - 7) & mask);
		KUNIT_EXPECT_EQ(test, fake_msr_get(FAKE_LVTPC), 0x400);
		if (pmu->global_status) {
			KUNIT_EXPECT_EQ(test, fake_msr_get(pmu->global_status), 0);
			KUNIT_EXPECT_EQ(test, fake_msr_get(pmu->global_control),
					fake_plan.global_bits);
		}
		/* Nobody's: no counter has overflowed again. */
		KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
		KUNIT_EXPECT_EQ(test, fake_samples.nr, i + 1);
	}
	KUNIT_EXPECT_EQ(test, fake_log.interrupts_lost, 0);
	op_x86_pmu_stop();
}

/* All at the same time: one NMI answers all; on AMD those that follow are claimed, no more. */
static void pmu_overflown_together(struct kunit *test)
{
	const struct programmed *p = test->param_value;
	const struct fake_pmu *pmu = &p->machine->pmu;
	unsigned int i, nr = pmu->nr_fixed ? 4 : 2;

	set_up(test, p->machine);
	op_x86_pmu_start(&fake_plan);
	fake_msr_count(0, 10007);
	fake_msr_count(1, 5000);
	if (pmu->nr_fixed) {
		fake_msr_count(pmu->nr_general, 20011);
		fake_msr_count(pmu->nr_general + 1, 600);
	}
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), nr);
	KUNIT_ASSERT_EQ(test, fake_samples.nr, nr);
	KUNIT_EXPECT_EQ(test, fake_samples.number[0], 0);
	KUNIT_EXPECT_EQ(test, fake_samples.number[1], 1);
	/* The APIC of an AMD CPU let all of them through; an Intel CPU's masked entry the first. */
	KUNIT_EXPECT_EQ(test, fake_msr_nmis(), pmu->masks_lvtpc ? 1 : nr);
	for (i = 1; i < fake_msr_nmis(); i++)
		KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	KUNIT_EXPECT_EQ(test, fake_samples.nr, nr);
	op_x86_pmu_stop();
}

/* Passed by more than a period, as when interrupts to the CPU were held: a whole one begins. */
static void pmu_far_behind(struct kunit *test)
{
	set_up(test, &machine_core2);
	op_x86_pmu_start(&fake_plan);
	fake_msr_count(1, 5000 + 5000);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_msr_get(0xc2), 0xffffffec78);
	fake_msr_count(1, 5000 + 4999);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_msr_get(0xc2), 0xffffffffff);
	op_x86_pmu_stop();
}

/*
 * A sample weighs the period that has just ended, not the one that begins; a period that the
 * counter can't have becomes the longest that it can.
 */
static void pmu_weighs(struct kunit *test)
{
	static const struct {
		u8 shift; /* from this sample on */
		u64 events, weight;
	} turns[] = {
		{ 1, 5000, 0 }, { 1, 10000, 10000 }, { 3, 10000, 10000 }, { 2, 40000, 40000 },
		{ 0, 20000, 20000 }, { 0, 5000, 0 }, { 0, 5000, 0 },
	};
	struct cpu_pmu *pmu = this_cpu_ptr(&cpu_pmu);
	struct op_x86_program big;
	int i;

	set_up(test, &machine_core2);
	op_x86_pmu_start(&fake_plan);
	for (i = 0; i < ARRAY_SIZE(turns); i++) {
		pmu->raised |= turns[i].shift != pmu->throttle.shift;
		pmu->throttle.shift = turns[i].shift;
		fake_msr_count(1, turns[i].events - 1);
		KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
		fake_msr_count(1, 1);
		KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
		KUNIT_ASSERT_EQ(test, fake_samples.nr, i + 1);
		KUNIT_EXPECT_EQ(test, fake_samples.weight[i], turns[i].weight);
	}
	KUNIT_EXPECT_FALSE(test, pmu->raised);
	big = *fake_plan.hardware[0];
	big.count = S32_MAX / 5;
	pmu->throttle.shift = 12;
	KUNIT_EXPECT_EQ(test, raised_period(pmu, &big), 4ULL * (S32_MAX / 5));
	op_x86_pmu_stop();
}

/*
 * One that waited while the first was handled finds what that found, before its next instruction;
 * only in the next 50 us it may find another one, too.
 */
static void pmu_expects_late_nmis_behind_the_first(struct kunit *test)
{
	set_up(test, &machine_family10);
	op_x86_pmu_start(&fake_plan);
	interrupted.ip = 0x1000;
	fake_msr_count(0, 10007);
	fake_msr_count(1, 10007);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 2);
	fake_cycles += 100ULL * tsc_khz; /* 100 ms: a hypervisor had the CPU */
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);

	/* One that comes there much later, as where a CPU is halted, is somebody else's. */
	fake_msr_count(0, 10007);
	fake_msr_count(1, 10007);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 2);
	fake_cycles += 2000ULL * tsc_khz; /* 2 s */
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);

	fake_msr_count(0, 10007);
	fake_msr_count(1, 10007);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 2);
	interrupted.ip += 4;
	fake_cycles += tsc_khz / 25; /* 40 us */
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);

	fake_msr_count(0, 10007);
	fake_msr_count(1, 10007);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 2);
	interrupted.ip += 4;
	fake_cycles += tsc_khz / 15; /* 67 us */
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	interrupted.ip = 0;
	op_x86_pmu_stop();
}

/* An NMI that comes a while after the overflows is somebody else's, on AMD, too. */
static void pmu_expects_late_nmis_for_a_while(struct kunit *test)
{
	int i;

	set_up(test, &machine_family10);
	op_x86_pmu_start(&fake_plan);
	for (i = 0; i < 3; i++) {
		fake_msr_count(0, 10007);
		fake_msr_count(1, 10007);
		KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 2);
	}
	fake_cycles += 2ULL * tsc_khz; /* 2 ms */
	interrupted.ip += 4;
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	/* Those of counters in step do not add up. */
	for (i = 0; i < 3; i++) {
		fake_msr_count(0, 10007);
		fake_msr_count(1, 10007);
		KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 2);
	}
	op_x86_pmu_stop();
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1); /* the stop does not make it another's */
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
}

/* An Intel CPU whose APIC leaves the entry unmasked: each overflow raises an NMI. */
static void pmu_takes_nmis_of_unmasked_entry(struct kunit *test)
{
	struct machine machine = machine_core2;

	machine.pmu.masks_lvtpc = false;
	set_up(test, &machine);
	op_x86_pmu_start(&fake_plan);
	fake_msr_count(0, 10007);
	fake_msr_count(1, 5000);
	KUNIT_EXPECT_EQ(test, fake_msr_nmis(), 2);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 2);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	op_x86_pmu_stop();
}

/* An overflow whose NMI has not come when the counters are stopped: it is ours all the same. */
static void pmu_stop_knows_late_nmis(struct kunit *test)
{
	const struct programmed *p = test->param_value;

	set_up(test, p->machine);
	op_x86_pmu_start(&fake_plan);
	fake_msr_count(0, 10007);
	KUNIT_ASSERT_EQ(test, fake_msr_nmis(), 1);
	op_x86_pmu_stop();
	KUNIT_EXPECT_EQ(test, fake_msr_changed(), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	KUNIT_EXPECT_EQ(test, fake_samples.nr, 0);
}

static void nmi_comes(void)
{
	fake_pmu_nmi();
}

/* It comes within the time that it may take: it is a sample. */
static void pmu_stop_awaits_nmis(struct kunit *test)
{
	set_up(test, &machine_family10);
	op_x86_pmu_start(&fake_plan);
	fake_msr_count(0, 10007);
	fake_msr_before(0xc0010005, nmi_comes); /* the stop asks each counter whether it is over */
	op_x86_pmu_stop();
	KUNIT_EXPECT_EQ(test, fake_samples.nr, 1);
	KUNIT_EXPECT_EQ(test, fake_msr_changed(), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
}

static int foreign_claimed;

static void foreign_nmi_comes(void)
{
	foreign_claimed = fake_pmu_nmi();
}

/* While the registers are restored, an NMI of others is left alone, and leaves them alone. */
static void pmu_stop_restores_under_nmis(struct kunit *test)
{
	const struct programmed *p = test->param_value;

	set_up(test, p->machine);
	op_x86_pmu_start(&fake_plan);
	fake_msr_before(FAKE_LVTPC, foreign_nmi_comes); /* restored last */
	foreign_claimed = -1;
	op_x86_pmu_stop();
	KUNIT_EXPECT_EQ(test, foreign_claimed, 0);
	KUNIT_EXPECT_EQ(test, fake_msr_changed(), 0);
}

/* Somebody else writes to any one of the registers that make it count. */
static void pmu_loss_found(struct kunit *test)
{
	const struct programmed *p = test->param_value;
	const struct fake_pmu *pmu = &p->machine->pmu;
	const struct value *value;

	set_up(test, p->machine);
	KUNIT_EXPECT_NULL(test, op_x86_pmu_lost());
	op_x86_pmu_start(&fake_plan);
	for (value = p->values; value->msr; value++) {
		u64 ours = fake_msr_get(value->msr);

		KUNIT_EXPECT_NULL(test, op_x86_pmu_lost());
		if (value->msr == pmu->global_status ||
		    (!pmu->global_status && ours > S32_MAX)) /* counters tell nothing */
			continue;
		fake_msr_set(value->msr, 0);
		KUNIT_EXPECT_NOT_NULL_MSG(test, op_x86_pmu_lost(), "%#x", value->msr);
		fake_msr_set(value->msr, ours);
	}
	/* Overflows that are ours to handle are no loss. */
	fake_msr_count(0, 10007);
	fake_msr_set(FAKE_LVTPC, FAKE_LVTPC_NMI);
	KUNIT_EXPECT_NULL(test, op_x86_pmu_lost());
	/* perf's handler, which is awake for a trace, takes it. */
	if (pmu->global_status) {
		fake_msr_set(pmu->global_status, 0);
		KUNIT_EXPECT_STREQ(test, op_x86_pmu_lost(), "an overflow was taken");
	}
	op_x86_pmu_stop();
	KUNIT_EXPECT_NULL(test, op_x86_pmu_lost());
}

static void entry_unmasked(void)
{
	fake_msr_set(FAKE_LVTPC, FAKE_LVTPC_NMI);
}

static void entry_masked(void)
{
	fake_msr_set(FAKE_LVTPC, FAKE_LVTPC_NMI | FAKE_LVTPC_MASKED);
	fake_msr_before(FAKE_LVTPC, entry_unmasked);
}

/* The entry is read when an NMI is on its way, which unmasks it. */
static void pmu_looks_again(struct kunit *test)
{
	set_up(test, &machine_core2);
	op_x86_pmu_start(&fake_plan);
	fake_msr_before(FAKE_LVTPC, entry_masked);
	KUNIT_EXPECT_NULL(test, op_x86_pmu_lost());
	KUNIT_EXPECT_EQ(test, fake_msr_get(FAKE_LVTPC), FAKE_LVTPC_NMI);
	fake_msr_set(FAKE_LVTPC, FAKE_LVTPC_NMI | FAKE_LVTPC_MASKED);
	KUNIT_EXPECT_STREQ(test, op_x86_pmu_lost(), "the APIC's entry was changed");
	op_x86_pmu_stop();
}

/* An overflow's NMI, with what it interrupts in preempt_count(). */
static void count_within(struct kunit *test, unsigned int interrupted_count)
{
	unsigned long flags;

	local_irq_save(flags);
	__preempt_count_add(interrupted_count + HARDIRQ_OFFSET); /* as nmi_enter() adds it */
	fake_msr_count(0, 10007);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	__preempt_count_sub(interrupted_count + HARDIRQ_OFFSET);
	local_irq_restore(flags);
}

/* What interrupts a virtual machine runs on the host, in KVM's process. */
static void pmu_samples_interrupts_of_guests(struct kunit *test)
{
	set_up(test, &machine_core2);
	op_x86_pmu_start(&fake_plan);
	current->flags |= PF_VCPU;
	count_within(test, 0);
	KUNIT_EXPECT_EQ(test, fake_samples.guest, 1);
	count_within(test, HARDIRQ_OFFSET);
	count_within(test, SOFTIRQ_OFFSET);
	current->flags &= ~PF_VCPU;
	KUNIT_EXPECT_EQ(test, fake_samples.guest, 1);
	KUNIT_EXPECT_EQ(test, fake_samples.nr, 2);
	op_x86_pmu_stop();
}

/* While a virtual machine runs, its overflows are told apart. */
static void pmu_tells_guests_apart(struct kunit *test)
{
	const struct programmed *p = test->param_value;

	set_up(test, p->machine);
	op_x86_pmu_start(&fake_plan);
	current->flags |= PF_VCPU;
	fake_msr_count(0, 10007);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	current->flags &= ~PF_VCPU;
	KUNIT_EXPECT_EQ(test, fake_samples.nr, 0);
	KUNIT_EXPECT_EQ(test, fake_samples.guest, 1);
	fake_msr_count(0, 10007);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_samples.nr, 1);
	KUNIT_EXPECT_EQ(test, fake_samples.guest, 1);
	op_x86_pmu_stop();
}

static void expect_log(struct kunit *test, const struct fake_access *expected, unsigned int nr)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, fake_log.nr, nr);
	for (i = 0; i < nr && i < fake_log.nr; i++) {
		const struct fake_access *access = &fake_log.accesses[i];

		KUNIT_EXPECT_TRUE_MSG(test, access->kind == expected[i].kind &&
				      access->msr == expected[i].msr &&
				      access->value == expected[i].value,
				      "access %u is %s %#x %#llx, not %s %#x %#llx", i,
				      access->kind == FAKE_READ ? "read" : "write", access->msr,
				      access->value,
				      expected[i].kind == FAKE_READ ? "read" : "write",
				      expected[i].msr, expected[i].value);
	}
}

/* Saved before anything is written; counters before controls; what enables all comes last. */
static void pmu_start_order_core2(struct kunit *test)
{
	static const struct fake_access expected[] = {
		{ FAKE_READ, FAKE_LVTPC, 0x100f2 },
		{ FAKE_READ, 0x38f, 0 },
		{ FAKE_READ, 0x38d, 0 },
		{ FAKE_READ, 0x187, 0x1020187 },
		{ FAKE_READ, 0xc2, 0x100000c2 },
		{ FAKE_READ, 0x309, 0x10000309 },
		{ FAKE_WRITE, 0x38f, 0 },
		{ FAKE_WRITE, 0x187, 0 },
		{ FAKE_WRITE, 0x38d, 0 },
		{ FAKE_WRITE, 0x390, 0x100000002 },
		{ FAKE_WRITE, FAKE_LVTPC, 0x400 },
		{ FAKE_WRITE, 0xc2, 0xffffffec78 },
		{ FAKE_WRITE, 0x309, 0xffffffb1d5 },
		{ FAKE_WRITE, 0x187, 0x51412e },
		{ FAKE_WRITE, 0x38d, 0x9 },
		{ FAKE_WRITE, 0x38f, 0x100000002 },
	};

	settings_put(1, &user_only);
	settings_put(2, &kernel_instructions);
	fake_pmu_set_up(test, &machine_core2);
	op_x86_pmu_start(&fake_plan);
	expect_log(test, expected, ARRAY_SIZE(expected));
	op_x86_pmu_stop();
}

/* What an NMI means in each phase: once with an overflow, once with one that is late. */
static const struct meaning {
	enum op_x86_phase phase;
	const char *name;
	int ours[2]; /* of an overflow: what the handler says of the first NMI and the second */
	unsigned int samples;
	bool goes_on;
} meanings[] = {
	{ OP_X86_OFF, "off", { 0, 0 } },
	{ OP_X86_STARTING, "starting", { 0, 0 } },
	{ OP_X86_RESTORING, "restoring", { 0, 0 } },
	{ OP_X86_SWITCHING, "switching", { 1, 0 } },
	{ OP_X86_COUNTING, "counting", { 1, 0 }, 1, true },
	{ OP_X86_STOPPING, "stopping", { 1, 0 }, 1 },
};

static_assert(ARRAY_SIZE(meanings) == OP_X86_PHASES);

static unsigned int count_writes(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < fake_log.nr; i++)
		nr += fake_log.accesses[i].kind == FAKE_WRITE;
	return nr;
}

static void meaning_describe(const struct meaning *meaning, char *text)
{
	strscpy(text, meaning->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(meaning, meanings, meaning_describe);

static struct cpu_pmu *begin_phase(struct kunit *test, const struct meaning *meaning)
{
	struct cpu_pmu *pmu = this_cpu_ptr(&cpu_pmu);

	set_up(test, &machine_core2);
	op_x86_pmu_start(&fake_plan);
	pmu->phase = meaning->phase;
	if (meaning->phase != OP_X86_COUNTING)
		pmu->running = 0;
	return pmu;
}

static void end_phase(struct cpu_pmu *pmu)
{
	pmu->late.nr = 0;
	pmu->phase = OP_X86_COUNTING;
	op_x86_pmu_stop();
}

static void pmu_nmi_means_overflow(struct kunit *test)
{
	const struct meaning *meaning = test->param_value;
	struct cpu_pmu *pmu = begin_phase(test, meaning);
	unsigned int writes;

	fake_msr_count(0, 10007);
	writes = count_writes();
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), meaning->ours[0]);
	KUNIT_EXPECT_EQ(test, fake_samples.nr, meaning->samples);
	KUNIT_EXPECT_EQ(test, count_writes() != writes, meaning->samples != 0);
	if (meaning->samples)
		KUNIT_EXPECT_EQ(test, fake_msr_get(0x38f) != 0, meaning->goes_on);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), meaning->ours[1]);
	KUNIT_EXPECT_EQ(test, pmu->phase, meaning->phase);
	end_phase(pmu);
}

static void pmu_nmi_means_late(struct kunit *test)
{
	const struct meaning *meaning = test->param_value;
	struct cpu_pmu *pmu = begin_phase(test, meaning);

	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	op_x86_late_expect(&pmu->late, 1, fake_cycles, DELIVERY_US, NULL);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_nmi(), 0);
	KUNIT_EXPECT_EQ(test, pmu->phase, meaning->phase);
	KUNIT_EXPECT_EQ(test, fake_samples.nr, 0);
	end_phase(pmu);
}

static enum op_x86_phase seen;

static void see_phase(void)
{
	seen = this_cpu_ptr(&cpu_pmu)->phase;
}

static void expect_seen(struct kunit *test, enum op_x86_phase phase)
{
	KUNIT_EXPECT_EQ(test, seen, phase);
	seen = OP_X86_NOWHERE;
}

/* In which phase registers are read and written first, by what moves through all of them. */
static void pmu_moves_before_registers(struct kunit *test)
{
	const struct cpu_pmu *pmu = this_cpu_ptr(&cpu_pmu);

	settings_put(0, &both_rings);
	settings_put(machine_core2.pmu.nr_general + machine_core2.pmu.nr_fixed, &both_rings);
	fake_pmu_set_up(test, &machine_core2);
	KUNIT_EXPECT_EQ(test, pmu->phase, OP_X86_OFF);
	fake_msr_before(FAKE_LVTPC, see_phase); /* saved */
	op_x86_pmu_start(&fake_plan);
	expect_seen(test, OP_X86_STARTING);
	KUNIT_EXPECT_EQ(test, pmu->phase, OP_X86_COUNTING);
	fake_msr_before(0x38f, see_phase); /* stops the group */
	op_x86_pmu_switch(&interrupted);
	expect_seen(test, OP_X86_SWITCHING);
	KUNIT_EXPECT_EQ(test, pmu->phase, OP_X86_COUNTING);
	KUNIT_EXPECT_PTR_EQ(test, pmu->group, &fake_plan.groups[1]);
	fake_msr_before(0x38f, see_phase); /* halts */
	op_x86_pmu_stop();
	expect_seen(test, OP_X86_STOPPING);
	op_x86_pmu_start(&fake_plan);
	fake_msr_before(FAKE_LVTPC, see_phase); /* restored */
	op_x86_pmu_stop();
	expect_seen(test, OP_X86_RESTORING);
	KUNIT_EXPECT_EQ(test, pmu->phase, OP_X86_OFF);
}

TEST_SUITE(oprofile_x86_pmu, fake_pmu_init, fake_pmu_exit,
	   KUNIT_CASE_PARAM(pmu_nmi_means_overflow, meaning_gen_params),
	   KUNIT_CASE_PARAM(pmu_nmi_means_late, meaning_gen_params),
	   KUNIT_CASE(pmu_moves_before_registers),
	   KUNIT_CASE_PARAM(pmu_programmed, programmed_gen_params),
	   KUNIT_CASE_PARAM(pmu_restored, programmed_gen_params),
	   KUNIT_CASE_PARAM(pmu_stopped, programmed_gen_params),
	   KUNIT_CASE_PARAM(pmu_overflown, programmed_gen_params),
	   KUNIT_CASE_PARAM(pmu_overflown_together, programmed_gen_params),
	   KUNIT_CASE_PARAM(pmu_stop_knows_late_nmis, programmed_gen_params),
	   KUNIT_CASE_PARAM(pmu_loss_found, programmed_gen_params),
	   KUNIT_CASE_PARAM(pmu_tells_guests_apart, programmed_gen_params),
	   KUNIT_CASE_PARAM(pmu_stop_restores_under_nmis, programmed_gen_params),
	   KUNIT_CASE(pmu_looks_again),
	   KUNIT_CASE(pmu_samples_interrupts_of_guests),
	   KUNIT_CASE(pmu_stop_awaits_nmis),
	   KUNIT_CASE(pmu_far_behind),
	   KUNIT_CASE(pmu_weighs),
	   KUNIT_CASE(pmu_expects_late_nmis_behind_the_first),
	   KUNIT_CASE(pmu_expects_late_nmis_for_a_while),
	   KUNIT_CASE(pmu_takes_nmis_of_unmasked_entry),
	   KUNIT_CASE(pmu_start_order_core2));
