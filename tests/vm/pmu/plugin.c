// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A PMU for QEMU's emulated x86 CPUs, see README.md.  This file instruments the code that QEMU
 * translates.
 */
#include <stdio.h>
#include <string.h>

#include "block.h"
#include "decode.h"
#include "env.h"
#include "fail.h"
#include "histogram.h"
#include "hook.h"
#include "option.h"
#include "overflow.h"
#include "vcpu.h"

#define BLOCK_MAX 512 /* instructions; as in QEMU's translator */

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION_USED;

static struct options options;

/* A block began, and the one before had not come to its last instruction. */
static void left_early(unsigned int vcpu_index, void *data)
{
	const struct block *block = data;

	vcpu_left(vcpu_at(vcpu_index), block->start);
}

/* A block that ends with a REP instruction begins. */
static void repeats(unsigned int vcpu_index, void *block)
{
	vcpu_repeats(vcpu_at(vcpu_index), block);
}

static void instrument(struct qemu_plugin_tb *tb, struct block *block)
{
	const struct pmu_run *run = &block->run;
	uint64_t address = (uintptr_t)block;
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, run->instructions - 1);

	/* the order matters: what may leave the block comes before what says that it began */
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, left_early, QEMU_PLUGIN_CB_NO_REGS,
						  QEMU_PLUGIN_COND_LT, vcpu_block_cell(), VCPU_LAST,
						  block);
	if (block->repeated)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, repeats, QEMU_PLUGIN_CB_NO_REGS, block);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
		tb, QEMU_PLUGIN_INLINE_ADD_U64, vcpu_budget_cell(run->ring), run->instructions);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, overflow_look, QEMU_PLUGIN_CB_NO_REGS,
						  QEMU_PLUGIN_COND_GE, vcpu_budget_cell(run->ring),
						  VCPU_DUE, block);
	if (run->branch != PMU_INSTRUCTIONS)
		qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
			tb, QEMU_PLUGIN_INLINE_ADD_U64, vcpu_branch_cell(run->ring, run->branch),
			1);
	if (block->cell)
		qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
			tb, QEMU_PLUGIN_INLINE_ADD_U64, histogram_cell_counter(block->cell), 1);
	if (run->instructions > 1)
		qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_STORE_U64,
								  vcpu_block_cell(), address);
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(last, QEMU_PLUGIN_INLINE_STORE_U64,
							    vcpu_block_cell(), address | VCPU_LAST);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	const struct env *env = env_of(current_cpu);
	uint64_t start = qemu_plugin_tb_vaddr(tb);
	struct pmu_run run = { .instructions = qemu_plugin_tb_n_insns(tb), .ring = PMU_KERNEL };
	struct pmu_instruction instruction = { .branch = PMU_INSTRUCTIONS };
	uint16_t offset[BLOCK_MAX + 1];
	bool is_64bit = false;

	(void)id;
	if (run.instructions == 0 || run.instructions > BLOCK_MAX)
		pmu_fail("the block at %#lx has %u instructions", start, run.instructions);
	/* before a CPU has executed its first CPUID or MSR access it is in firmware */
	if (env) {
		env_check(env, start);
		run.ring = env_ring(env);
		is_64bit = env_is_64bit(env);
	}
	for (unsigned int i = 0; i < run.instructions; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint8_t bytes[PMU_INSTRUCTION_MAX];
		size_t size = qemu_plugin_insn_size(insn);

		if (size > sizeof(bytes) || qemu_plugin_insn_data(insn, bytes, size) != size)
			pmu_fail("the instruction at %#lx has %zu bytes",
				 qemu_plugin_insn_vaddr(insn), size);
		offset[i] = qemu_plugin_insn_vaddr(insn) - start;
		offset[i + 1] = offset[i] + size;
		instruction = pmu_decode(bytes, size, is_64bit);
		if (instruction.branch != PMU_INSTRUCTIONS && i + 1 < run.instructions)
			pmu_fail("a branch at %#lx does not end its block",
				 qemu_plugin_insn_vaddr(insn));
	}
	run.branch = instruction.branch;
	instrument(tb, block_intern(start, &run, instruction.repeated, offset));
}

static void begin(qemu_plugin_id_t id, unsigned int vcpu_index)
{
	(void)id;
	vcpu_begin(vcpu_index);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	char error[OPTION_ERROR];

	if (info->version.min > QEMU_PLUGIN_VERSION_USED ||
	    info->version.cur < QEMU_PLUGIN_VERSION_USED)
		pmu_fail("this QEMU has plugin interface %d-%d, not %d", info->version.min,
			 info->version.cur, QEMU_PLUGIN_VERSION_USED);
	if (strcmp(info->target_name, "x86_64") || !info->system_emulation)
		pmu_fail("only the system emulator for x86_64 can have this PMU");
	if (options_parse(&options, argc, argv, error))
		pmu_fail("%s", error);

	for (unsigned int i = 0; i < options.ranges; i++)
		if (!histogram_range(options.range[i].start, options.range[i].end))
			pmu_fail("too many ranges");
	if (options.histogram)
		histogram_file(options.histogram);
	vcpu_setup(info->system.max_vcpus, &options.model);
	hook_install();
	qemu_plugin_register_vcpu_init_cb(id, begin);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
