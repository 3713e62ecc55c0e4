/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each emulated CPU has retired.
 *
 * Translated code adds up a whole block when it begins, and notes which block it is in and when
 * it comes to the block's last instruction.  If it leaves a block early (an exception, a device
 * access that QEMU wants to repeat alone) the rest of that block is taken back.
 *
 * All functions are called on the CPU's own thread; the totals of another CPU may be read while
 * it stands still.
 */
#ifndef PMU_VCPU_H
#define PMU_VCPU_H

#include "block.h"
#include "qemu.h"

#define VCPU_MAX 16 /* as many as QEMU's scoreboards begin with: they never move */

/* What translated code writes; its size is a power of two, so that it is found by a shift. */
struct score {
	/*
	 * Instructions retired in each ring, plus a bias by which it becomes VCPU_DUE when the
	 * budget until the next look at the counters is used up.
	 */
	uint64_t budget[PMU_RINGS];
	/* The block that began last; with VCPU_LAST once its last instruction began. */
	uint64_t block;
	uint64_t branches[PMU_RINGS][PMU_QUANTITIES];
	uint64_t spare;
};

#define VCPU_DUE  (UINT64_C(1) << 63)
#define VCPU_LAST (UINT64_C(1) << 63)

struct vcpu {
	CPUState *cpu;
	struct score *score;
	uint64_t bias[PMU_RINGS];
	struct pmu pmu;
	bool stepping; /* wants blocks of one instruction */
	/*
	 * The block that began last of those that end with a REP instruction, and what is
	 * retired in its ring with that.
	 */
	struct block *repeat;
	uint64_t repeat_retired;
	bool snapshot_alone; /* has left the block to take a snapshot while all others wait */
	struct {
		uint64_t interrupts;	    /* delivered */
		uint64_t interrupts_masked; /* lost, since LVTPC was masked */
		uint64_t steps;		    /* overflows within a block */
		uint64_t early;		    /* blocks left early */
	} statistics;
};

/* Cells of the scoreboard, for instrumenting code. */
qemu_plugin_u64 vcpu_budget_cell(enum pmu_ring ring);
qemu_plugin_u64 vcpu_block_cell(void);
qemu_plugin_u64 vcpu_branch_cell(enum pmu_ring ring, enum pmu_quantity branch);

/* Prepares for @count CPUs with that PMU, every second one with that of its partner. */
void vcpu_setup(unsigned int count, const struct pmu_model *model);

/* Says that CPU @index is the current one. */
void vcpu_begin(unsigned int index);

unsigned int vcpu_count(void);
struct vcpu *vcpu_at(unsigned int index);
struct vcpu *vcpu_of(const CPUState *cpu);

/* Instructions retired in that ring, the running block counted as a whole. */
uint64_t vcpu_retired(const struct vcpu *vcpu, enum pmu_ring ring);

/* Likewise everything. */
void vcpu_totals(const struct vcpu *vcpu, struct pmu_totals *totals);

/* Asks for a look after @budget more instructions in that ring; 0: at the next block. */
void vcpu_set_budget(struct vcpu *vcpu, enum pmu_ring ring, uint64_t budget);

/* The block that the CPU is or was in last, or NULL before the first. */
struct block *vcpu_block(const struct vcpu *vcpu);

/* Whether that one began its last instruction. */
bool vcpu_in_last(const struct vcpu *vcpu);

/* Says that instructions @from.. of @block were counted, but not executed. */
void vcpu_take_back(struct vcpu *vcpu, struct block *block, unsigned int from);

/* Undoes vcpu_take_back() with the same arguments. */
void vcpu_give_again(struct vcpu *vcpu, struct block *block, unsigned int from);

/* Says that the CPU left its block, if it was not in the last instruction, and is at @pc now. */
void vcpu_left(struct vcpu *vcpu, uint64_t pc);

/* Says that the CPU left its block before instruction @position. */
void vcpu_left_at(struct vcpu *vcpu, unsigned int position);

/* Says that the instruction at @pc raised an exception, or that its fetch did. */
void vcpu_faulted(struct vcpu *vcpu, uint64_t pc);

/*
 * Says that @block, which ends with a REP instruction, begins.  QEMU goes round through that
 * instruction as often as it likes; all rounds together are counted once.
 */
void vcpu_repeats(struct vcpu *vcpu, struct block *block);

/* Whether the instruction at @pc, which comes next, is one more round of a REP instruction. */
bool vcpu_repeating(const struct vcpu *vcpu, uint64_t pc);

/* Index in its block of the instruction at @pc, which the CPU executes now; fails if unknown. */
unsigned int vcpu_position(const struct vcpu *vcpu, uint64_t pc);

/* Everything retired before instruction @position of the block that the CPU is in. */
void vcpu_totals_before(const struct vcpu *vcpu, unsigned int position, struct pmu_totals *totals);

#endif
