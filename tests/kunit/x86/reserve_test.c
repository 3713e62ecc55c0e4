// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who owns which register, with a book-keeping of ours in the place of the kernel's.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <asm/cpufeature.h>
#include <asm/nmi.h>
#include <asm/processor.h>

#include "suite.h"

#include "x86/machines.h"
#include "x86/owners.h"

static struct {
	unsigned int msr;
	enum { NOBODY, US, OTHERS } owner;
} owned[64];

static unsigned int wrongly_released;
static struct cpuinfo_x86 fake_cpu;

static int seam_reserve(unsigned int msr)
{
	int i, place = -1;

	for (i = 0; i < ARRAY_SIZE(owned); i++) {
		if (owned[i].owner != NOBODY && owned[i].msr == msr)
			return 0;
		if (owned[i].owner == NOBODY)
			place = i;
	}
	owned[place].msr = msr;
	owned[place].owner = US;
	return 1;
}

static void seam_release(unsigned int msr)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(owned); i++) {
		if (owned[i].owner == US && owned[i].msr == msr) {
			owned[i].owner = NOBODY;
			return;
		}
	}
	wrongly_released++;
}

void owners_clear(void)
{
	memset(owned, 0, sizeof(owned));
	wrongly_released = 0;
}

void owners_add(unsigned int msr)
{
	seam_reserve(msr);
	owners_give_away();
}

void owners_give_away(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(owned); i++) {
		if (owned[i].owner == US)
			owned[i].owner = OTHERS;
	}
}

unsigned int owners_ours(void)
{
	unsigned int nr = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(owned); i++)
		nr += owned[i].owner == US;
	return nr;
}

bool owners_are_ours(unsigned int msr)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(owned); i++) {
		if (owned[i].owner == US && owned[i].msr == msr)
			return true;
	}
	return false;
}

unsigned int owners_wrongly_released(void)
{
	return wrongly_released;
}

/* Seams. */
#define boot_cpu_data fake_cpu
#define reserve_perfctr_nmi seam_reserve
#define reserve_evntsel_nmi seam_reserve
#define release_perfctr_nmi seam_release
#define release_evntsel_nmi seam_release

#include "x86/reserve.c"

static struct op_x86_model model;

static void reserve_both_registers(struct kunit *test)
{
	static const struct {
		const struct machine *machine;
		unsigned int number, counter, control;
	} rows[] = {
		{ &machine_pentium3, 1, 0xc2, 0x187 },
		{ &machine_skylake, 7, 0xc8, 0x18d },
		{ &machine_family10, 3, 0xc0010007, 0xc0010003 },
		{ &machine_family15, 5, 0xc001020b, 0xc001020a },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned int number = rows[i].number;

		KUNIT_ASSERT_TRUE(test, op_x86_model_find(&rows[i].machine->identity, &model));
		KUNIT_EXPECT_TRUE(test, op_x86_counter_free(&model, number));
		KUNIT_EXPECT_EQ(test, owners_ours(), 0);
		KUNIT_EXPECT_TRUE(test, op_x86_counter_reserve(&model, number));
		KUNIT_EXPECT_EQ(test, owners_ours(), 2);
		KUNIT_EXPECT_TRUE(test, owners_are_ours(rows[i].counter));
		KUNIT_EXPECT_TRUE(test, owners_are_ours(rows[i].control));
		KUNIT_EXPECT_FALSE(test, op_x86_counter_free(&model, number));
		op_x86_counter_release(&model, number);
		KUNIT_EXPECT_EQ(test, owners_ours(), 0);
	}
	KUNIT_EXPECT_EQ(test, wrongly_released, 0);
}

/* One of its two registers is somebody's: neither is ours, and his stays his. */
static void reserve_half(struct kunit *test)
{
	static const unsigned int held[] = { 0xc2, 0x187 };
	int i;

	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&machine_nehalem.identity, &model));
	for (i = 0; i < ARRAY_SIZE(held); i++) {
		owners_clear();
		owners_add(held[i]);
		KUNIT_EXPECT_FALSE(test, op_x86_counter_free(&model, 1));
		KUNIT_EXPECT_FALSE(test, op_x86_counter_reserve(&model, 1));
		KUNIT_EXPECT_EQ(test, owners_ours(), 0);
		KUNIT_EXPECT_FALSE(test, op_x86_counter_reserve(&model, 1));
		KUNIT_EXPECT_TRUE(test, op_x86_counter_free(&model, 0));
		KUNIT_EXPECT_TRUE(test, op_x86_counter_free(&model, 2));
	}
	KUNIT_EXPECT_EQ(test, wrongly_released, 0);
}

/* The fixed counters have no registers to reserve: they go with counter 0, in any order. */
static void reserve_fixed(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&machine_core2.identity, &model));
	KUNIT_EXPECT_TRUE(test, op_x86_counter_reserve(&model, 3));
	KUNIT_EXPECT_TRUE(test, owners_are_ours(0xc1));
	KUNIT_EXPECT_TRUE(test, op_x86_counter_reserve(&model, 0));
	KUNIT_EXPECT_TRUE(test, op_x86_counter_reserve(&model, 2));
	KUNIT_EXPECT_EQ(test, owners_ours(), 2);
	op_x86_counter_release(&model, 3);
	op_x86_counter_release(&model, 0);
	KUNIT_EXPECT_EQ(test, owners_ours(), 2);
	op_x86_counter_release(&model, 2);
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);

	owners_add(0x186);
	KUNIT_EXPECT_FALSE(test, op_x86_counter_reserve(&model, 2));
	KUNIT_EXPECT_FALSE(test, op_x86_counter_reserve(&model, 0));
	KUNIT_EXPECT_TRUE(test, op_x86_counter_free(&model, 1));
	KUNIT_EXPECT_EQ(test, wrongly_released, 0);
}

static int reserve_init(struct kunit *test)
{
	owners_clear();
	return 0;
}

/* Whoever took it, and however. */
static void reserve_knows_use(struct kunit *test)
{
	static const struct {
		const struct machine *machine;
		unsigned int number;
		u32 msr;
		u64 value;
		bool used; /* once the global control has the counter, if there is one */
	} rows[] = {
		{ &machine_pentium3, 0, 0x186, 0x5300c0, true },
		{ &machine_core, 1, 0x187, 0x5300c0, true },
		{ &machine_core2, 1, 0x187, 0x5100c0, true },
		{ &machine_core2, 1, 0x187, 0x5000c0, false }, /* in no ring */
		{ &machine_core2, 1, 0x187, 0x1300c0, false }, /* not enabled */
		{ &machine_core2, 3, 0x38d, 0x0b0, true },
		{ &machine_core2, 3, 0x38d, 0x080, false },
		{ &machine_core2, 2, 0x38d, 0x0b0, false },
		{ &machine_family10, 3, 0xc0010003, 0x4200c0, true },
		{ &machine_zen4, 5, 0xc001020a, 0x4200c0, true },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u32 global = rows[i].machine->pmu.global_control;

		KUNIT_ASSERT_TRUE(test, op_x86_model_find(&rows[i].machine->identity, &model));
		fake_msr_begin(&rows[i].machine->pmu);
		KUNIT_EXPECT_FALSE(test, op_x86_counter_used(&model, rows[i].number));
		fake_msr_set(rows[i].msr, rows[i].value);
		if (global) {
			KUNIT_EXPECT_FALSE(test, op_x86_counter_used(&model, rows[i].number));
			fake_msr_set(global, ~0ULL);
		}
		KUNIT_EXPECT_EQ_MSG(test, op_x86_counter_used(&model, rows[i].number),
				    rows[i].used, "row %d", i);
		KUNIT_EXPECT_EQ(test, fake_log.faults, 0);
	}
	/* On P6 the first one's bit enables both. */
	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&machine_pentium3.identity, &model));
	fake_msr_begin(&machine_pentium3.pmu);
	fake_msr_set(0x187, 0x1300c0);
	KUNIT_EXPECT_FALSE(test, op_x86_counter_used(&model, 1));
	fake_msr_set(0x186, 0x400000);
	KUNIT_EXPECT_TRUE(test, op_x86_counter_used(&model, 1));
}

/* Hypervisors may say that there is a tracer, and have no register of it. */
static void reserve_knows_tracing(struct kunit *test)
{
	static const struct fake_pmu tracer = {
		.bits = 48, .nr_general = 1, .control = 0x570, .stride = 1,
	};

	memset(&fake_cpu, 0, sizeof(fake_cpu));
	fake_msr_begin(&tracer);
	fake_msr_set(0x570, 1);
	KUNIT_EXPECT_FALSE(test, op_x86_traced());
	set_bit(X86_FEATURE_INTEL_PT, (unsigned long *)fake_cpu.x86_capability);
	KUNIT_EXPECT_TRUE(test, op_x86_traced());
	fake_msr_set(0x570, 2);
	KUNIT_EXPECT_FALSE(test, op_x86_traced());
	fake_msr_begin(&machine_core2.pmu);
	KUNIT_EXPECT_FALSE(test, op_x86_traced());
	KUNIT_EXPECT_EQ(test, fake_log.faults, 0);
}

TEST_SUITE(oprofile_x86_reserve, reserve_init, NULL,
	   KUNIT_CASE(reserve_both_registers),
	   KUNIT_CASE(reserve_half),
	   KUNIT_CASE(reserve_fixed),
	   KUNIT_CASE(reserve_knows_use),
	   KUNIT_CASE(reserve_knows_tracing));
