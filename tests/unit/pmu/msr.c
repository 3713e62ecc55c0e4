// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The registers of the guests' PMU: numbers, what can be written and what faults, what RDPMC
 * reads, and what CPUID says.
 */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "tests/vm/pmu/cpuid.h"
#include "tests/vm/pmu/msr.h"

#define GOOD	PMU_ACCESS_DONE
#define FAULT	PMU_ACCESS_FAULT
#define FOREIGN PMU_ACCESS_FOREIGN
#define W48	UINT64_C(0xffffffffffff)

/* A register, what is written, what comes of it, and what is read then. */
static const struct {
	const char *model;
	uint32_t number;
	uint64_t value;
	enum pmu_access access;
	uint64_t reads;
} writes[] = {
	/* counters are written as 32 bits, sign-extended */
	{"nehalem", 0xc1, 0x12345678, GOOD, 0x12345678},
	{"nehalem", 0xc4, UINT64_C(0xffffffff80000000), GOOD, UINT64_C(0xffff80000000)},
	{"nehalem", 0xc1, 0x80000001, GOOD, UINT64_C(0xffff80000001)},
	{"nehalem", 0xc1, UINT64_C(0x123400000001), GOOD, 1},
	{"nehalem", 0xc5, 1, FAULT, 0},
	{"core", 0xc2, 0xffffffff, GOOD, UINT64_C(0xffffffffff)},
	{"core", 0xc3, 0, FAULT, 0},
	{"p6", 0xc2, 0xfffffffe, GOOD, UINT64_C(0xfffffffffe)},
	/* in full where that is advertised */
	{"haswell", 0x4c1, W48, GOOD, W48},
	{"haswell", 0x4c8, UINT64_C(0x800000000000), GOOD, UINT64_C(0x800000000000)},
	{"haswell", 0x4c1, W48 + 1, FAULT, 0},
	{"nehalem", 0x4c1, 1, FAULT, 0},
	{"nehalem", 0x345, 0, FAULT, 0},
	{"haswell", 0x345, 0, FAULT, 1 << 13},
	{"p6", 0x4c1, 0, FOREIGN, 0},
	/* event selects */
	{"nehalem", 0x186, 0xffffffff, GOOD, 0xffffffff},
	{"nehalem", 0x189, UINT64_C(0x100000000), FAULT, 0},
	{"nehalem", 0x18a, 0, FAULT, 0},
	{"core2", 0x187, 0xffdfffff, GOOD, 0xffdfffff},
	{"core2", 0x187, 0x200000, FAULT, 0},
	{"core", 0x186, 0x5300c0, GOOD, 0x5300c0},
	{"p6", 0x187, 0x5300c0, GOOD, 0x5300c0},
	{"p6", 0x188, 0, FAULT, 0},
	/* fixed counters */
	{"core2", 0x309, UINT64_C(0xffffffffff), GOOD, UINT64_C(0xffffffffff)},
	{"nehalem", 0x30b, W48 + 5, GOOD, 4},
	{"nehalem", 0x30c, 0, FAULT, 0},
	{"icelake", 0x30c, 7, GOOD, 7},
	{"core", 0x309, 0, FAULT, 0},
	{"nehalem", 0x38d, 0xfff, GOOD, 0xfff},
	{"nehalem", 0x38d, 0x1000, FAULT, 0},
	{"core2", 0x38d, 0xbbb, GOOD, 0xbbb},
	{"core2", 0x38d, 0x4, FAULT, 0},
	{"core", 0x38d, 0, FAULT, 0},
	/* global registers */
	{"nehalem", 0x38f, UINT64_C(0x70000000f), GOOD, UINT64_C(0x70000000f)},
	{"nehalem", 0x38f, 0x10, FAULT, 0xf},
	{"icelake", 0x38f, UINT64_C(0xf000000ff), GOOD, UINT64_C(0xf000000ff)},
	{"nehalem", 0x38e, 0, FAULT, 0},
	{"nehalem", 0x390, UINT64_C(0xe00000070000000f), GOOD, 0},
	{"nehalem", 0x390, UINT64_C(0x400000000000000), FAULT, 0},
	{"skylake", 0x390, UINT64_C(0xec800007000000ff), GOOD, 0},
	{"nehalem", 0x391, 1, FOREIGN, 0},
	{"nehalem", 0x392, 1, FOREIGN, 0},
	{"skylake", 0x391, 0xff, GOOD, 0},
	{"skylake", 0x392, 0, FAULT, 0},
	{"core", 0x38f, 0, FAULT, 0},
	{"p6", 0x38f, 0, FOREIGN, 0},
	/* AMD: reserved bits are ignored */
	{"k8", 0xc0010000, UINT64_C(0xffffffffffffffff), GOOD, UINT64_C(0x30fffd7ffff)},
	{"k8", 0xc0010007, UINT64_MAX, GOOD, W48},
	{"k8", 0xc0010200, 0, FAULT, 0},
	{"k8", 0xc0010008, 0, FOREIGN, 0},
	{"zen", 0xc0010003, 0x5300c0, GOOD, 0x5300c0},
	{"zen", 0xc001020a, 0x5300c0, GOOD, 0x5300c0},
	{"zen", 0xc001020b, W48 + 1, GOOD, 0},
	{"zen", 0xc001020c, 0, FOREIGN, 0},
	{"zen", 0xc1, 0, FOREIGN, 0},
	{"zen", 0xc0000301, 0, FOREIGN, 0},
	{"zen4", 0xc0000301, UINT64_MAX, GOOD, 0x3f},
	{"zen4", 0xc0000301, 0x21, GOOD, 0x21},
	{"zen4", 0xc0000300, 0, FAULT, 0},
	{"zen4", 0xc0000302, UINT64_MAX, GOOD, 0},
	{"zen4", 0xc001020b, W48 + 1, GOOD, 0},
	{"nehalem", 0xc0010000, 0, FOREIGN, 0},
	/* version 6 has further names of its counters */
	{"icelake", 0x1900, 0, FOREIGN, 0},
	{"clearwater", 0x1900, W48, GOOD, W48},
	{"clearwater", 0x1900, W48 + 1, FAULT, 0},
	{"clearwater", 0x191d, 0x5300c0, GOOD, 0x5300c0},
	{"clearwater", 0x191e, 0, FAULT, 0},
	{"clearwater", 0x1988, W48 + 3, GOOD, 2},
	{"clearwater", 0x198c, 0, FAULT, 0},
	{"clearwater", 0x1981, 0, FAULT, 0},
	{"clearwater", 0x1990, 0, FOREIGN, 0},
	/* big and small cores */
	{"alderlake", 0x38f, UINT64_C(0x1000f000000ff), GOOD, UINT64_C(0x1000f000000ff)},
	{"gracemont", 0x38f, UINT64_C(0x1000700000000), FAULT, UINT64_C(0x3f)},
	{"gracemont", 0x18c, 0, FAULT, 0},
	{"nehalem", 0x10, 0, FOREIGN, 0},
};

TEST(registers_take_what_they_can)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(writes); i++) {
		struct pmu pmu, before;
		enum pmu_access access;
		uint64_t value = 0;

		pmu_reset(&pmu, pmu_model_find(writes[i].model));
		before = pmu;
		access = pmu_msr_write(&pmu, writes[i].number, writes[i].value);
		if (access != writes[i].access)
			fail_msg("%s: writing %#lx to %#x: %d", writes[i].model, writes[i].value,
				 writes[i].number, access);
		if (access != GOOD)
			assert_memory_equal(&pmu, &before, sizeof(pmu));
		if (pmu_msr_read(&pmu, writes[i].number, &value) == GOOD &&
		    value != writes[i].reads)
			fail_msg("%s: %#x reads %#lx", writes[i].model, writes[i].number, value);
	}
}

TEST(names_of_version_6_are_of_the_same_registers)
{
	static const struct {
		uint32_t number, other;
	} names[] = {{0x1900, 0xc1},  {0x191c, 0xc8},  {0x1901, 0x186},
		     {0x191d, 0x18d}, {0x1980, 0x309}, {0x1988, 0x30b}};

	for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++) {
		struct pmu pmu;
		uint64_t value;

		pmu_reset(&pmu, pmu_model_find("clearwater"));
		assert_int_equal(pmu_msr_write(&pmu, names[i].number, 0x5300c0), GOOD);
		assert_int_equal(pmu_msr_read(&pmu, names[i].other, &value), GOOD);
		assert_int_equal(value, 0x5300c0);
	}
}

static uint64_t read_msr(const struct pmu *pmu, uint32_t number)
{
	uint64_t value;

	assert_int_equal(pmu_msr_read(pmu, number, &value), GOOD);
	return value;
}

TEST(core_extension_has_the_old_names_too)
{
	struct pmu pmu;

	pmu_reset(&pmu, pmu_model_find("zen"));
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(pmu_msr_write(&pmu, 0xc0010000 + i, 0xc0 + i), GOOD);
		assert_int_equal(pmu_msr_write(&pmu, 0xc0010004 + i, 100 + i), GOOD);
		assert_int_equal(read_msr(&pmu, 0xc0010200 + 2 * i), 0xc0 + i);
		assert_int_equal(read_msr(&pmu, 0xc0010201 + 2 * i), 100 + i);
	}
}

TEST(full_width_names_the_same_counters)
{
	struct pmu pmu;

	pmu_reset(&pmu, pmu_model_find("haswell"));
	assert_int_equal(pmu_msr_write(&pmu, 0x4c3, UINT64_C(0x123456789abc)), GOOD);
	assert_int_equal(read_msr(&pmu, 0xc3), UINT64_C(0x123456789abc));
}

TEST(status_is_set_and_cleared_bit_by_bit)
{
	struct pmu pmu;

	pmu_reset(&pmu, pmu_model_find("skylake"));
	assert_int_equal(pmu_msr_write(&pmu, 0x391, UINT64_C(0x700000003)), GOOD);
	assert_int_equal(read_msr(&pmu, 0x38e), UINT64_C(0x700000003));
	assert_int_equal(pmu_msr_write(&pmu, 0x390, UINT64_C(0x200000001)), GOOD);
	assert_int_equal(read_msr(&pmu, 0x38e), UINT64_C(0x500000002));
	assert_int_equal(read_msr(&pmu, 0x390), 0);
}

TEST(in_use_tells_what_is_set_up)
{
	struct pmu pmu;

	pmu_reset(&pmu, pmu_model_find("skylake"));
	assert_int_equal(read_msr(&pmu, 0x392), 0);
	pmu.select[1] = 0x4300c0;
	pmu.fixed_control = 0x020;
	assert_int_equal(read_msr(&pmu, 0x392), UINT64_C(0x200000002));
	pmu.fixed_control = 0x0a0;
	assert_int_equal(read_msr(&pmu, 0x392), UINT64_C(0x8000000200000002));
}

TEST(rdpmc_reads_by_index)
{
	static const struct {
		const char *model;
		uint32_t index;
		enum pmu_access access;
		unsigned int counter;
	} cases[] = {
		{"nehalem", 0, GOOD, 0},
		{"nehalem", 3, GOOD, 3},
		{"nehalem", 4, FAULT, 0},
		{"nehalem", 16, FAULT, 0},
		{"nehalem", 0x40000000, GOOD, PMU_GENERAL_MAX},
		{"nehalem", 0x40000002, GOOD, PMU_GENERAL_MAX + 2},
		{"nehalem", 0x40000003, FAULT, 0},
		{"nehalem", 0x40000004, FAULT, 0},
		{"nehalem", 0x20000000, FAULT, 0},
		{"nehalem", 0xffffffff, FAULT, 0},
		{"core", 0x40000000, FAULT, 0},
		{"p6", 1, GOOD, 1},
		{"p6", 2, FAULT, 0},
		{"k8", 3, GOOD, 3},
		{"k8", 4, FAULT, 0},
		{"zen", 5, GOOD, 5},
		{"zen", 6, FAULT, 0},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct pmu pmu;
		uint64_t value;

		pmu_reset(&pmu, pmu_model_find(cases[i].model));
		for (unsigned int c = 0; c < PMU_COUNTERS_MAX; c++)
			pmu.counter[c] = 7000 + c;
		assert_int_equal(pmu_rdpmc(&pmu, cases[i].index, &value), cases[i].access);
		if (cases[i].access == GOOD)
			assert_int_equal(value, 7000 + cases[i].counter);
	}
}

TEST(cpuid_tells_of_the_pmu)
{
	static const struct {
		const char *model;
		uint32_t leaf;
		struct pmu_cpuid before, after;
	} cases[] = {
		{"nehalem", 0, {4, 1, 2, 3}, {10, 1, 2, 3}},
		{"nehalem", 0, {13, 1, 2, 3}, {13, 1, 2, 3}},
		{"p6", 0, {4, 1, 2, 3}, {4, 1, 2, 3}},
		{"zen", 0, {4, 1, 2, 3}, {4, 1, 2, 3}},
		{"nehalem", 10, {9, 9, 9, 9}, {0x07300403, 0x58, 0, 0x603}},
		{"core", 10, {0}, {0x07280201, 0x58, 0, 0}},
		{"core2", 10, {0}, {0x07280202, 0x58, 0, 0x503}},
		{"icelake", 10, {0}, {0x08300805, 0xd8, 0xf, 0x604}},
		{"zen", 10, {9, 9, 9, 9}, {0, 0, 0, 0}},
		{"p6", 10, {9, 9, 9, 9}, {0, 0, 0, 0}},
		{"nehalem", 1, {1, 2, 0xffffffff, 4}, {1, 2, 0xffff7fff, 4}},
		{"haswell", 1, {1, 2, 0, 4}, {1, 2, 0x8000, 4}},
		{"zen", 0x80000001, {1, 2, 0, 4}, {1, 2, 0x800000, 4}},
		{"k8", 0x80000001, {1, 2, 0xffffffff, 4}, {1, 2, 0xff7fffff, 4}},
		{"nehalem", 7, {1, 2, 3, 4}, {1, 2, 3, 4}},
		{"zen", 0x80000022, {1, 2, 3, 4}, {1, 2, 3, 4}},
		{"zen", 0x80000000, {0x8000001e, 2, 3, 4}, {0x8000001e, 2, 3, 4}},
		{"zen4", 0x80000000, {0x8000001e, 2, 3, 4}, {0x80000022, 2, 3, 4}},
		{"zen4", 0x80000022, {9, 9, 9, 9}, {1, 6, 0, 0}},
		{"clearwater", 10, {0}, {0x08300806, 0xd8, 0x7, 0x603}},
		{"alderlake", 0, {20, 1, 2, 3}, {26, 1, 2, 3}},
		{"alderlake", 7, {1, 2, 3, 4}, {1, 2, 3, 0x8004}},
		{"alderlake", 0x15, {9, 9, 9, 9}, {0, 0, 0, 0}},
		{"icelake", 0x15, {9, 9, 9, 9}, {9, 9, 9, 9}},
		{"alderlake", 0x1a, {9, 9, 9, 9}, {0x40000000, 0, 0, 0}},
		{"gracemont", 0x1a, {9, 9, 9, 9}, {0x20000000, 0, 0, 0}},
		{"gracemont", 10, {0}, {0x08300605, 0xd8, 0x7, 0x603}},
		{"alderlake", 10, {0}, {0x08300605, 0xd8, 0x7, 0x603}},
		{"icelake", 0x1a, {1, 2, 3, 4}, {1, 2, 3, 4}},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct pmu_cpuid answer = cases[i].before;

		pmu_cpuid(pmu_model_find(cases[i].model), cases[i].leaf, 0, &answer);
		assert_memory_equal(&answer, &cases[i].after, sizeof(answer));
	}
}

TEST(only_the_first_subleaf_tells_of_kinds)
{
	struct pmu_cpuid answer = {1, 2, 3, 4};

	pmu_cpuid(pmu_model_find("alderlake"), 7, 1, &answer);
	assert_int_equal(answer.edx, 4);
}
