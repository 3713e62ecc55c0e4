// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUID and CPU types: see detect.h.
 */
#include "detect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "type_names.h"
#include "libop/base/array.h"
#include "libop/base/file.h"

#define DRIVER_DIR	"/dev/oprofile"
#define DRIVER_OLD_TYPE "/proc/sys/dev/oprofile/cpu_type" /* of Linux 2.4 */
#define CPU_TYPE_LENGTH 64

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

static void read_amd(struct op_cpu_id *cpu)
{
	unsigned int eax, ebx, ecx, edx;

	if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx))
		cpu->amd_core_counters = ecx & (1u << 23);
	/* EAX bit 0: performance monitoring version 2; EBX[3:0]: number of core counters */
	if (__get_cpuid(0x80000022, &eax, &ebx, &ecx, &edx) && (eax & 1))
		cpu->amd_counters = ebx & 0xf;
}

void op_cpu_id_read(struct op_cpu_id *cpu)
{
	unsigned int eax, ebx, ecx, edx;

	*cpu = (struct op_cpu_id){0};
	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return;
	memcpy(cpu->vendor, &ebx, 4);
	memcpy(cpu->vendor + 4, &edx, 4);
	memcpy(cpu->vendor + 8, &ecx, 4);

	__cpuid(1, eax, ebx, ecx, edx);
	cpu->family = eax >> 8 & 0xf;
	cpu->model = eax >> 4 & 0xf;
	/* the extended parts; CPUs before them have zeros there */
	cpu->model |= eax >> 12 & 0xf0;
	if (cpu->family == 0xf)
		cpu->family += eax >> 20 & 0xff;
	cpu->siblings = edx & (1u << 28) ? ebx >> 16 & 0xff : 1;

	if (!strcmp(cpu->vendor, "AuthenticAMD") || !strcmp(cpu->vendor, "HygonGenuine")) {
		read_amd(cpu);
		return;
	}
	if (__get_cpuid(0xa, &eax, &ebx, &ecx, &edx)) {
		cpu->perfmon_eax = eax;
		cpu->perfmon_ebx = ebx;
		cpu->perfmon_edx = edx;
	}
	if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
		cpu->hybrid = edx & (1u << 15);
}
#else
void op_cpu_id_read(struct op_cpu_id *cpu)
{
	*cpu = (struct op_cpu_id){0};
}
#endif

unsigned int op_cpu_id_perfmon_version(const struct op_cpu_id *cpu)
{
	return cpu->perfmon_eax & 0xff;
}

/* Family 6 of Intel; of hybrid CPUs, the type is that of the performance cores. */
static const struct {
	unsigned int first, last;
	const char *name;
} intel_models[] = {
	{0x00, 0x02, "i386/ppro"},	     {0x03, 0x05, "i386/pii"},
	{0x06, 0x08, "i386/piii"},	     {0x09, 0x09, "i386/p6_mobile"},
	{0x0a, 0x0b, "i386/piii"},	     {0x0d, 0x0d, "i386/p6_mobile"},
	{0x0e, 0x0e, "i386/core"},	     {0x0f, 0x0f, "i386/core_2"},
	{0x16, 0x17, "i386/core_2"},	     {0x1a, 0x1a, "i386/core_i7"},
	{0x1c, 0x1c, "i386/atom"},	     {0x1d, 0x1d, "i386/core_2"},
	{0x1e, 0x1f, "i386/core_i7"},	     {0x25, 0x25, "i386/westmere"},
	{0x2a, 0x2a, "i386/sandybridge"},    {0x2c, 0x2c, "i386/westmere"},
	{0x2d, 0x2d, "i386/sandybridge"},    {0x2e, 0x2e, "i386/core_i7"},
	{0x2f, 0x2f, "i386/westmere"},	     {0x37, 0x37, "i386/silvermont"},
	{0x3a, 0x3a, "i386/ivybridge"},	     {0x3c, 0x3c, "i386/haswell"},
	{0x3d, 0x3d, "i386/broadwell"},	     {0x3e, 0x3e, "i386/ivybridge"},
	{0x3f, 0x3f, "i386/haswell"},	     {0x45, 0x46, "i386/haswell"},
	{0x47, 0x47, "i386/broadwell"},	     {0x4c, 0x4d, "i386/silvermont"},
	{0x4e, 0x4e, "i386/skylake"},	     {0x4f, 0x4f, "i386/broadwell"},
	{0x55, 0x55, "i386/skylake"},	     {0x56, 0x56, "i386/broadwell"},
	{0x57, 0x57, "i386/knightslanding"}, {0x5c, 0x5c, "i386/goldmont"},
	{0x5e, 0x5e, "i386/skylake"},	     {0x5f, 0x5f, "i386/goldmont"},
	{0x66, 0x66, "i386/skylake"},	     {0x6a, 0x6a, "i386/icelake"},
	{0x6c, 0x6c, "i386/icelake"},	     {0x7a, 0x7a, "i386/goldmontplus"},
	{0x7d, 0x7e, "i386/icelake"},	     {0x85, 0x85, "i386/knightslanding"},
	{0x86, 0x86, "i386/tremont"},	     {0x8c, 0x8d, "i386/tigerlake"},
	{0x8e, 0x8e, "i386/skylake"},	     {0x8f, 0x8f, "i386/sapphirerapids"},
	{0x96, 0x96, "i386/tremont"},	     {0x97, 0x97, "i386/alderlake"},
	{0x9a, 0x9a, "i386/alderlake"},	     {0x9c, 0x9c, "i386/tremont"},
	{0x9d, 0x9d, "i386/icelake"},	     {0x9e, 0x9e, "i386/skylake"},
	{0xa5, 0xa6, "i386/skylake"},	     {0xa7, 0xa7, "i386/rocketlake"},
	{0xaa, 0xaa, "i386/meteorlake"},     {0xac, 0xac, "i386/meteorlake"},
	{0xad, 0xae, "i386/graniterapids"},  {0xaf, 0xaf, "i386/crestmont"},
	{0xb5, 0xb5, "i386/arrowlake"},	     {0xb6, 0xb6, "i386/crestmont"},
	{0xb7, 0xb7, "i386/raptorlake"},     {0xba, 0xba, "i386/raptorlake"},
	{0xbd, 0xbd, "i386/lunarlake"},	     {0xbe, 0xbe, "i386/gracemont"},
	{0xbf, 0xbf, "i386/raptorlake"},     {0xc5, 0xc6, "i386/arrowlake"},
	{0xcf, 0xcf, "i386/emeraldrapids"},
};

/* AMD's families; Hygon's 18h is a Zen. */
static const struct {
	unsigned int family, first, last; /* models */
	const char *name;
} amd_models[] = {
	{0x06, 0x00, 0xff, "i386/athlon"},	{0x0f, 0x00, 0xff, "x86-64/hammer"},
	{0x10, 0x00, 0xff, "x86-64/family10"},	{0x11, 0x00, 0xff, "x86-64/family11h"},
	{0x12, 0x00, 0xff, "x86-64/family12h"}, {0x14, 0x00, 0xff, "x86-64/family14h"},
	{0x15, 0x00, 0xff, "x86-64/family15h"}, {0x16, 0x00, 0xff, "x86-64/family16h"},
	{0x17, 0x00, 0x2f, "x86-64/zen1"},	{0x17, 0x30, 0xff, "x86-64/zen2"},
	{0x18, 0x00, 0xff, "x86-64/zen1"},	{0x19, 0x00, 0x0f, "x86-64/zen3"},
	{0x19, 0x10, 0x1f, "x86-64/zen4"},	{0x19, 0x20, 0x5f, "x86-64/zen3"},
	{0x19, 0x60, 0xaf, "x86-64/zen4"},	{0x1a, 0x00, 0x4f, "x86-64/zen5"},
	{0x1a, 0x60, 0x7f, "x86-64/zen5"},
};

static const char *intel_name(const struct op_cpu_id *cpu)
{
	if (cpu->family == 0xf) {
		if (cpu->model == 5 || cpu->model > 6)
			return NULL;
		return cpu->siblings > 1 ? "i386/p4-ht" : "i386/p4";
	}
	for (size_t i = 0; cpu->family == 6 && i < OP_ARRAY_SIZE(intel_models); i++) {
		if (cpu->model >= intel_models[i].first && cpu->model <= intel_models[i].last)
			return intel_models[i].name;
	}
	return op_cpu_id_perfmon_version(cpu) ? "i386/arch_perfmon" : NULL;
}

static const char *amd_name(const struct op_cpu_id *cpu)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(amd_models); i++) {
		if (cpu->family == amd_models[i].family && cpu->model >= amd_models[i].first &&
		    cpu->model <= amd_models[i].last)
			return amd_models[i].name;
	}
	return cpu->family > 0x15 ? "x86-64/generic" : NULL;
}

int op_cpu_id_type(const struct op_cpu_id *cpu)
{
	const char *name;

	if (!strcmp(cpu->vendor, "AuthenticAMD") || !strcmp(cpu->vendor, "HygonGenuine"))
		name = amd_name(cpu);
	else if (!strcmp(cpu->vendor, "GenuineIntel"))
		name = intel_name(cpu);
	else
		name = op_cpu_id_perfmon_version(cpu) ? "i386/arch_perfmon" : NULL;
	return name ? op_cpu_type_number(name) : OP_CPU_NONE;
}

/* The driver's CPU type: a number, or OP_CPU_NONE with @error set. */
static int type_of_file(const char *path, struct op_error *error)
{
	char *name = op_file_read(path, CPU_TYPE_LENGTH, NULL, error);
	int type;

	if (!name)
		return OP_CPU_NONE;
	name[strcspn(name, "\n")] = '\0';
	type = op_cpu_type_number(name);
	if (type == OP_CPU_NONE)
		op_error_set(error, EINVAL, "%s: unknown CPU type \"%s\"", path, name);
	free(name);
	return type;
}

int op_cpu_type_detect(const char *driver_dir, const struct op_cpu_id *cpu, struct op_error *error)
{
	int type = OP_CPU_NONE, local = op_cpu_id_type(cpu);
	struct op_error cause = {0};
	char *path;

	path = op_path("%s/cpu_type", driver_dir ? driver_dir : DRIVER_DIR);
	if (!path) {
		op_error_memory(error);
		return OP_CPU_NONE;
	}
	if (!driver_dir)
		type = type_of_file(DRIVER_OLD_TYPE, &cause);
	if (type == OP_CPU_NONE)
		type = type_of_file(path, &cause);
	free(path);
	if (type == OP_CPU_NONE && cause.code == EINVAL) {
		if (error)
			*error = cause;
		return OP_CPU_NONE;
	}
	/* The driver counts on all kinds of cores, what they have in common. */
	if (cpu->hybrid && type == op_cpu_type_number("i386/arch_perfmon"))
		return type;
	if (local != OP_CPU_NONE &&
	    (type == OP_CPU_NONE || type == op_cpu_type_number("i386/arch_perfmon") ||
	     type == op_cpu_type_number("x86-64/generic")))
		return local;
	if (type == OP_CPU_NONE)
		op_error_set(error, ENOTSUP,
			     "the CPU type of this CPU (%s family 0x%x model 0x%x) is unknown, and "
			     "no driver is loaded that names it",
			     cpu->vendor[0] ? cpu->vendor : "not x86", cpu->family, cpu->model);
	return type;
}
