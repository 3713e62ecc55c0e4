// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of CPU types.  The order is part of the sample-file format: a type is its index
 * here.  The first 88 are those of OProfile 1.4; new types are added at the end, never between.
 */
#include "type_names.h"

#include <stddef.h>
#include <string.h>

#include "libop/base/array.h"

static const struct {
	const char *name, *title;
} cpu_types[] = {
	[0] = { "i386/ppro", "Pentium Pro" },
	[1] = { "i386/pii", "PII" },
	[2] = { "i386/piii", "PIII" },
	[3] = { "i386/athlon", "Athlon" },
	[4] = { "timer", "CPU with timer interrupt" },
	[5] = { "i386/p4", "P4 / Xeon" },
	[6] = { "x86-64/hammer", "AMD64 processors" },
	[7] = { "i386/p4-ht", "P4 / Xeon with 2 hyper-threads" },
	[8] = { "alpha/ev67", "Alpha EV67" },
	[9] = { "i386/p6_mobile", "Pentium M (P6 core)" },
	[10] = { "arm/xscale1", "ARM/XScale PMU1" },
	[11] = { "arm/xscale2", "ARM/XScale PMU2" },
	[12] = { "ppc64/power4", "ppc64 POWER4" },
	[13] = { "ppc64/power5", "ppc64 POWER5" },
	[14] = { "ppc64/power5+", "ppc64 POWER5+" },
	[15] = { "ppc64/970", "ppc64 970" },
	[16] = { "mips/20K", "MIPS 20K" },
	[17] = { "mips/24K", "MIPS 24K" },
	[18] = { "mips/25K", "MIPS 25K" },
	[19] = { "mips/34K", "MIPS 34K" },
	[20] = { "mips/5K", "MIPS 5K" },
	[21] = { "mips/r10000", "MIPS R10000" },
	[22] = { "mips/r12000", "MIPS R12000" },
	[23] = { "mips/rm7000", "QED RM7000" },
	[24] = { "mips/rm9000", "PMC-Sierra RM9000" },
	[25] = { "mips/sb1", "Sibyte SB1" },
	[26] = { "mips/vr5432", "NEC VR5432" },
	[27] = { "mips/vr5500", "NEC VR5500" },
	[28] = { "ppc/e500", "e500" },
	[29] = { "ppc/e500v2", "e500v2" },
	[30] = { "i386/core", "Core Solo / Duo" },
	[31] = { "ppc/7450", "PowerPC G4" },
	[32] = { "i386/core_2", "Core 2" },
	[33] = { "ppc64/power6", "ppc64 POWER6" },
	[34] = { "ppc64/970MP", "ppc64 970MP" },
	[35] = { "x86-64/family10", "AMD64 family10" },
	[36] = { "arm/mpcore", "ARM 11MPCore" },
	[37] = { "arm/armv6", "ARM V6 PMU" },
	[38] = { "ppc64/power5++", "ppc64 POWER5++" },
	[39] = { "ppc/e300", "e300" },
	[40] = { "arm/armv7", "ARM Cortex-A8" },
	[41] = { "i386/arch_perfmon", "Intel Architectural Perfmon" },
	[42] = { "x86-64/family11h", "AMD64 family11h" },
	[43] = { "ppc64/power7", "ppc64 POWER7" },
	[44] = { "i386/core_i7", "Intel Core/i7" },
	[45] = { "i386/atom", "Intel Atom" },
	[46] = { "mips/loongson2", "Loongson2" },
	[47] = { "i386/nehalem", "Intel Nehalem microarchitecture" },
	[48] = { "arm/armv7-ca9", "ARM Cortex-A9" },
	[49] = { "mips/74K", "MIPS 74K" },
	[50] = { "mips/1004K", "MIPS 1004K" },
	[51] = { "x86-64/family12h", "AMD64 family12h" },
	[52] = { "x86-64/family14h", "AMD64 family14h" },
	[53] = { "x86-64/family15h", "AMD64 family15h" },
	[54] = { "i386/westmere", "Intel Westmere microarchitecture" },
	[55] = { "arm/armv7-scorpion", "ARMv7 Scorpion" },
	[56] = { "arm/armv7-scorpionmp", "ARMv7 ScorpionMP" },
	[57] = { "i386/sandybridge", "Intel Sandy Bridge microarchitecture" },
	[58] = { "tile/tile64", "TILE64" },
	[59] = { "tile/tilepro", "TILEPro" },
	[60] = { "tile/tilegx", "TILE-GX" },
	[61] = { "s390/z10", "IBM System z10" },
	[62] = { "s390/z196", "IBM zEnterprise z196" },
	[63] = { "i386/ivybridge", "Intel Ivy Bridge microarchitecture" },
	[64] = { "arm/armv7-ca5", "ARM Cortex-A5" },
	[65] = { "arm/armv7-ca7", "ARM Cortex-A7" },
	[66] = { "arm/armv7-ca15", "ARM Cortex-A15" },
	[67] = { "i386/haswell", "Intel Haswell microarchitecture" },
	[68] = { "s390/zEC12", "IBM zEnterprise EC12" },
	[69] = { "x86-64/generic", "AMD64 generic" },
	[70] = { "ppc64/architected_events_v1", "IBM Power Architected Events V1" },
	[71] = { "ppc64/power8", "ppc64 POWER8" },
	[72] = { "ppc/e500mc", "e500mc" },
	[73] = { "ppc/e6500", "e6500" },
	[74] = { "i386/silvermont", "Intel Silvermont microarchitecture" },
	[75] = { "arm/armv7-krait", "ARMv7 Krait" },
	[76] = { "arm/armv8-xgene", "APM X-Gene" },
	[77] = { "i386/broadwell", "Intel Broadwell microarchitecture" },
	[78] = { "arm/armv8-ca57", "ARM Cortex-A57" },
	[79] = { "arm/armv8-ca53", "ARM Cortex-A53" },
	[80] = { "i386/skylake", "Intel Skylake microarchitecture" },
	[81] = { "i386/goldmont", "Intel Goldmont microarchitecture" },
	[82] = { "i386/goldmontplus", "Intel Goldmont Plus microarchitecture" },
	[83] = { "s390/z13", "IBM z13" },
	[84] = { "arm/armv7-ca17", "ARM Cortex-A17" },
	[85] = { "ppc64/power9", "ppc64 POWER9" },
	[86] = { "i386/knightslanding", "Intel Knights Landing" },
	[87] = { "arm/armv8-thunderx2", "Cavium ThunderX2" },
	/* not in OProfile 1.4 */
	[88] = { "i386/tremont", "Intel Tremont microarchitecture" },
	[89] = { "i386/icelake", "Intel Ice Lake microarchitecture" },
	[90] = { "i386/tigerlake", "Intel Tiger Lake microarchitecture" },
	[91] = { "i386/rocketlake", "Intel Rocket Lake microarchitecture" },
	[92] = { "i386/alderlake", "Intel Alder Lake microarchitecture" },
	[93] = { "i386/gracemont", "Intel Gracemont microarchitecture" },
	[94] = { "i386/sapphirerapids", "Intel Sapphire Rapids microarchitecture" },
	[95] = { "i386/raptorlake", "Intel Raptor Lake microarchitecture" },
	[96] = { "i386/emeraldrapids", "Intel Emerald Rapids microarchitecture" },
	[97] = { "i386/meteorlake", "Intel Meteor Lake microarchitecture" },
	[98] = { "i386/crestmont", "Intel Crestmont microarchitecture" },
	[99] = { "i386/graniterapids", "Intel Granite Rapids microarchitecture" },
	[100] = { "i386/arrowlake", "Intel Arrow Lake microarchitecture" },
	[101] = { "i386/lunarlake", "Intel Lunar Lake microarchitecture" },
	[102] = { "x86-64/family16h", "AMD64 family16h" },
	[103] = { "x86-64/zen1", "AMD64 Zen" },
	[104] = { "x86-64/zen2", "AMD64 Zen 2" },
	[105] = { "x86-64/zen3", "AMD64 Zen 3" },
	[106] = { "x86-64/zen4", "AMD64 Zen 4" },
	[107] = { "x86-64/zen5", "AMD64 Zen 5" },
	/* OP_PERF_CPU_TYPE: any machine */
	[108] = { "perf", "any, by the kernel's perf events" },
};

#define CPU_TYPE_COUNT ((int)(OP_ARRAY_SIZE(cpu_types)))

_Static_assert(CPU_TYPE_COUNT >= OP_CPU_ORIGINAL, "the types of OProfile 1.4 keep their numbers");

int op_cpu_type_number(const char *name)
{
	if (!strcmp(name, "nmi_timer"))
		return OP_CPU_TIMER;
	for (int i = 0; i < CPU_TYPE_COUNT; i++) {
		if (!strcmp(cpu_types[i].name, name))
			return i;
	}
	return OP_CPU_NONE;
}

/* Numbers in versions 0x11 and 0x12, of the types that OProfile 1.x has, too. */
static const struct {
	uint32_t number;
	const char *name;
} old_types[] = {
	{0, "i386/ppro"},
	{1, "i386/pii"},
	{2, "i386/piii"},
	{3, "i386/athlon"},
	{4, "timer"},
	{6, "i386/p4"},
	{10, "x86-64/hammer"},
	{11, "i386/p4-ht"},
	{16, "alpha/ev67"},
	{17, "i386/p6_mobile"},
	{18, "arm/xscale1"},
	{19, "arm/xscale2"},
	{20, "ppc64/power4"},
	{21, "ppc64/power5"},
	{22, "ppc64/power5+"},
	{23, "ppc64/970"},
	{24, "mips/20K"},
	{25, "mips/24K"},
	{26, "mips/25K"},
	{27, "mips/34K"},
	{28, "mips/5K"},
	{29, "mips/r10000"},
	{30, "mips/r12000"},
	{31, "mips/rm7000"},
	{32, "mips/rm9000"},
	{33, "mips/sb1"},
	{34, "mips/vr5432"},
	{35, "mips/vr5500"},
	{36, "ppc/e500"},
	{37, "ppc/e500v2"},
	{38, "i386/core"},
	{39, "ppc/7450"},
	{40, "i386/core_2"},
	{41, "ppc64/power6"},
	{42, "ppc64/970MP"},
	{44, "x86-64/family10"},
	{46, "arm/mpcore"},
	{47, "arm/armv6"},
	{48, "ppc64/power5++"},
	{49, "ppc/e300"},
	{51, "arm/armv7"},
	{52, "i386/arch_perfmon"},
	{53, "x86-64/family11h"},
	{54, "ppc64/power7"},
	{56, "i386/core_i7"},
	{57, "i386/atom"},
	{58, "mips/loongson2"},
	{59, "i386/nehalem"},
	{60, "arm/armv7-ca9"},
	{61, "mips/74K"},
	{62, "mips/1004K"},
	{63, "x86-64/family12h"},
	{64, "x86-64/family14h"},
	{65, "x86-64/family15h"},
	{66, "i386/westmere"},
	{67, "arm/armv7-scorpion"},
	{68, "arm/armv7-scorpionmp"},
	{69, "i386/sandybridge"},
	{70, "tile/tile64"},
	{71, "tile/tilepro"},
	{72, "tile/tilegx"},
	{73, "s390/z10"},
	{74, "s390/z196"},
	{75, "i386/ivybridge"},
	{76, "arm/armv7-ca5"},
	{77, "arm/armv7-ca7"},
	{78, "arm/armv7-ca15"},
	{79, "i386/haswell"},
	{80, "s390/zEC12"},
	{81, "x86-64/generic"},
	{82, "ppc64/architected_events_v1"},
	{83, "ppc64/power8"},
};

int op_cpu_type_of_file(uint32_t version, uint32_t number)
{
	if (version >= 0x13)
		return number < (uint32_t)CPU_TYPE_COUNT ? (int)number : OP_CPU_NONE;
	for (size_t i = 0; i < OP_ARRAY_SIZE(old_types); i++)
		if (old_types[i].number == number)
			return op_cpu_type_number(old_types[i].name);
	return OP_CPU_NONE;
}

static int number_in_file(uint32_t version, const char *name)
{
	int number = op_cpu_type_number(name);

	if (version >= 0x13)
		return number < OP_CPU_ORIGINAL ? number : OP_CPU_NONE;
	for (size_t i = 0; i < OP_ARRAY_SIZE(old_types); i++)
		if (!strcmp(old_types[i].name, name))
			return (int)old_types[i].number;
	return OP_CPU_NONE;
}

/* The type whose events are most like those of a type that OProfile does not have. */
static const char *similar_type(const char *name)
{
	if (!strncmp(name, "x86-64/", 7))
		return "x86-64/generic";
	return strncmp(name, "i386/", 5) ? "timer" : "i386/arch_perfmon";
}

const char *op_cpu_type_for_file(uint32_t version, const char *name, uint32_t *number)
{
	int own = number_in_file(version, name);

	if (own == OP_CPU_NONE) {
		name = similar_type(name);
		own = number_in_file(version, name);
	}
	*number = (uint32_t)own;
	return name;
}

const char *op_cpu_type_name(int number)
{
	if (number < 0 || number >= CPU_TYPE_COUNT)
		return NULL;
	return cpu_types[number].name;
}

struct op_similar op_cpu_type_similar(const char *name)
{
	struct op_similar similar = {.word = name};

	for (int i = 0; i < CPU_TYPE_COUNT; i++)
		op_similar_try(&similar, cpu_types[i].name);
	return similar;
}

const char *op_cpu_type_title(int number)
{
	if (number < 0 || number >= CPU_TYPE_COUNT)
		return "unknown CPU type";
	return cpu_types[number].title;
}
