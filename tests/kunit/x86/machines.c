// SPDX-License-Identifier: GPL-2.0-only
/*
 * Machines.
 *
 * Numbers of registers: as in x86/model.h's sources, and not by the names that the module uses.
 */
#include "x86/machines.h"

/* CPUID 0xA EAX: version, counters, bits of a counter.  EDX: fixed counters, bits of one. */
#define LEAF_A_EAX(version, nr, bits) ((version) | (nr) << 8 | (bits) << 16)
#define LEAF_A_EDX(nr, bits) ((nr) | (bits) << 5)

#define ARCH_PERFMON .control = 0x186, .counter = 0xc1, .stride = 1, .masks_lvtpc = true
#define ARCH_GLOBAL .global_control = 0x38f, .global_status = 0x38e, .global_clear = 0x390

const struct machine machine_pentium3 = {
	.name = "Pentium III",
	.identity = { .vendor = OP_X86_INTEL, .family = 6, .model = 8 },
	.pmu = { .bits = 40, .nr_general = 2, .sign_extends = true, .first_enables = true,
		 ARCH_PERFMON },
};

const struct machine machine_core = {
	.name = "Core Duo",
	.identity = { .vendor = OP_X86_INTEL, .family = 6, .model = 0x0e,
		      .leaf_a_eax = LEAF_A_EAX(1, 2, 40) },
	.pmu = { .bits = 40, .nr_general = 2, .sign_extends = true, ARCH_PERFMON },
};

const struct machine machine_core2 = {
	.name = "Core 2",
	.identity = { .vendor = OP_X86_INTEL, .family = 6, .model = 0x17,
		      .leaf_a_eax = LEAF_A_EAX(2, 2, 40), .leaf_a_edx = LEAF_A_EDX(3, 40) },
	.pmu = { .bits = 40, .nr_general = 2, .nr_fixed = 3, .sign_extends = true, ARCH_PERFMON,
		 ARCH_GLOBAL },
};

const struct machine machine_nehalem = {
	.name = "Nehalem",
	.identity = { .vendor = OP_X86_INTEL, .family = 6, .model = 0x1a,
		      .leaf_a_eax = LEAF_A_EAX(3, 4, 48), .leaf_a_edx = LEAF_A_EDX(3, 48) },
	.pmu = { .bits = 48, .nr_general = 4, .nr_fixed = 3, .sign_extends = true, ARCH_PERFMON,
		 ARCH_GLOBAL },
};

const struct machine machine_skylake = {
	.name = "Skylake",
	.identity = { .vendor = OP_X86_INTEL, .family = 6, .model = 0x5e,
		      .leaf_a_eax = LEAF_A_EAX(4, 8, 48), .leaf_a_edx = LEAF_A_EDX(3, 48),
		      .full_width_writes = true },
	.pmu = { .bits = 48, .nr_general = 8, .nr_fixed = 3, .sign_extends = true,
		 .full_width = 0x4c1, ARCH_PERFMON, ARCH_GLOBAL },
};

const struct machine machine_sapphire = {
	.name = "Sapphire Rapids",
	.identity = { .vendor = OP_X86_INTEL, .family = 6, .model = 0x8f,
		      .leaf_a_eax = LEAF_A_EAX(5, 8, 48), .leaf_a_edx = LEAF_A_EDX(4, 48),
		      .full_width_writes = true },
	.pmu = { .bits = 48, .nr_general = 8, .nr_fixed = 4, .sign_extends = true,
		 .full_width = 0x4c1, ARCH_PERFMON, ARCH_GLOBAL },
};

const struct machine machine_hypervisor = {
	.name = "version 2, no fixed counters",
	.identity = { .vendor = OP_X86_INTEL, .family = 6, .model = 0x6a,
		      .leaf_a_eax = LEAF_A_EAX(2, 4, 48) },
	.pmu = { .bits = 48, .nr_general = 4, .sign_extends = true, ARCH_PERFMON, ARCH_GLOBAL },
};

const struct machine machine_family10 = {
	.name = "AMD family 10h",
	.identity = { .vendor = OP_X86_AMD, .family = 0x10, .model = 4 },
	.pmu = { .bits = 48, .nr_general = 4, .control = 0xc0010000, .counter = 0xc0010004,
		 .stride = 1 },
};

const struct machine machine_family15 = {
	.name = "AMD family 15h",
	.identity = { .vendor = OP_X86_AMD, .family = 0x15, .model = 2,
		      .amd_core_extension = true },
	.pmu = { .bits = 48, .nr_general = 6, .control = 0xc0010200, .counter = 0xc0010201,
		 .stride = 2 },
};

const struct machine machine_zen4 = {
	.name = "AMD Zen 4",
	.identity = { .vendor = OP_X86_AMD, .family = 0x19, .model = 0x11,
		      .amd_core_extension = true, .amd_v2_counters = 6 },
	.pmu = { .bits = 48, .nr_general = 6, .control = 0xc0010200, .counter = 0xc0010201,
		 .stride = 2, .global_control = 0xc0000301, .global_status = 0xc0000300,
		 .global_clear = 0xc0000302 },
};
