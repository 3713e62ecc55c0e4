// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intel SDM volume 2, CPUID leaves 0, 1, 7, 0xA and 0x1A; AMD APM volume 3, leaves 0x80000000,
 * 0x80000001 and 0x80000022.
 */
#include "cpuid.h"

#define LEAF_FEATURES	     7
#define LEAF_PERFMON	     0xa
#define LEAF_QEMU_HIGHEST    0xd
#define LEAF_KIND	     0x1a
#define LEAF_AMD_HIGHEST     0x80000000
#define LEAF_AMD_FEATURES    0x80000001
#define LEAF_AMD_V2	     0x80000022
#define FEATURE_HYBRID	     (UINT32_C(1) << 15) /* LEAF_FEATURES EDX: CPUs are of kinds */
#define FEATURE_PDCM	     (UINT32_C(1) << 15) /* leaf 1 ECX: IA32_PERF_CAPABILITIES exists */
#define FEATURE_PERFCTR_CORE (UINT32_C(1) << 23) /* LEAF_AMD_FEATURES ECX */
/*
 * Architectural events that are there: core cycles, instructions, reference cycles, branches;
 * not cache references (bit 3) and misses (4), mispredicted branches (6) and slots (7).
 */
#define EVENTS_MISSING	  UINT32_C(0x58)
#define EVENTS_MISSING_V5 UINT32_C(0x80)

/* Big cores tell of the counters that small ones have, too: drivers know that there are more. */
static void perfmon(const struct pmu_model *model, struct pmu_cpuid *answer)
{
	const struct pmu_model *told = model->partner ? pmu_model_find(model->partner) : model;
	unsigned int events = model->version >= 5 ? 8 : 7;

	*answer = (struct pmu_cpuid){ 0 };
	if (model->family != PMU_ARCH)
		return;
	answer->eax = model->version | told->general << 8 | model->width << 16 | events << 24;
	answer->ebx = EVENTS_MISSING | (model->version >= 5 ? EVENTS_MISSING_V5 : 0);
	if (model->version >= 2)
		answer->edx = told->fixed | model->fixed_width << 5;
	if (model->version >= 5)
		answer->ecx = (UINT32_C(1) << told->fixed) - 1;
}

static void at_least(uint32_t *value, uint32_t least)
{
	if (*value < least)
		*value = least;
}

void pmu_cpuid(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
	       struct pmu_cpuid *answer)
{
	bool amd_v2 = model->family == PMU_AMD_CORE && model->version >= 2;

	/* QEMU answers to leaves above its highest with that of another. */
	if (model->kind && leaf > LEAF_QEMU_HIGHEST && leaf < LEAF_KIND)
		*answer = (struct pmu_cpuid){ 0 };
	switch (leaf) {
	case 0:
		if (model->family == PMU_ARCH)
			at_least(&answer->eax, model->kind ? LEAF_KIND : LEAF_PERFMON);
		break;
	case 1:
		answer->ecx &= ~FEATURE_PDCM;
		if (model->full_width)
			answer->ecx |= FEATURE_PDCM;
		break;
	case LEAF_FEATURES:
		if (model->kind && subleaf == 0)
			answer->edx |= FEATURE_HYBRID;
		break;
	case LEAF_PERFMON:
		perfmon(model, answer);
		break;
	case LEAF_KIND:
		if (model->kind)
			*answer = (struct pmu_cpuid){ .eax = (uint32_t)model->kind << 24 };
		break;
	case LEAF_AMD_HIGHEST:
		if (amd_v2)
			at_least(&answer->eax, LEAF_AMD_V2);
		break;
	case LEAF_AMD_V2:
		if (amd_v2)
			*answer = (struct pmu_cpuid){ .eax = 1, .ebx = model->general };
		break;
	case LEAF_AMD_FEATURES:
		answer->ecx &= ~FEATURE_PERFCTR_CORE;
		if (model->family == PMU_AMD_CORE)
			answer->ecx |= FEATURE_PERFCTR_CORE;
		break;
	}
}
