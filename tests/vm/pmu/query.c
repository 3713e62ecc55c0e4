// SPDX-License-Identifier: GPL-2.0-or-later
#include "query.h"

#include "apic.h"
#include "env.h"
#include "histogram.h"
#include "vcpu.h"

bool query_is(uint32_t leaf)
{
	return leaf >= PMU_QUERY_BASE && leaf < PMU_QUERY_END;
}

bool query_wants_alone(uint32_t leaf)
{
	return leaf == PMU_QUERY_SNAPSHOT;
}

static void answer(struct env *env, uint64_t rax, uint64_t rbx, uint64_t rcx, uint64_t rdx)
{
	env->general[ENV_RAX] = rax;
	env->general[ENV_RBX] = rbx;
	env->general[ENV_RCX] = rcx;
	env->general[ENV_RDX] = rdx;
}

static void answer_statistics(struct env *env)
{
	uint64_t interrupts = 0, masked = 0, steps = 0, early = 0;

	for (unsigned int i = 0; i < vcpu_count(); i++) {
		const struct vcpu *vcpu = vcpu_at(i);

		interrupts += vcpu->statistics.interrupts;
		masked += vcpu->statistics.interrupts_masked;
		steps += vcpu->statistics.steps;
		early += vcpu->statistics.early;
	}
	answer(env, interrupts, masked, steps, early);
}

/* Numbers that don't fit 32 bits are none; in 64-bit code a caller can pass any. */
static unsigned int number(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : value;
}

void query_answer(uint32_t leaf, struct vcpu *vcpu, struct env *env)
{
	const struct pmu_model *model = vcpu->pmu.model;
	uint64_t rbx = env->general[ENV_RBX], rcx = env->general[ENV_RCX];
	uint64_t rdx = env->general[ENV_RDX], count = 0;
	int64_t addresses;
	bool ok;

	switch (leaf) {
	case PMU_QUERY_IDENTIFY:
		answer(env, PMU_QUERY_MAGIC, vcpu_count(), model->general,
		       model->fixed | (model->masks_lvtpc ? PMU_QUERY_MASKS : 0));
		break;
	case PMU_QUERY_SNAPSHOT:
		addresses = histogram_snapshot(number(rcx));
		answer(env, addresses, addresses >= 0, rcx, rdx);
		break;
	case PMU_QUERY_COUNT:
		ok = histogram_count(number(rcx), rbx, rdx, &count);
		answer(env, count, ok, rcx, rdx);
		break;
	case PMU_QUERY_TOTAL:
		ok = histogram_total(number(rcx), number(rdx) / PMU_QUERY_CPU, number(rbx),
				     number(rdx) % PMU_QUERY_CPU, &count);
		answer(env, count, ok, rcx, rdx);
		break;
	case PMU_QUERY_STATISTICS:
		answer_statistics(env);
		break;
	case PMU_QUERY_LVTPC:
		if (rcx == 1)
			apic_lvtpc_write(rbx);
		answer(env, apic_lvtpc_read(), rbx, rcx, rdx);
		break;
	}
}
