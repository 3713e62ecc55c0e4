// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The translator takes a helper's address from a writable record.  The functions for exceptions
 * and interrupts stand in a constant table of the x86 CPU, which is found by searching the
 * executable's data for the address of each: it must be there exactly once.
 */
#include "hook.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpuid.h"
#include "env.h"
#include "fail.h"
#include "msr.h"
#include "overflow.h"
#include "query.h"

#define VECTOR_GP 13

/* The CPU, its registers, and the position in its block, of a helper's caller. */
struct context {
	struct vcpu *vcpu;
	struct env *env;
	unsigned int position;
};

static struct context context_of(CPUX86State *state)
{
	struct context context = { vcpu_of(current_cpu), env_learn(state), 0 };

	context.position = vcpu_position(context.vcpu, env_pc(context.env));
	return context;
}

/* Brings the counters up to the instruction before the caller's. */
static void sync_before(const struct context *context)
{
	struct pmu_totals now;

	vcpu_totals_before(context->vcpu, context->position, &now);
	overflow_sync(context->vcpu, &now);
}

/* From here on the caller's own instruction is in the past, and not counted by changed counters. */
static void plan_after(const struct context *context)
{
	vcpu_totals_before(context->vcpu, context->position + 1, &context->vcpu->pmu.now);
	overflow_plan(context->vcpu);
}

static uint32_t low(uint64_t value)
{
	return value;
}

static void set_edx_eax(struct env *env, uint64_t value)
{
	env->general[ENV_RAX] = low(value);
	env->general[ENV_RDX] = value >> 32;
}

static void rdmsr(CPUX86State *state)
{
	struct context context = context_of(state);
	struct env *env = context.env;
	uint64_t value;

	switch (pmu_msr_read(&context.vcpu->pmu, low(env->general[ENV_RCX]), &value)) {
	case PMU_ACCESS_FOREIGN:
		helper_rdmsr(state);
		return;
	case PMU_ACCESS_FAULT:
		helper_raise_exception(state, VECTOR_GP);
	case PMU_ACCESS_DONE:
		break;
	}
	sync_before(&context);
	overflow_plan(context.vcpu);
	pmu_msr_read(&context.vcpu->pmu, low(env->general[ENV_RCX]), &value);
	set_edx_eax(env, value);
}

static void wrmsr(CPUX86State *state)
{
	struct context context = context_of(state);
	struct env *env = context.env;
	uint32_t number = low(env->general[ENV_RCX]);
	uint64_t value = low(env->general[ENV_RAX]) | env->general[ENV_RDX] << 32;
	struct pmu trial = context.vcpu->pmu;

	switch (pmu_msr_write(&trial, number, value)) {
	case PMU_ACCESS_FOREIGN:
		helper_wrmsr(state);
		return;
	case PMU_ACCESS_FAULT:
		helper_raise_exception(state, VECTOR_GP);
	case PMU_ACCESS_DONE:
		break;
	}
	sync_before(&context);
	pmu_msr_write(&context.vcpu->pmu, number, value);
	plan_after(&context);
}

/* QEMU's own only raises an exception, so its caller expects that this never returns. */
static void __attribute__((noreturn)) rdpmc(CPUX86State *state)
{
	struct context context = context_of(state);
	struct env *env = context.env;
	const struct block *block = vcpu_block(context.vcpu);
	unsigned int length = block->offset[context.position + 1] - block->offset[context.position];
	uint64_t value;

	if (env_ring(env) == PMU_USER && !(env->cr[4] & ENV_CR4_PCE))
		helper_raise_exception(state, VECTOR_GP);
	sync_before(&context);
	overflow_plan(context.vcpu);
	if (pmu_rdpmc(&context.vcpu->pmu, low(env->general[ENV_RCX]), &value) != PMU_ACCESS_DONE)
		helper_raise_exception(state, VECTOR_GP);
	set_edx_eax(env, value);
	env->rip += length;
	cpu_loop_exit_noexc(current_cpu);
}

/* Only one CPU runs when this one takes a snapshot: leave, and come again alone. */
static void become_alone(const struct context *context, uintptr_t caller)
{
	struct vcpu *vcpu = context->vcpu;

	if (vcpu_count() == 1 || vcpu->snapshot_alone) {
		vcpu->snapshot_alone = false;
		return;
	}
	vcpu->snapshot_alone = true;
	vcpu_left_at(vcpu, context->position);
	cpu_loop_exit_atomic(current_cpu, caller);
}

static void cpuid(CPUX86State *state)
{
	struct context context = context_of(state);
	struct env *env = context.env;
	uint32_t leaf = low(env->general[ENV_RAX]), subleaf = low(env->general[ENV_RCX]);
	struct pmu_cpuid answer;

	if (query_is(leaf)) {
		struct block *block = vcpu_block(context.vcpu);

		if (query_wants_alone(leaf))
			become_alone(&context, (uintptr_t)__builtin_return_address(0));
		/* what follows in this block is not yet retired */
		vcpu_take_back(context.vcpu, block, context.position + 1);
		query_answer(leaf, context.vcpu, env);
		vcpu_give_again(context.vcpu, block, context.position + 1);
		return;
	}
	helper_cpuid(state);
	answer = (struct pmu_cpuid){ low(env->general[ENV_RAX]), low(env->general[ENV_RBX]),
				     low(env->general[ENV_RCX]), low(env->general[ENV_RDX]) };
	pmu_cpuid(context.vcpu->pmu.model, leaf, subleaf, &answer);
	env->general[ENV_RAX] = answer.eax;
	env->general[ENV_RBX] = answer.ebx;
	env->general[ENV_RCX] = answer.ecx;
	env->general[ENV_RDX] = answer.edx;
}

/* An INT is retired although it raises an exception. */
static void raise_interrupt(CPUX86State *state, int vector, int length)
{
	vcpu_of(current_cpu)->score->block = VCPU_LAST;
	helper_raise_interrupt(state, vector, length);
}

static void do_interrupt(CPUState *cpu)
{
	struct env *env = env_of(cpu);

	if (env) {
		struct vcpu *vcpu = vcpu_of(cpu);
		struct pmu_totals now;

		vcpu_faulted(vcpu, env_pc(env));
		vcpu_totals(vcpu, &now);
		overflow_sync(vcpu, &now);
		overflow_plan(vcpu);
		overflow_interrupted(vcpu);
	}
	x86_cpu_do_interrupt(cpu);
}

static bool exec_interrupt(CPUState *cpu, int request)
{
	struct env *env = env_of(cpu);
	struct vcpu *vcpu;
	struct pmu_totals now;
	bool repeating;

	if (!env)
		return x86_cpu_exec_interrupt(cpu, request);
	vcpu = vcpu_of(cpu);
	vcpu_left(vcpu, env_pc(env));
	/* a REP that is interrupted is not done: it will be begun and counted again */
	repeating = vcpu_repeating(vcpu, env_pc(env));
	if (repeating)
		vcpu_take_back(vcpu, vcpu->repeat, vcpu->repeat->run.instructions - 1);
	vcpu_totals(vcpu, &now);
	/* an NMI that is due by now goes first */
	if (overflow_sync(vcpu, &now) && !use_icount)
		request |= CPU_INTERRUPT_NMI;
	overflow_plan(vcpu);
	if (x86_cpu_exec_interrupt(cpu, request)) {
		overflow_interrupted(vcpu);
		return true;
	}
	if (repeating)
		vcpu_give_again(vcpu, vcpu->repeat, vcpu->repeat->run.instructions - 1);
	return false;
}

/* The executable's own segments. */
struct image {
	uintptr_t base;
	const ElfW(Phdr) *header;
	unsigned int headers;
};

static int find_image(struct dl_phdr_info *info, size_t size, void *data)
{
	struct image *image = data;

	(void)size;
	*image = (struct image){ info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum };
	return 1; /* the executable comes first */
}

static bool in_image(const struct image *image, const void *where, size_t size)
{
	for (unsigned int i = 0; i < image->headers; i++) {
		uintptr_t start = image->base + image->header[i].p_vaddr;
		uintptr_t end = start + image->header[i].p_memsz;

		if (image->header[i].p_type == PT_LOAD && (uintptr_t)where >= start &&
		    (uintptr_t)where + size <= end)
			return true;
	}
	return false;
}

static void hook_helper(const struct image *image, struct helper_info *info, const char *name,
			void *theirs, void *ours)
{
	if (!in_image(image, info, sizeof(*info)) || info->function != theirs ||
	    !in_image(image, info->name, strlen(name) + 1) || strcmp(info->name, name))
		pmu_fail("QEMU's record of the helper %s is not as expected", name);
	info->function = ours;
}

/* Makes the page of a constant writable for the time of one write. */
static void replace(void **slot, void *ours)
{
	uintptr_t size = sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)slot & ~(size - 1));

	if (mprotect(page, size, PROT_READ | PROT_WRITE))
		pmu_fail("can't make QEMU's table of functions writable: %m");
	*slot = ours;
	if (mprotect(page, size, PROT_READ))
		pmu_fail("can't make QEMU's table of functions constant again: %m");
}

static void hook_slot(const struct image *image, const char *name, void *theirs, void *ours)
{
	unsigned int found = 0;
	void **slot = NULL;

	for (unsigned int i = 0; i < image->headers; i++) {
		void **begin = (void **)(image->base + image->header[i].p_vaddr);
		void **end = begin + image->header[i].p_memsz / sizeof(*begin);

		if (image->header[i].p_type != PT_GNU_RELRO)
			continue;
		for (void **at = begin; at < end; at++) {
			if (*at == theirs) {
				slot = at;
				found++;
			}
		}
	}
	if (found != 1)
		pmu_fail("QEMU's constants name %s %u times, not once", name, found);
	replace(slot, ours);
}

void hook_install(void)
{
	struct image image;

	dl_iterate_phdr(find_image, &image);
#define HELPER(name) hook_helper(&image, &helper_info_##name, #name, helper_##name, name)
	HELPER(rdmsr);
	HELPER(wrmsr);
	HELPER(rdpmc);
	HELPER(cpuid);
	HELPER(raise_interrupt);
#undef HELPER
	hook_slot(&image, "x86_cpu_do_interrupt", x86_cpu_do_interrupt, do_interrupt);
	hook_slot(&image, "x86_cpu_exec_interrupt", x86_cpu_exec_interrupt, exec_interrupt);
}
