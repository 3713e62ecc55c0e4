// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intel SDM volume 2, CPUID leaves 0, 1 and 0xA; AMD APM volume 3, leaf 0x80000001.
 */
#include "cpuid.h"

#define LEAF_PERFMON	     0xa
#define LEAF_AMD_FEATURES    0x80000001
#define FEATURE_PDCM	     (UINT32_C(1) << 15) /* leaf 1 ECX: IA32_PERF_CAPABILITIES exists */
#define FEATURE_PERFCTR_CORE (UINT32_C(1) << 23) /* LEAF_AMD_FEATURES ECX */
/*
 * Architectural events that are there: core cycles, instructions, reference cycles, branches;
 * not cache references (bit 3) and misses (4), mispredicted branches (6) and slots (7).
 */
#define EVENTS_MISSING	  UINT32_C(0x58)
#define EVENTS_MISSING_V5 UINT32_C(0x80)

static void perfmon(const struct pmu_model *model, struct pmu_cpuid *answer)
{
	unsigned int events = model->version >= 5 ? 8 : 7;

	*answer = (struct pmu_cpuid){ 0 };
	if (model->family != PMU_ARCH)
		return;
	answer->eax = model->version | model->general << 8 | model->width << 16 | events << 24;
	answer->ebx = EVENTS_MISSING | (model->version >= 5 ? EVENTS_MISSING_V5 : 0);
	if (model->version >= 2)
		answer->edx = model->fixed | model->fixed_width << 5;
	if (model->version >= 5)
		answer->ecx = (UINT32_C(1) << model->fixed) - 1;
}

void pmu_cpuid(const struct pmu_model *model, uint32_t leaf, struct pmu_cpuid *answer)
{
	switch (leaf) {
	case 0:
		if (model->family == PMU_ARCH && answer->eax < LEAF_PERFMON)
			answer->eax = LEAF_PERFMON;
		break;
	case 1:
		answer->ecx &= ~FEATURE_PDCM;
		if (model->full_width)
			answer->ecx |= FEATURE_PDCM;
		break;
	case LEAF_PERFMON:
		perfmon(model, answer);
		break;
	case LEAF_AMD_FEATURES:
		answer->ecx &= ~FEATURE_PERFCTR_CORE;
		if (model->family == PMU_AMD_CORE)
			answer->ecx |= FEATURE_PERFCTR_CORE;
		break;
	}
}
