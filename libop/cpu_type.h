/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU types: the numbers that stand in sample files, and their names.
 *
 * The numbers are those of OProfile 1.x; types it does not know follow after its last.
 */
#ifndef LIBOP_CPU_TYPE_H
#define LIBOP_CPU_TYPE_H

#define OP_CPU_NONE (-1)
#define OP_CPU_TIMER 4

/* The number of @name, such as "timer" or "i386/nehalem"; OP_CPU_NONE if unknown.
 * "nmi_timer" is OP_CPU_TIMER: sample files tell no difference. */
int op_cpu_type_number(const char *name);
/* The name of @number, "i386/nehalem"; NULL if unknown. */
const char *op_cpu_type_name(int number);
/* For people: "Intel Nehalem microarchitecture"; "unknown CPU type" if unknown. */
const char *op_cpu_type_title(int number);

#endif
