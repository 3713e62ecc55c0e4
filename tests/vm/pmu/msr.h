/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU as the guest's RDMSR, WRMSR and RDPMC see it.
 */
#ifndef PMU_MSR_H
#define PMU_MSR_H

#include "counter.h"

enum pmu_access {
	PMU_ACCESS_DONE,
	PMU_ACCESS_FAULT,   /* general protection: no such register, reserved bit, read-only */
	PMU_ACCESS_FOREIGN, /* not a register of a PMU of this family */
};

/* Reads register @number into @value. The counters are as of pmu->now. */
enum pmu_access pmu_msr_read(const struct pmu *pmu, uint32_t number, uint64_t *value);

/* Writes register @number; on anything but PMU_ACCESS_DONE nothing has changed. */
enum pmu_access pmu_msr_write(struct pmu *pmu, uint32_t number, uint64_t value);

/* Reads the counter that RDPMC means by @index. */
enum pmu_access pmu_rdpmc(const struct pmu *pmu, uint32_t index, uint64_t *value);

#endif
