/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machines: what their CPUID says, and how their PMU behaves.
 */
#ifndef OPROFILE_KUNIT_MACHINES_H
#define OPROFILE_KUNIT_MACHINES_H

#include "x86/fake_msr.h"
#include "x86/model.h"

struct machine {
	const char *name;
	struct op_x86_identity identity;
	struct fake_pmu pmu;
};

extern const struct machine machine_pentium3;
extern const struct machine machine_core;	 /* architectural, version 1 */
extern const struct machine machine_core2;	 /* version 2 */
extern const struct machine machine_nehalem;	 /* version 3 */
extern const struct machine machine_skylake;	 /* version 4, writes of full width */
extern const struct machine machine_sapphire;	 /* version 5, four fixed counters */
extern const struct machine machine_hypervisor; /* version 2 without fixed counters */
extern const struct machine machine_family10;	 /* AMD, four counters */
extern const struct machine machine_family15;	 /* six */
extern const struct machine machine_zen4;	 /* PerfMonV2: global registers */

#endif
