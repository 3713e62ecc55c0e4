// SPDX-License-Identifier: GPL-2.0-only
/*
 * What CPUID says, and what the module makes of it.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include <asm/processor.h>

#include "suite.h"

#include "x86/machines.h"

/* CPUID as a table. */
static struct cpuinfo_x86 fake_cpu;
static const struct leaf {
	u32 leaf, eax, ebx, edx;
} *leaves;

static void seam_cpuid(u32 leaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	const struct leaf *at;

	*eax = *ebx = *ecx = *edx = 0;
	for (at = leaves; at->leaf; at++) {
		if (at->leaf != leaf)
			continue;
		*eax = at->eax;
		*ebx = at->ebx;
		*edx = at->edx;
	}
}

/* Seams. */
#define boot_cpu_data fake_cpu
#define cpuid seam_cpuid

#include "x86/model.c"

static const struct described {
	const struct machine *machine;
	struct op_x86_model model;
	unsigned int numbers;
} describeds[] = {
	{ &machine_pentium3, {
		.cpu_type = "i386/piii", .nr_general = 2, .counter_mask = 0xffffffffff,
		.count_max = 0x7fffffff, .event_max = 0xff, .extra = 0xff840000,
		.enable_by_first = true, .bank = { 0x186, 0xc1, 0xc1, 1 } }, 32 },
	{ &machine_core, {
		.cpu_type = "i386/core", .nr_general = 2, .counter_mask = 0xffffffffff,
		.count_max = 0x7fffffff, .event_max = 0xff, .extra = 0xff840000,
		.bank = { 0x186, 0xc1, 0xc1, 1 } }, 32 },
	{ &machine_core2, {
		.cpu_type = "i386/core_2", .nr_general = 2, .nr_fixed = 3,
		.counter_mask = 0xffffffffff, .count_max = 0x7fffffff, .event_max = 0xff,
		.extra = 0xff840000, .bank = { 0x186, 0xc1, 0xc1, 1 },
		.global = { 0x38f, 0x38e, 0x390 } }, 31 },
	{ &machine_nehalem, {
		.cpu_type = "i386/core_i7", .nr_general = 4, .nr_fixed = 3,
		.counter_mask = 0xffffffffffff, .count_max = 0x7fffffff, .event_max = 0xff,
		.extra = 0xffa40000, .bank = { 0x186, 0xc1, 0xc1, 1 },
		.global = { 0x38f, 0x38e, 0x390 } }, 31 },
	{ &machine_skylake, {
		.cpu_type = "i386/skylake", .nr_general = 8, .nr_fixed = 3,
		.counter_mask = 0xffffffffffff, .count_max = 0x7fffffffffff,
		.event_max = 0xff, .extra = 0xffa40000, .bank = { 0x186, 0xc1, 0x4c1, 1 },
		.global = { 0x38f, 0x38e, 0x390 } }, 27 },
	{ &machine_sapphire, {
		.cpu_type = "i386/arch_perfmon", .nr_general = 8, .nr_fixed = 3,
		.counter_mask = 0xffffffffffff, .count_max = 0x7fffffffffff,
		.event_max = 0xff, .extra = 0xffa40000, .bank = { 0x186, 0xc1, 0x4c1, 1 },
		.global = { 0x38f, 0x38e, 0x390 } }, 27 },
	{ &machine_hypervisor, {
		.cpu_type = "i386/arch_perfmon", .nr_general = 4,
		.counter_mask = 0xffffffffffff, .count_max = 0x7fffffff, .event_max = 0xff,
		.extra = 0xff840000, .bank = { 0x186, 0xc1, 0xc1, 1 },
		.global = { 0x38f, 0x38e, 0x390 } }, 32 },
	{ &machine_family10, {
		.cpu_type = "x86-64/family10", .nr_general = 4,
		.counter_mask = 0xffffffffffff, .count_max = 0x7fffffffffff,
		.event_max = 0xfff, .extra = 0xff840000, .late_nmis = true,
		.bank = { 0xc0010000, 0xc0010004, 0xc0010004, 1 } }, 32 },
	{ &machine_family15, {
		.cpu_type = "x86-64/family15h", .nr_general = 6,
		.counter_mask = 0xffffffffffff, .count_max = 0x7fffffffffff,
		.event_max = 0xfff, .extra = 0xff840000, .late_nmis = true,
		.bank = { 0xc0010200, 0xc0010201, 0xc0010201, 2 } }, 30 },
	{ &machine_zen4, {
		.cpu_type = "x86-64/generic", .nr_general = 6,
		.counter_mask = 0xffffffffffff, .count_max = 0x7fffffffffff,
		.event_max = 0xfff, .extra = 0xff840000, .late_nmis = true,
		.bank = { 0xc0010200, 0xc0010201, 0xc0010201, 2 },
		.global = { 0xc0000301, 0xc0000300, 0xc0000302 } }, 30 },
};

static void described_describe(const struct described *described, char *text)
{
	strscpy(text, described->machine->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(described, describeds, described_describe);

static void model_described(struct kunit *test)
{
	const struct described *d = test->param_value;
	struct op_x86_model model;

	memset(&model, 0xff, sizeof(model));
	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&d->machine->identity, &model));
	KUNIT_EXPECT_STREQ(test, model.cpu_type, d->model.cpu_type);
	KUNIT_EXPECT_EQ(test, model.nr_general, d->model.nr_general);
	KUNIT_EXPECT_EQ(test, model.nr_fixed, d->model.nr_fixed);
	KUNIT_EXPECT_EQ(test, model.counter_mask, d->model.counter_mask);
	KUNIT_EXPECT_EQ(test, model.count_max, d->model.count_max);
	KUNIT_EXPECT_EQ(test, model.event_max, d->model.event_max);
	KUNIT_EXPECT_EQ(test, model.extra, d->model.extra);
	KUNIT_EXPECT_EQ(test, model.enable_by_first, d->model.enable_by_first);
	KUNIT_EXPECT_EQ(test, model.late_nmis, d->model.late_nmis);
	KUNIT_EXPECT_EQ(test, memcmp(&model.bank, &d->model.bank, sizeof(model.bank)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&model.global, &d->model.global, sizeof(model.global)), 0);
	KUNIT_EXPECT_EQ(test, op_x86_numbers(&model), d->numbers);
}

/* The name alone, of processors whose registers are like those above; NULL: none that we know. */
static const struct named {
	struct op_x86_identity identity;
	const char *cpu_type;
} nameds[] = {
	{ { .vendor = OP_X86_INTEL, .family = 6, .model = 1 }, "i386/ppro" },
	{ { .vendor = OP_X86_INTEL, .family = 6, .model = 5 }, "i386/pii" },
	{ { .vendor = OP_X86_INTEL, .family = 6, .model = 11 }, "i386/piii" },
	{ { .vendor = OP_X86_INTEL, .family = 6, .model = 13 }, "i386/p6_mobile" },
	{ { .vendor = OP_X86_INTEL, .family = 6, .model = 12 }, NULL },
	{ { .vendor = OP_X86_INTEL, .family = 5, .model = 4 }, NULL },
	{ { .vendor = OP_X86_INTEL, .family = 15, .model = 4 }, NULL },
	{ { .vendor = OP_X86_OTHER, .family = 6, .model = 8 }, NULL },
	{ { .vendor = OP_X86_INTEL, .family = 6, .model = 0x2a, .leaf_a_eax = 0x07300403 },
	  "i386/sandybridge" },
	{ { .vendor = OP_X86_INTEL, .family = 6, .model = 0x9e, .leaf_a_eax = 0x07300404 },
	  "i386/skylake" },
	{ { .vendor = OP_X86_INTEL, .family = 7, .model = 0x9e, .leaf_a_eax = 0x07300404 },
	  "i386/arch_perfmon" },
	{ { .vendor = OP_X86_OTHER, .family = 7, .model = 0x3b, .leaf_a_eax = 0x07300402 },
	  "i386/arch_perfmon" },
	/* A version without counters, or with narrow ones, is nothing that could count. */
	{ { .vendor = OP_X86_OTHER, .family = 7, .leaf_a_eax = 0x07300002 }, NULL },
	{ { .vendor = OP_X86_OTHER, .family = 7, .leaf_a_eax = 0x071f0402 }, NULL },
	{ { .vendor = OP_X86_AMD, .family = 5 }, NULL },
	{ { .vendor = OP_X86_AMD, .family = 6 }, "i386/athlon" },
	{ { .vendor = OP_X86_AMD, .family = 0xf }, "x86-64/hammer" },
	{ { .vendor = OP_X86_AMD, .family = 0x11 }, "x86-64/family11h" },
	{ { .vendor = OP_X86_AMD, .family = 0x12 }, "x86-64/family12h" },
	{ { .vendor = OP_X86_AMD, .family = 0x14 }, "x86-64/family14h" },
	{ { .vendor = OP_X86_AMD, .family = 0x1a }, "x86-64/generic" },
};

static void model_named(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(nameds); i++) {
		struct op_x86_model model;
		bool found = op_x86_model_find(&nameds[i].identity, &model);

		KUNIT_EXPECT_EQ_MSG(test, found, !!nameds[i].cpu_type, "row %d", i);
		if (found && nameds[i].cpu_type)
			KUNIT_EXPECT_STREQ_MSG(test, model.cpu_type, nameds[i].cpu_type,
					       "row %d", i);
	}
}

/* More than the tables of the module have room for is not used, and does no harm. */
static void model_of_too_many(struct kunit *test)
{
	const struct op_x86_identity identity = {
		.vendor = OP_X86_INTEL, .family = 6, .model = 0xff,
		.leaf_a_eax = 0x0740ff05, .leaf_a_edx = 0x81f,
	};
	struct op_x86_model model;

	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&identity, &model));
	KUNIT_EXPECT_EQ(test, model.nr_general, 32);
	KUNIT_EXPECT_EQ(test, model.nr_fixed, 3);
	KUNIT_EXPECT_EQ(test, model.counter_mask, ~0ULL);
	KUNIT_EXPECT_EQ(test, op_x86_numbers(&model), 35);
	KUNIT_EXPECT_LE(test, op_x86_numbers(&model), (unsigned int)OP_X86_NUMBERS_MAX);
}

/* The drawing in model.h, for two general counters and three fixed ones. */
static void model_numbers(struct kunit *test)
{
	static const unsigned int hardware[] = { 0, 1, 2, 3, 4, 0, 1, 0, 1, 0, 1 };
	static const unsigned int turn[] = { 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3 };
	struct op_x86_model model;
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&machine_core2.identity, &model));
	for (i = 0; i < ARRAY_SIZE(hardware); i++) {
		KUNIT_EXPECT_EQ(test, op_x86_hardware_counter(&model, i), hardware[i]);
		KUNIT_EXPECT_EQ(test, op_x86_group_number(&model, i), turn[i]);
	}
}

/* A register that fake_msr.c has under another name: none of its machines has capabilities. */
static const struct fake_pmu with_capabilities = {
	.bits = 48, .nr_general = 1, .control = MSR_IA32_PERF_CAPABILITIES, .counter = 0xc1,
	.stride = 1,
};

static void be_cpu(u8 vendor, u8 family, u8 cpu_model, int level, u32 extended_level)
{
	memset(&fake_cpu, 0, sizeof(fake_cpu));
	fake_cpu.x86_vendor = vendor;
	fake_cpu.x86 = family;
	fake_cpu.x86_model = cpu_model;
	fake_cpu.cpuid_level = level;
	fake_cpu.extended_cpuid_level = extended_level;
	fake_msr_begin(&with_capabilities);
}

static void set_feature(unsigned int feature)
{
	set_bit(feature, (unsigned long *)fake_cpu.x86_capability);
}

static void model_identified_intel(struct kunit *test)
{
	static const struct leaf table[] = {
		{ .leaf = 0xa, .eax = 0x07300803, .ebx = 0x11, .edx = 0x603 }, {}
	};
	struct op_x86_identity identity;

	leaves = table;
	be_cpu(X86_VENDOR_INTEL, 6, 0x5e, 0xa, 0x80000008);
	op_x86_identify(&identity);
	KUNIT_EXPECT_EQ(test, identity.vendor, OP_X86_INTEL);
	KUNIT_EXPECT_EQ(test, identity.family, 6);
	KUNIT_EXPECT_EQ(test, identity.model, 0x5e);
	KUNIT_EXPECT_EQ(test, identity.leaf_a_eax, 0x07300803);
	KUNIT_EXPECT_EQ(test, identity.leaf_a_edx, 0x603);
	/* Without the feature the register is not asked: it may not be there. */
	KUNIT_EXPECT_FALSE(test, identity.full_width_writes);
	KUNIT_EXPECT_EQ(test, fake_log.nr, 0);
	KUNIT_EXPECT_EQ(test, identity.amd_v2_counters, 0);

	set_feature(X86_FEATURE_PDCM);
	fake_msr_set(MSR_IA32_PERF_CAPABILITIES, 0x1fff);
	op_x86_identify(&identity);
	KUNIT_EXPECT_FALSE(test, identity.full_width_writes);
	fake_msr_set(MSR_IA32_PERF_CAPABILITIES, 0x2000);
	op_x86_identify(&identity);
	KUNIT_EXPECT_TRUE(test, identity.full_width_writes);
	KUNIT_EXPECT_EQ(test, fake_log.faults, 0);

	/* A leaf beyond the last one says what another leaf says: it is not asked. */
	be_cpu(X86_VENDOR_INTEL, 6, 0x0d, 9, 0);
	op_x86_identify(&identity);
	KUNIT_EXPECT_EQ(test, identity.leaf_a_eax, 0);
}

static void model_identified_amd(struct kunit *test)
{
	static const struct leaf table[] = {
		{ .leaf = 0x80000022, .eax = 0x1, .ebx = 0x96 }, {}
	};
	static const struct leaf older[] = {
		{ .leaf = 0x80000022, .eax = 0x6, .ebx = 0x96 }, {}
	};
	struct op_x86_identity identity;

	leaves = table;
	be_cpu(X86_VENDOR_AMD, 0x19, 0x11, 0x10, 0x80000028);
	set_feature(X86_FEATURE_PERFCTR_CORE);
	op_x86_identify(&identity);
	KUNIT_EXPECT_EQ(test, identity.vendor, OP_X86_AMD);
	KUNIT_EXPECT_TRUE(test, identity.amd_core_extension);
	KUNIT_EXPECT_EQ(test, identity.amd_v2_counters, 6);

	leaves = older;
	op_x86_identify(&identity);
	KUNIT_EXPECT_EQ(test, identity.amd_v2_counters, 0);

	leaves = table;
	be_cpu(X86_VENDOR_HYGON, 0x18, 0, 0xd, 0x8000001f);
	op_x86_identify(&identity);
	KUNIT_EXPECT_EQ(test, identity.vendor, OP_X86_AMD);
	KUNIT_EXPECT_FALSE(test, identity.amd_core_extension);
	KUNIT_EXPECT_EQ(test, identity.amd_v2_counters, 0);

	be_cpu(X86_VENDOR_CENTAUR, 6, 0xf, 0xd, 0x80000008);
	op_x86_identify(&identity);
	KUNIT_EXPECT_EQ(test, identity.vendor, OP_X86_OTHER);
}

/* Big and small cores in one machine: what both have. */
static void model_of_several_kinds(struct kunit *test)
{
	struct op_x86_model model, other;

	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&machine_sapphire.identity, &model));
	KUNIT_EXPECT_FALSE(test, model.mixed);
	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&machine_core2.identity, &other));
	merge_models(&model, &other);
	KUNIT_EXPECT_TRUE(test, model.mixed);
	KUNIT_EXPECT_STREQ(test, model.cpu_type, "i386/arch_perfmon");
	KUNIT_EXPECT_EQ(test, model.nr_general, 2);
	KUNIT_EXPECT_EQ(test, model.nr_fixed, 3);
	KUNIT_EXPECT_EQ(test, model.counter_mask, 0xffffffffff);
	KUNIT_EXPECT_EQ(test, model.count_max, 0x7fffffff);
	KUNIT_EXPECT_EQ(test, model.extra, 0xff840000);
}

static void model_common_events(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, op_x86_event_common(0x5300c0));
	KUNIT_EXPECT_TRUE(test, op_x86_event_common(0x53013c));
	KUNIT_EXPECT_TRUE(test, op_x86_event_common(0xff53412e));
	KUNIT_EXPECT_FALSE(test, op_x86_event_common(0x5301c0));
	KUNIT_EXPECT_FALSE(test, op_x86_event_common(0x1005300c0));
	KUNIT_EXPECT_FALSE(test, op_x86_event_common(0x5302c4));
}

/* Each CPU of this machine is asked, on itself. */
static void model_of_this_machine(struct kunit *test)
{
	static const struct leaf nothing[] = { { 0 } };
	struct op_x86_identity identity;
	struct op_x86_model model;

	memset(&fake_cpu, 0, sizeof(fake_cpu));
	fake_cpu.x86_vendor = X86_VENDOR_AMD;
	fake_cpu.x86 = 0x10;
	leaves = nothing;
	KUNIT_ASSERT_TRUE(test, op_x86_model_of_machine(&identity, &model));
	KUNIT_EXPECT_EQ(test, identity.family, 0x10);
	KUNIT_EXPECT_FALSE(test, model.mixed);
	/* CPUs that are offline may be of another kind. */
	set_bit(X86_FEATURE_HYBRID_CPU, (unsigned long *)fake_cpu.x86_capability);
	KUNIT_ASSERT_TRUE(test, op_x86_model_of_machine(&identity, &model));
	KUNIT_EXPECT_TRUE(test, model.mixed);
	fake_cpu.x86_vendor = X86_VENDOR_INTEL;
	KUNIT_EXPECT_FALSE(test, op_x86_model_of_machine(&identity, &model));
}

TEST_SUITE(oprofile_x86_model, NULL, NULL,
	   KUNIT_CASE_PARAM(model_described, described_gen_params),
	   KUNIT_CASE(model_named),
	   KUNIT_CASE(model_of_too_many),
	   KUNIT_CASE(model_numbers),
	   KUNIT_CASE(model_identified_intel),
	   KUNIT_CASE(model_identified_amd),
	   KUNIT_CASE(model_of_several_kinds),
	   KUNIT_CASE(model_common_events),
	   KUNIT_CASE(model_of_this_machine));
