// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which PMU this is.
 */
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include <asm/processor.h>

#include "model.h"
#include "msr.h"

#define LEAF_KIND 0x1a
#define PERF_CAPABILITIES_FULL_WIDTH BIT_ULL(13) /* SDM: FW_WRITE */

static const u64 basic_extra =
	ARCH_PERFMON_EVENTSEL_EDGE | ARCH_PERFMON_EVENTSEL_INV | ARCH_PERFMON_EVENTSEL_CMASK;

/* Models of Intel family 6 that have a name of their own; the rest is arch_perfmon. */
static const struct {
	u8 model;
	const char *cpu_type;
} intel_models[] = {
	{ 0x0e, "i386/core" },
	{ 0x0f, "i386/core_2" },      { 0x16, "i386/core_2" },
	{ 0x17, "i386/core_2" },      { 0x1d, "i386/core_2" },
	{ 0x1a, "i386/core_i7" },     { 0x1e, "i386/core_i7" },
	{ 0x1f, "i386/core_i7" },     { 0x2e, "i386/core_i7" },
	{ 0x1c, "i386/atom" },
	{ 0x25, "i386/westmere" },    { 0x2c, "i386/westmere" },
	{ 0x2f, "i386/westmere" },
	{ 0x2a, "i386/sandybridge" }, { 0x2d, "i386/sandybridge" },
	{ 0x3a, "i386/ivybridge" },   { 0x3e, "i386/ivybridge" },
	{ 0x3c, "i386/haswell" },     { 0x3f, "i386/haswell" },
	{ 0x45, "i386/haswell" },     { 0x46, "i386/haswell" },
	{ 0x3d, "i386/broadwell" },   { 0x47, "i386/broadwell" },
	{ 0x4f, "i386/broadwell" },   { 0x56, "i386/broadwell" },
	{ 0x4e, "i386/skylake" },     { 0x55, "i386/skylake" },
	{ 0x5e, "i386/skylake" },     { 0x8e, "i386/skylake" },
	{ 0x9e, "i386/skylake" },
	{ 0x37, "i386/silvermont" },  { 0x4c, "i386/silvermont" },
	{ 0x4d, "i386/silvermont" },
	{ 0x5c, "i386/goldmont" },    { 0x5f, "i386/goldmont" },
	{ 0x7a, "i386/goldmontplus" },
	{ 0x57, "i386/knightslanding" }, { 0x85, "i386/knightslanding" },
};

static const char *intel_cpu_type(u8 model)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(intel_models); i++) {
		if (intel_models[i].model == model)
			return intel_models[i].cpu_type;
	}
	return "i386/arch_perfmon";
}

static void describe_arch_perfmon(const struct op_x86_identity *identity,
				  struct op_x86_model *model)
{
	union cpuid10_eax eax = { .full = identity->leaf_a_eax };
	union cpuid10_edx edx = { .full = identity->leaf_a_edx };

	model->cpu_type = identity->vendor == OP_X86_INTEL && identity->family == 6 ?
				  intel_cpu_type(identity->model) : "i386/arch_perfmon";
	model->nr_general = min_t(unsigned int, eax.split.num_counters, OP_X86_GENERAL_MAX);
	model->counter_mask = GENMASK_ULL(eax.split.bit_width - 1, 0);
	model->event_max = 0xff;
	model->extra = basic_extra;
	model->bank = (struct op_x86_bank){
		.control = MSR_ARCH_PERFMON_EVENTSEL0,
		.counter = MSR_ARCH_PERFMON_PERFCTR0,
		.write = MSR_ARCH_PERFMON_PERFCTR0,
		.stride = 1,
	};
	/* A write to the counter itself is 32 bits wide and sign-extended. */
	model->count_max = S32_MAX;
	if (identity->full_width_writes) {
		model->bank.write = MSR_IA32_PMC0;
		model->count_max = model->counter_mask >> 1;
	}

	if (eax.split.version_id >= 2) {
		model->global = (struct op_x86_global){
			.control = MSR_CORE_PERF_GLOBAL_CTRL,
			.status = MSR_CORE_PERF_GLOBAL_STATUS,
			.acknowledge = MSR_CORE_PERF_GLOBAL_OVF_CTRL,
		};
		/* Some hypervisors say version 2 and no fixed counters: believe them. */
		model->nr_fixed = min_t(unsigned int, edx.split.num_counters_fixed,
					OP_X86_FIXED_MAX - 1);
	}
	model->unreserved = eax.split.version_id >= 6;
	if (eax.split.version_id >= 3)
		model->extra |= ARCH_PERFMON_EVENTSEL_ANY;
}

static bool describe_p6(const struct op_x86_identity *identity, struct op_x86_model *model)
{
	switch (identity->model) {
	case 0 ... 2:
		model->cpu_type = "i386/ppro";
		break;
	case 3 ... 5:
		model->cpu_type = "i386/pii";
		break;
	case 6 ... 8:
	case 10:
	case 11:
		model->cpu_type = "i386/piii";
		break;
	case 9:
	case 13:
		model->cpu_type = "i386/p6_mobile";
		break;
	default:
		return false;
	}
	model->nr_general = 2;
	model->counter_mask = GENMASK_ULL(39, 0);
	model->count_max = S32_MAX; /* writes are sign-extended, as above */
	model->event_max = 0xff;
	model->extra = basic_extra;
	model->enable_by_first = true;
	model->bank = (struct op_x86_bank){
		.control = MSR_P6_EVNTSEL0,
		.counter = MSR_P6_PERFCTR0,
		.write = MSR_P6_PERFCTR0,
		.stride = 1,
	};
	return true;
}

static const char *amd_cpu_type(u8 family)
{
	switch (family) {
	case 6:
		return "i386/athlon";
	case 0xf:
		return "x86-64/hammer";
	case 0x10:
		return "x86-64/family10";
	case 0x11:
		return "x86-64/family11h";
	case 0x12:
		return "x86-64/family12h";
	case 0x14:
		return "x86-64/family14h";
	case 0x15:
		return "x86-64/family15h";
	default:
		return "x86-64/generic";
	}
}

static bool describe_amd(const struct op_x86_identity *identity, struct op_x86_model *model)
{
	if (identity->family < 6)
		return false;
	model->cpu_type = amd_cpu_type(identity->family);
	model->nr_general = 4;
	model->counter_mask = GENMASK_ULL(47, 0);
	model->count_max = GENMASK_ULL(46, 0);
	model->event_max = 0xfff;
	model->extra = basic_extra;
	model->late_nmis = true;
	model->bank = (struct op_x86_bank){
		.control = MSR_K7_EVNTSEL0,
		.counter = MSR_K7_PERFCTR0,
		.write = MSR_K7_PERFCTR0,
		.stride = 1,
	};
	if (identity->amd_core_extension) {
		model->nr_general = 6;
		model->bank = (struct op_x86_bank){
			.control = MSR_F15H_PERF_CTL,
			.counter = MSR_F15H_PERF_CTR,
			.write = MSR_F15H_PERF_CTR,
			.stride = 2,
		};
	}
	if (identity->amd_v2_counters) {
		model->nr_general = min_t(unsigned int, identity->amd_v2_counters,
					  OP_X86_GENERAL_MAX);
		model->global = (struct op_x86_global){
			.control = MSR_AMD64_PERF_CNTR_GLOBAL_CTL,
			.status = MSR_AMD64_PERF_CNTR_GLOBAL_STATUS,
			.acknowledge = MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR,
		};
	}
	return true;
}

bool op_x86_model_find(const struct op_x86_identity *identity, struct op_x86_model *model)
{
	union cpuid10_eax eax = { .full = identity->leaf_a_eax };

	memset(model, 0, sizeof(*model));
	if (identity->vendor == OP_X86_AMD)
		return describe_amd(identity, model);
	/* VIA and Zhaoxin too. */
	if (eax.split.version_id && eax.split.num_counters && eax.split.bit_width >= 32) {
		describe_arch_perfmon(identity, model);
		return true;
	}
	/* Pentium 4 (family 15) is left out: its registers are like no other's. */
	return identity->vendor == OP_X86_INTEL && identity->family == 6 &&
	       describe_p6(identity, model);
}

bool op_x86_identity_same(const struct op_x86_identity *one, const struct op_x86_identity *other)
{
	return !memcmp(one, other, sizeof(*one)); /* both began as zeros */
}

/* What both have. */
static void merge_models(struct op_x86_model *model, const struct op_x86_model *other)
{
	model->mixed = true;
	model->cpu_type = "i386/arch_perfmon";
	model->nr_general = min(model->nr_general, other->nr_general);
	model->nr_fixed = min(model->nr_fixed, other->nr_fixed);
	model->counter_mask &= other->counter_mask;
	model->count_max = min(model->count_max, other->count_max);
	model->event_max = min(model->event_max, other->event_max);
	model->extra &= other->extra;
	model->unreserved |= other->unreserved;
}

static void identify_this_cpu(void *identity)
{
	op_x86_identify(identity);
}

static bool join_cpu(unsigned int cpu, struct op_x86_identity *first, struct op_x86_model *model)
{
	struct op_x86_identity identity;
	struct op_x86_model other;

	if (smp_call_function_single(cpu, identify_this_cpu, &identity, true))
		return false;
	if (cpu == cpumask_first(cpu_online_mask)) {
		*first = identity;
		return op_x86_model_find(&identity, model);
	}
	if (op_x86_identity_same(&identity, first))
		return true;
	if (!op_x86_model_find(&identity, &other))
		return false;
	merge_models(model, &other);
	return true;
}

bool op_x86_model_of_machine(struct op_x86_identity *identity, struct op_x86_model *model)
{
	unsigned int cpu;
	bool found = true;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		found = found && join_cpu(cpu, identity, model);
	cpus_read_unlock();
	if (found && boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		merge_models(model, model); /* those that are offline may be of another kind */
	return found;
}

/* SDM volume 3, "Pre-defined Architectural Performance Events". */
static const u16 common_events[] = { 0x003c, 0x00c0, 0x013c, 0x4f2e, 0x412e, 0x00c4, 0x00c5 };

bool op_x86_event_common(u64 select)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(common_events); i++) {
		if ((select & (AMD64_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK)) ==
		    common_events[i])
			return true;
	}
	return false;
}

static_assert(OP_X86_NUMBERS <= OP_X86_NUMBERS_MAX);

unsigned int op_x86_numbers(const struct op_x86_model *model)
{
	unsigned int hardware = op_x86_hardware_counters(model);

	if (hardware >= OP_X86_NUMBERS)
		return hardware;
	return hardware + rounddown(OP_X86_NUMBERS - hardware, model->nr_general);
}

void op_x86_identify(struct op_x86_identity *identity)
{
	const struct cpuinfo_x86 *cpu = &boot_cpu_data;
	u32 eax, ebx, ecx, edx;

	memset(identity, 0, sizeof(*identity));
	identity->family = cpu->x86;
	identity->model = cpu->x86_model;
	switch (cpu->x86_vendor) {
	case X86_VENDOR_INTEL:
		identity->vendor = OP_X86_INTEL;
		break;
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		identity->vendor = OP_X86_AMD;
		break;
	default:
		identity->vendor = OP_X86_OTHER;
	}

	if (cpu->cpuid_level >= 0xa) {
		cpuid(0xa, &identity->leaf_a_eax, &ebx, &ecx, &identity->leaf_a_edx);
		if (boot_cpu_has(X86_FEATURE_PDCM))
			identity->full_width_writes = op_msr_read(MSR_IA32_PERF_CAPABILITIES) &
						      PERF_CAPABILITIES_FULL_WIDTH;
	}
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU) && cpu->cpuid_level >= LEAF_KIND) {
		cpuid(LEAF_KIND, &eax, &ebx, &ecx, &edx);
		identity->kind = eax >> 24;
	}
	identity->amd_core_extension = boot_cpu_has(X86_FEATURE_PERFCTR_CORE);
	if (cpu->extended_cpuid_level >= 0x80000022) {
		cpuid(0x80000022, &eax, &ebx, &ecx, &edx);
		if (eax & BIT(0)) /* PerfMonV2 */
			identity->amd_v2_counters = ebx & 0xf;
	}
}
