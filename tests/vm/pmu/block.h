/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Straight runs of guest code that QEMU translated, known by what matters for counting.
 * A block lives for ever: what is translated again alike is the same block.
 */
#ifndef PMU_BLOCK_H
#define PMU_BLOCK_H

#include <stdatomic.h>

#include "counter.h"

struct histogram_cell;

struct block {
	uint64_t start; /* linear address */
	struct pmu_run run;
	bool repeated; /* the last instruction is a REP one */
	/* Its cell in the histogram, or NULL if outside of the ranges. */
	struct histogram_cell *cell;
	struct block *next; /* in the table */
	uint16_t offset[];  /* of each instruction, and at last of the end */
};

/*
 * Returns the block of @run at @start whose instructions are at @offset (as many as there are,
 * and the end).
 */
struct block *block_intern(uint64_t start, const struct pmu_run *run, bool repeated,
			   const uint16_t *offset);

/* Calls @visit for each block there is. */
void block_for_each(void (*visit)(const struct block *block, void *data), void *data);

/*
 * Index of the instruction at @pc, or -1.  The translation of code that is mapped at several
 * addresses is used for all of them: only the place in the page counts.
 */
int block_find(const struct block *block, uint64_t pc);

#endif
