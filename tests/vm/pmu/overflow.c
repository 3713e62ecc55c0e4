// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A block that contains the instruction of an overflow before its end is left and executed again
 * in blocks of one instruction.  The interrupt is raised when the next block begins (or when
 * something else interrupts), and that block is left, so that the interrupt is taken right after
 * the instruction that made the counter overflow: no skid.
 */
#include "overflow.h"

#include <stdatomic.h>

#include "apic.h"

/* CPUs that want blocks of one instruction: QEMU's switch is for all of them. */
static atomic_uint steppers;

static void step(struct vcpu *vcpu, bool stepping)
{
	if (vcpu->stepping == stepping)
		return;
	vcpu->stepping = stepping;
	if (stepping) {
		atomic_fetch_add(&steppers, 1);
		__atomic_store_n(&one_insn_per_tb, true, __ATOMIC_SEQ_CST);
		return;
	}
	if (atomic_fetch_sub(&steppers, 1) != 1)
		return;
	__atomic_store_n(&one_insn_per_tb, false, __ATOMIC_SEQ_CST);
	/* somebody may have set it meanwhile */
	if (atomic_load(&steppers))
		__atomic_store_n(&one_insn_per_tb, true, __ATOMIC_SEQ_CST);
}

bool overflow_sync(struct vcpu *vcpu, const struct pmu_totals *now)
{
	if (!pmu_advance(&vcpu->pmu, now))
		return false;
	switch (apic_counter_interrupt(vcpu->pmu.model->masks_lvtpc)) {
	case APIC_MASKED:
		vcpu->statistics.interrupts_masked++;
		return false;
	case APIC_SENT:
		vcpu->statistics.interrupts++;
		return false;
	case APIC_SENT_NMI:
		vcpu->statistics.interrupts++;
		return true;
	}
	return false;
}

void overflow_plan(struct vcpu *vcpu)
{
	for (unsigned int ring = 0; ring < PMU_RINGS; ring++)
		vcpu_set_budget(vcpu, ring, pmu_budget(&vcpu->pmu, ring));
}

void overflow_interrupted(struct vcpu *vcpu)
{
	step(vcpu, false);
}

void overflow_look(unsigned int vcpu_index, void *data)
{
	struct vcpu *vcpu = vcpu_at(vcpu_index);
	struct block *block = data;
	const struct pmu_run *run = &block->run;
	uint64_t interrupts = vcpu->statistics.interrupts;
	struct pmu_totals now;
	unsigned int at;

	/* before the block */
	vcpu->score->budget[run->ring] -= run->instructions;
	vcpu_totals(vcpu, &now);
	overflow_sync(vcpu, &now);
	overflow_plan(vcpu);
	if (interrupts != vcpu->statistics.interrupts)
		goto leave;

	at = pmu_overflow_in(&vcpu->pmu, run);
	if (at && at < run->instructions) {
		vcpu->statistics.steps++;
		step(vcpu, true);
		goto leave;
	}
	step(vcpu, false);
	if (at) /* with the last instruction: look again before the next one, in any ring */
		for (unsigned int ring = 0; ring < PMU_RINGS; ring++)
			vcpu_set_budget(vcpu, ring, 0);
	vcpu->score->budget[run->ring] += run->instructions;
	return;

leave:
	cpu_loop_exit_restore(vcpu->cpu, (uintptr_t)__builtin_return_address(0));
}
