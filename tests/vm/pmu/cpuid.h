/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the guest learns of the PMU.
 */
#ifndef PMU_CPUID_H
#define PMU_CPUID_H

#include "model.h"

struct pmu_cpuid {
	uint32_t eax, ebx, ecx, edx;
};

/* Changes what the CPU would answer to leaf @leaf, @subleaf into what one with this PMU answers. */
void pmu_cpuid(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
	       struct pmu_cpuid *answer);

#endif
