// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who owns which register, with a book-keeping of ours in the place of the kernel's.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <asm/nmi.h>

#include "suite.h"

#include "x86/machines.h"
#include "x86/owners.h"

static struct {
	unsigned int msr;
	enum { NOBODY, US, OTHERS } owner;
} owned[64];

static unsigned int wrongly_released;

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

TEST_SUITE(oprofile_x86_reserve, reserve_init, NULL,
	   KUNIT_CASE(reserve_both_registers),
	   KUNIT_CASE(reserve_half),
	   KUNIT_CASE(reserve_fixed));
