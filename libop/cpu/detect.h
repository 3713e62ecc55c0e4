/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identifies a CPU by CPUID, and finds its CPU type.
 */
#ifndef LIBOP_CPU_DETECT_H
#define LIBOP_CPU_DETECT_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"

struct op_cpu_id {
	char vendor[13];	    /* "GenuineIntel"; "" if this is no x86 CPU */
	unsigned int family, model; /* with the extended parts added */
	unsigned int siblings;	    /* logical CPUs of a package, from leaf 1 */
	uint32_t perfmon_eax, perfmon_ebx, perfmon_edx; /* leaf 0xA of Intel */
	bool amd_core_counters;				/* AMD: six counters, not four */
	bool hybrid;		   /* Intel: this machine has big and small cores */
	unsigned int amd_counters; /* AMD leaf 0x80000022: their number; 0 if it is not there */
};

/* Reads the CPUID of the current CPU. */
void op_cpu_id_read(struct op_cpu_id *cpu);

/* Version of Intel's architectural performance monitoring; 0: none. */
unsigned int op_cpu_id_perfmon_version(const struct op_cpu_id *cpu);

/* The CPU type; OP_CPU_NONE if unknown. */
int op_cpu_id_type(const struct op_cpu_id *cpu);

/**
 * op_cpu_type_detect - the CPU type of this machine
 * @driver_dir: where oprofilefs is; NULL: /dev/oprofile
 * @cpu: this CPU (op_cpu_id_read())
 *
 * The type is that of the driver.  Without one, or if the driver has only a general name
 * ("i386/arch_perfmon", "x86-64/generic"), it is found by @cpu.  Where cores are of several kinds, a
 * driver with the former means it.
 *
 * Return: the number, or OP_CPU_NONE with @error set.
 */
int op_cpu_type_detect(const char *driver_dir, const struct op_cpu_id *cpu, struct op_error *error);

#endif
