/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of each x86 CPU type, as far as CPUID is not needed.
 */
#ifndef LIBOP_CPU_PMU_H
#define LIBOP_CPU_PMU_H

#include <stdbool.h>

#define OP_CPU_PMU_NAMES 3

struct op_cpu_pmu {
	const char *cpu_name;
	unsigned int counters; /* general counters of a logical CPU; 0: see CPUID */
	bool perfmon;	       /* architectural: CPUID 0xA takes precedence */
	bool text_only;	       /* of OProfile's time: its text catalogue is complete */
	/* libpfm4's names, best first: a PMU that a libpfm4 does not know yet may have the events
	 * of an older one with the same core */
	const char *pfm[OP_CPU_PMU_NAMES];
};

/* The PMU of the type called @cpu_name; NULL if it is none of x86. */
const struct op_cpu_pmu *op_cpu_pmu(const char *cpu_name);

#endif
