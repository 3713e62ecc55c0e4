/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's registers in QEMU's memory.
 */
#ifndef PMU_ENV_H
#define PMU_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "qemu.h"

enum { ENV_RAX, ENV_RCX, ENV_RDX, ENV_RBX };

/* The head of QEMU's CPUX86State. */
struct env {
	uint64_t general[16];
	uint64_t rip;
	uint64_t flags[4]; /* eflags and what stands in for its condition codes */
	uint32_t cc_op;
	uint32_t direction;
	uint32_t hflags;
	uint32_t hflags2;
	struct env_segment {
		uint32_t selector;
		uint64_t base;
		uint32_t limit;
		uint32_t flags;
	} segment[6], ldt, tr, gdt, idt; /* ES, CS, ... */
	uint64_t cr[5];
};

#define ENV_CR4_PCE (UINT64_C(1) << 8) /* RDPMC is allowed in user mode */

/*
 * Learns from a helper's argument where a CPU has its registers, on the first call; fails if a
 * later one disagrees.
 */
struct env *env_learn(CPUX86State *state);

/* Returns the registers of the CPU, or NULL before anything was learnt. */
struct env *env_of(CPUState *cpu);

/* Linear address of the next instruction. */
uint64_t env_pc(const struct env *env);

enum pmu_ring env_ring(const struct env *env);
bool env_is_64bit(const struct env *env);

/*
 * Fails unless the registers of a CPU about to execute the block at @pc are where struct env
 * has them.
 */
void env_check(const struct env *env, uint64_t pc);

#endif
