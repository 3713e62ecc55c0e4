/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF expressions as call frame information has them.
 */
#ifndef LIBOP_ELF_FRAME_VALUE_H
#define LIBOP_ELF_FRAME_VALUE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The registers of x86-64 by DWARF's numbers; the last is the address of the code. */
#define FRAME_REGISTERS 17
#define FRAME_FP	6
#define FRAME_SP	7
#define FRAME_PC	16

/* struct frame_state - registers, and the part of the stack that is known */
struct frame_state {
	uint64_t reg[FRAME_REGISTERS];
	uint32_t known; /* bit N: reg[N] is */
	bool is_exact;	/* reg[FRAME_PC] is the next instruction, not the one behind a call */
	uint64_t cfa;	/* canonical frame address; for all but itself */
	const uint8_t *stack;
	uint64_t start, size; /* of @stack: address and bytes */
};

/**
 * frame_value - evaluate an expression
 * @is_location: its result is the address of the value, unless it ends with DW_OP_stack_value
 * @value: set to the value
 *
 * Return: false if it is invalid, or needs a register or word that is unknown.
 */
bool frame_value(const struct frame_state *state, const Dwarf_Op *op, size_t count,
		 bool is_location, uint64_t *value);

#endif
