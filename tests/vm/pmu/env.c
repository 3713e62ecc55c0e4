// SPDX-License-Identifier: GPL-2.0-or-later
#include "env.h"

#include <stdatomic.h>
#include <stddef.h>

#include "fail.h"

_Static_assert(offsetof(struct env, rip) == 16 * 8, "RIP follows the general registers");
_Static_assert(offsetof(struct env, hflags) == 176, "hflags as in QEMU 10");
_Static_assert(offsetof(struct env, segment) == 184, "segments as in QEMU 10");

#define CS	    1
#define HFLAGS_CPL  3
#define HFLAGS_CS64 (UINT32_C(1) << 15)
#define CR0_PE_PG   UINT64_C(0x80000001)
#define CR4_PAE	    UINT64_C(0x20)

/* A CPU's registers are at the same distance from the CPU for all of them; 0: not learnt. */
static atomic_ptrdiff_t distance;

struct env *env_learn(CPUX86State *state)
{
	ptrdiff_t here = (char *)state - (char *)current_cpu, known = 0;

	if (!atomic_compare_exchange_strong(&distance, &known, here) && known != here)
		pmu_fail("the CPU's registers are at %td from the CPU, others at %td: "
			 "not the QEMU this was made for",
			 here, known);
	return (struct env *)state;
}

struct env *env_of(CPUState *cpu)
{
	ptrdiff_t known = atomic_load(&distance);

	return known ? (struct env *)((char *)cpu + known) : NULL;
}

bool env_is_64bit(const struct env *env)
{
	return env->hflags & HFLAGS_CS64;
}

uint64_t env_pc(const struct env *env)
{
	uint64_t pc = env->segment[CS].base + env->rip;

	return env_is_64bit(env) ? pc : (uint32_t)pc;
}

enum pmu_ring env_ring(const struct env *env)
{
	return (env->hflags & HFLAGS_CPL) == 3 ? PMU_USER : PMU_KERNEL;
}

void env_check(const struct env *env, uint64_t pc)
{
	if (env_pc(env) != pc)
		pmu_fail("the block at %#lx begins with RIP %#lx, CS base %#lx: "
			 "not the QEMU this was made for",
			 pc, env->rip, env->segment[CS].base);
	if (!env_is_64bit(env))
		return;
	if ((env->segment[CS].selector ^ env->hflags) & HFLAGS_CPL ||
	    (env->cr[0] & CR0_PE_PG) != CR0_PE_PG || !(env->cr[4] & CR4_PAE))
		pmu_fail("CS %#x, flags %#x, CR0 %#lx, CR4 %#lx in 64-bit code: "
			 "not the QEMU this was made for",
			 env->segment[CS].selector, env->hflags, env->cr[0], env->cr[4]);
}
