/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMUs that can be emulated: which registers there are and how the guest learns of them.
 */
#ifndef PMU_MODEL_H
#define PMU_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define PMU_GENERAL_MAX 16 /* general counters, of any model */
#define PMU_FIXED_MAX	4

enum pmu_family {
	PMU_P6,	      /* two counters behind one enable bit, no CPUID leaf */
	PMU_ARCH,     /* Intel's architectural performance monitoring, CPUID leaf 0xA */
	PMU_AMD_K7,   /* four counters at 0xC0010000.. */
	PMU_AMD_CORE, /* core extension: six counters at 0xC0010200.. */
};

/* What CPUID leaf 0x1A says of a CPU of a machine that has several kinds. */
enum pmu_kind {
	PMU_ONLY_KIND,
	PMU_SMALL = 0x20,
	PMU_BIG = 0x40,
};

struct pmu_model {
	const char *name;
	const char *cpu; /* QEMU's -cpu model that a kernel expects such a PMU on */
	enum pmu_family family;
	unsigned int version;	  /* of PMU_ARCH, 1-6; of PMU_AMD_CORE, 2: global registers */
	unsigned int general;	  /* number of general counters */
	unsigned int width;	  /* of a general counter, in bits */
	unsigned int fixed;	  /* number of fixed counters */
	unsigned int fixed_width; /* in bits */
	bool full_width;	  /* IA32_PMCx and IA32_PERF_CAPABILITIES */
	bool masks_lvtpc;	  /* the local APIC masks LVTPC when it delivers an interrupt */
	enum pmu_kind kind;
	const char *partner; /* the model of every second CPU; NULL: all CPUs are alike */
};

/* Returns the model of that name, or NULL. */
const struct pmu_model *pmu_model_find(const char *name);

/* Returns the i-th model, or NULL after the last. */
const struct pmu_model *pmu_model_at(unsigned int i);

/*
 * Says what is wrong with a model that options have changed (a static string), or NULL if the
 * registers of its family can be so.
 */
const char *pmu_model_flaw(const struct pmu_model *model);

#endif
