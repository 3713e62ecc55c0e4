// SPDX-License-Identifier: GPL-2.0-or-later
#include "vcpu.h"

#include "fail.h"
#include "histogram.h"

_Static_assert(sizeof(struct score) == 16 * sizeof(uint64_t), "a power of two");

static struct qemu_plugin_scoreboard *scores;
static struct vcpu *vcpus;
static unsigned int vcpus_count;

static qemu_plugin_u64 cell(size_t offset)
{
	return (qemu_plugin_u64){ scores, offset };
}

qemu_plugin_u64 vcpu_budget_cell(enum pmu_ring ring)
{
	return cell(offsetof(struct score, budget) + ring * sizeof(uint64_t));
}

qemu_plugin_u64 vcpu_block_cell(void)
{
	return cell(offsetof(struct score, block));
}

qemu_plugin_u64 vcpu_branch_cell(enum pmu_ring ring, enum pmu_quantity branch)
{
	return cell(offsetof(struct score, branches) +
		    (ring * PMU_QUANTITIES + branch) * sizeof(uint64_t));
}

void vcpu_setup(unsigned int count, const struct pmu_model *model)
{
	if (count > VCPU_MAX)
		pmu_fail("%u CPUs are too many, at most %d", count, VCPU_MAX);
	scores = qemu_plugin_scoreboard_new(sizeof(struct score));
	vcpus = pmu_allocate(count, sizeof(*vcpus));
	vcpus_count = count;
	for (unsigned int i = 0; i < count; i++)
		pmu_reset(&vcpus[i].pmu,
			  model->partner && i % 2 ? pmu_model_find(model->partner) : model);
}

void vcpu_begin(unsigned int index)
{
	struct vcpu *vcpu;

	if (index >= vcpus_count)
		pmu_fail("CPU %u was plugged in later: not supported", index);
	if (!current_cpu)
		pmu_fail("CPU %u begins on a thread that is not its own", index);
	vcpu = &vcpus[index];
	vcpu->cpu = current_cpu;
	vcpu->score = qemu_plugin_scoreboard_find(scores, index);
	vcpu->score->block = VCPU_LAST;
	for (unsigned int ring = 0; ring < PMU_RINGS; ring++)
		vcpu_set_budget(vcpu, ring, PMU_FAR_AWAY);
}

unsigned int vcpu_count(void)
{
	return vcpus_count;
}

struct vcpu *vcpu_at(unsigned int index)
{
	return &vcpus[index];
}

struct vcpu *vcpu_of(const CPUState *cpu)
{
	for (unsigned int i = 0; i < vcpus_count; i++)
		if (vcpus[i].cpu == cpu)
			return &vcpus[i];
	pmu_fail("there is a CPU that never began");
}

uint64_t vcpu_retired(const struct vcpu *vcpu, enum pmu_ring ring)
{
	return vcpu->score ? vcpu->score->budget[ring] - vcpu->bias[ring] : 0;
}

void vcpu_totals(const struct vcpu *vcpu, struct pmu_totals *totals)
{
	for (unsigned int ring = 0; ring < PMU_RINGS; ring++) {
		totals->count[ring][PMU_INSTRUCTIONS] = vcpu_retired(vcpu, ring);
		for (unsigned int q = PMU_INSTRUCTIONS + 1; q < PMU_QUANTITIES; q++)
			totals->count[ring][q] = vcpu->score ? vcpu->score->branches[ring][q] : 0;
	}
}

void vcpu_set_budget(struct vcpu *vcpu, enum pmu_ring ring, uint64_t budget)
{
	uint64_t retired = vcpu_retired(vcpu, ring);

	vcpu->score->budget[ring] = VCPU_DUE - budget;
	vcpu->bias[ring] = vcpu->score->budget[ring] - retired;
}

struct block *vcpu_block(const struct vcpu *vcpu)
{
	return (struct block *)(vcpu->score->block & ~VCPU_LAST);
}

bool vcpu_in_last(const struct vcpu *vcpu)
{
	return vcpu->score->block & VCPU_LAST;
}

/* Counts instructions @from.. of the block @by times more; @by is 1 or -1. */
static void change(struct vcpu *vcpu, struct block *block, unsigned int from, int by)
{
	const struct pmu_run *run = &block->run;

	if (from >= run->instructions)
		return;
	vcpu->score->budget[run->ring] += (int64_t)by * (run->instructions - from);
	if (run->branch != PMU_INSTRUCTIONS)
		vcpu->score->branches[run->ring][run->branch] += (int64_t)by;
	if (block->cell)
		histogram_cell_change(block->cell, from, by);
}

void vcpu_take_back(struct vcpu *vcpu, struct block *block, unsigned int from)
{
	change(vcpu, block, from, -1);
}

void vcpu_give_again(struct vcpu *vcpu, struct block *block, unsigned int from)
{
	change(vcpu, block, from, 1);
}

void vcpu_left_at(struct vcpu *vcpu, unsigned int position)
{
	vcpu_take_back(vcpu, vcpu_block(vcpu), position);
	vcpu->score->block = VCPU_LAST;
	vcpu->statistics.early++;
}

void vcpu_left(struct vcpu *vcpu, uint64_t pc)
{
	struct block *block = vcpu_block(vcpu);
	int from;

	if (vcpu_in_last(vcpu))
		return;
	from = block_find(block, pc);
	if (from < 0)
		pmu_fail("block %#lx was left early, but the CPU is at %#lx", block->start, pc);
	vcpu_left_at(vcpu, from);
}

void vcpu_faulted(struct vcpu *vcpu, uint64_t pc)
{
	struct block *block = vcpu_block(vcpu);
	unsigned int last;

	if (!vcpu_in_last(vcpu)) {
		vcpu_left(vcpu, pc);
	} else if (block) {
		/* If elsewhere the block was done, and fetching the next one failed. */
		last = block->run.instructions - 1;
		if (block_find(block, pc) == (int)last)
			vcpu_left_at(vcpu, last);
	}
}

bool vcpu_repeating(const struct vcpu *vcpu, uint64_t pc)
{
	const struct block *block = vcpu->repeat;

	return block && vcpu_retired(vcpu, block->run.ring) == vcpu->repeat_retired &&
	       block_find(block, pc) == (int)block->run.instructions - 1;
}

void vcpu_repeats(struct vcpu *vcpu, struct block *block)
{
	const struct pmu_run *run = &block->run;

	if (run->instructions == 1 && vcpu_repeating(vcpu, block->start)) {
		vcpu_take_back(vcpu, block, 0);
	} else {
		vcpu->repeat = block;
		vcpu->repeat_retired = vcpu_retired(vcpu, run->ring) + run->instructions;
	}
}

unsigned int vcpu_position(const struct vcpu *vcpu, uint64_t pc)
{
	const struct block *block = vcpu_block(vcpu);
	int position = block ? block_find(block, pc) : -1;

	if (position < 0)
		pmu_fail("an instruction at %#lx is executed outside of its block, %#lx-%#lx", pc,
			 block ? block->start : 0,
			 block ? block->start + block->offset[block->run.instructions] : 0);
	return position;
}

void vcpu_totals_before(const struct vcpu *vcpu, unsigned int position, struct pmu_totals *totals)
{
	const struct pmu_run *run = &vcpu_block(vcpu)->run;

	vcpu_totals(vcpu, totals);
	totals->count[run->ring][PMU_INSTRUCTIONS] -= run->instructions - position;
	if (run->branch != PMU_INSTRUCTIONS && position < run->instructions)
		totals->count[run->ring][run->branch]--;
}
