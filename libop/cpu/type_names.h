/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU types: the numbers that stand in sample files, and their names.
 *
 * The numbers are those of OProfile 1.x; types it does not know follow after its last.
 */
#ifndef LIBOP_CPU_TYPE_H
#define LIBOP_CPU_TYPE_H

#include <stdint.h>

#define OP_CPU_NONE  (-1)
#define OP_CPU_TIMER 4

/* The number of @name, such as "timer" or "i386/nehalem"; OP_CPU_NONE if unknown.
 * "nmi_timer" is OP_CPU_TIMER: sample files tell no difference. */
int op_cpu_type_number(const char *name);
/*
 * The number of a type that stands as @number in a sample file of @version: 0x11 and 0x12, of
 * OProfile 0.9.x, number the types in another way.  OP_CPU_NONE if unknown.
 */
int op_cpu_type_of_file(uint32_t version, uint32_t number);
/* The name of @number, "i386/nehalem"; NULL if unknown. */
const char *op_cpu_type_name(int number);
/* For people: "Intel Nehalem microarchitecture"; "unknown CPU type" if unknown. */
const char *op_cpu_type_title(int number);

#endif
