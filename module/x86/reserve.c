// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reservation by the kernel's own book-keeping of event selects and counters, and a look at what
 * counts all the same.
 */
#include <linux/bits.h>

#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>

#include "x86/msr.h"
#include "x86/reserve.h"

#define RINGS_OF_FIXED 3 /* of the four bits that each of them has */

static unsigned int users_of_counter0; /* it and the fixed ones; under the core's mutex */

static bool reserve_general(const struct op_x86_model *model, unsigned int number)
{
	unsigned int at = number * model->bank.stride;

	if (!reserve_perfctr_nmi(model->bank.counter + at))
		return false;
	if (!reserve_evntsel_nmi(model->bank.control + at)) {
		release_perfctr_nmi(model->bank.counter + at);
		return false;
	}
	return true;
}

static void release_general(const struct op_x86_model *model, unsigned int number)
{
	unsigned int at = number * model->bank.stride;

	release_evntsel_nmi(model->bank.control + at);
	release_perfctr_nmi(model->bank.counter + at);
}

static bool shares_counter0(const struct op_x86_model *model, unsigned int number)
{
	return number == 0 || number >= model->nr_general;
}

bool op_x86_counter_reserve(const struct op_x86_model *model, unsigned int number)
{
	if (!shares_counter0(model, number))
		return reserve_general(model, number);
	if (!users_of_counter0 && !reserve_general(model, 0))
		return false;
	users_of_counter0++;
	return true;
}

void op_x86_counter_release(const struct op_x86_model *model, unsigned int number)
{
	if (!shares_counter0(model, number))
		release_general(model, number);
	else if (!--users_of_counter0)
		release_general(model, 0);
}

static bool runs_globally(const struct op_x86_model *model, u64 bit)
{
	return !model->global.control || op_msr_read(model->global.control) & bit;
}

static bool general_used(const struct op_x86_model *model, unsigned int number)
{
	u64 control = op_msr_read(model->bank.control + number * model->bank.stride);
	u64 enable = model->enable_by_first ? op_msr_read(model->bank.control) : control;

	return enable & ARCH_PERFMON_EVENTSEL_ENABLE &&
	       control & (ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS) &&
	       runs_globally(model, BIT_ULL(number));
}

static bool fixed_used(const struct op_x86_model *model, unsigned int index)
{
	u64 control = op_msr_read(MSR_CORE_PERF_FIXED_CTR_CTRL) >> 4 * index;

	return control & RINGS_OF_FIXED && runs_globally(model, BIT_ULL(32 + index));
}

bool op_x86_counter_used(const struct op_x86_model *model, unsigned int number)
{
	if (number < model->nr_general)
		return general_used(model, number);
	return fixed_used(model, number - model->nr_general);
}

bool op_x86_traced(void)
{
	u64 control;

	return boot_cpu_has(X86_FEATURE_INTEL_PT) &&
	       op_msr_read_safe(MSR_IA32_RTIT_CTL, &control) && control & RTIT_CTL_TRACEEN;
}

bool op_x86_counter_free(const struct op_x86_model *model, unsigned int number)
{
	if (!op_x86_counter_reserve(model, number))
		return false;
	op_x86_counter_release(model, number);
	return true;
}
