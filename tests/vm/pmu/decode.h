/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Just enough of x86's encoding to tell what kind an instruction is.
 */
#ifndef PMU_DECODE_H
#define PMU_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

#define PMU_INSTRUCTION_MAX 15 /* bytes */

struct pmu_instruction {
	enum pmu_quantity branch; /* PMU_INSTRUCTIONS if it is none */
	bool repeated;		  /* a string instruction with a REP prefix */
};

/* Decodes the instruction of @size bytes at @bytes; @is_64bit: in a 64-bit code segment. */
struct pmu_instruction pmu_decode(const uint8_t *bytes, size_t size, bool is_64bit);

#endif
