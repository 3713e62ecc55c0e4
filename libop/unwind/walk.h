/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a frame to its caller's, by a row of an unwind table and a copy of the stack.
 */
#ifndef LIBOP_UNWIND_WALK_H
#define LIBOP_UNWIND_WALK_H

#include <stdint.h>

#include "module/uapi/unwind_step.h"

/* struct unwind_stack - the part of the stack that is known */
struct unwind_stack {
	const uint8_t *bytes;
	uint64_t start, size; /* address, and bytes */
};

/**
 * unwind_step - go to the caller
 * @row: of the code of the frame; NULL is as UNWIND_NONE
 * @stack: any bytes: what it says is not trusted
 * @frame: becomes the caller's, or stays; its registers are uint64_t, in DWARF's order
 *
 * Return: UNWIND_GOES_ON, or why there is no caller.
 */
enum unwind_end unwind_step(const struct unwind_row *row, const struct unwind_stack *stack,
			    struct unwind_frame *frame);

/**
 * unwind_step_by_frame_pointer - go to the caller of code of which nothing is said
 *
 * As unwind_step(), by unwind_step_by_fp(): what it leads to may be anything.
 */
enum unwind_end unwind_step_by_frame_pointer(const struct unwind_stack *stack,
					     struct unwind_frame *frame);

#endif
