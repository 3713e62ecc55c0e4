/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * This CPU's PMU on a machine made of memory: what x86/pmu.c logs instead of samples, and its
 * clocks.  Shared by suites; of pmu_test.c.
 */
#ifndef OPROFILE_KUNIT_SAMPLES_H
#define OPROFILE_KUNIT_SAMPLES_H

#include <linux/types.h>

#include "x86/machines.h"
#include "x86/pmu.h"
#include "x86/settings.h"

struct kunit;
struct pt_regs;

#define FAKE_SAMPLES_MAX 32

/**
 * struct fake_samples - what was logged
 * @nr: may be more than there is room for
 * @number: of the counter of each sample
 * @weight: of each sample; 0: its period
 * @regs: of the last sample
 */
struct fake_samples {
	unsigned int nr;
	u8 number[FAKE_SAMPLES_MAX];
	u64 weight[FAKE_SAMPLES_MAX];
	struct pt_regs *regs;
	unsigned int throttled;
	unsigned int guest;
};

extern struct fake_samples fake_samples;
extern u64 fake_ns;	/* what ktime_get_ns() says */
extern u64 fake_cycles; /* what rdtsc() says */
extern u64 fake_cycles_step; /* added by each rdtsc() */

extern struct op_x86_model fake_model;
extern struct op_x86_plan fake_plan;

/* For suites: this thread stays on its CPU, whose PMU is stopped. */
int fake_pmu_init(struct kunit *test);

/* No accesses to registers that are not there, and the CPU's PMU is stopped. */
void fake_pmu_exit(struct kunit *test);

/* Begins anew with @machine, and with a plan of what settings.h holds; does not start it. */
void fake_pmu_set_up(struct kunit *test, const struct machine *machine);

/* An NMI comes: what the handler said. */
int fake_pmu_nmi(void);

#endif
