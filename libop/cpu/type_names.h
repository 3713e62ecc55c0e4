/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU types: their numbers in sample files, and their names.
 *
 * The numbers are those of OProfile 1.x; newer types follow after its last.
 */
#ifndef LIBOP_CPU_TYPE_NAMES_H
#define LIBOP_CPU_TYPE_NAMES_H

#include <stdint.h>

#include "libop/base/similar.h"

#define OP_CPU_NONE  (-1)
#define OP_CPU_TIMER 4
#define OP_CPU_ORIGINAL 88 /* from this number on, types are not in OProfile 1.4 */

/* The number of @name, such as "timer" or "i386/nehalem"; OP_CPU_NONE if unknown.
 * "nmi_timer" is OP_CPU_TIMER: sample files do not distinguish the two. */
int op_cpu_type_number(const char *name);
/*
 * The number of the type that is @number in a sample file of @version: versions 0x11 and 0x12,
 * of OProfile 0.9.x, number the types differently.  OP_CPU_NONE if unknown.
 */
int op_cpu_type_of_file(uint32_t version, uint32_t number);
/**
 * op_cpu_type_for_file - the type to write into a sample file that OProfile is to read
 * @version: of the file: 0x12 for OProfile 0.9.9, 0x13 for 1.4
 * @name: of the type
 * @number: set to its number in that version
 *
 * Return: @name; or, if that OProfile does not know it, a general type of the same vendor.
 */
const char *op_cpu_type_for_file(uint32_t version, const char *name, uint32_t *number);
/* The name of @number, "i386/nehalem"; NULL if unknown. */
const char *op_cpu_type_name(int number);
/* The name of a type that resembles @name, which is that of none. */
struct op_similar op_cpu_type_similar(const char *name);
/* The description: "Intel Nehalem microarchitecture"; "unknown CPU type" if unknown. */
const char *op_cpu_type_title(int number);

#endif
