// SPDX-License-Identifier: GPL-2.0-or-later
/* From a frame to its caller's: see walk.h. */
#include "walk.h"

#include <string.h>

/* Of struct unwind_stack.  A call would cost as much as the rest of it, twice a frame. */
static __always_inline bool read_word(void *from, __u64 address, __u64 *word)
{
	const struct unwind_stack *stack = from;
	uint64_t at = address - stack->start;

	if (address < stack->start || stack->size < sizeof(*word) ||
	    at > stack->size - sizeof(*word))
		return false;
	memcpy(word, stack->bytes + at, sizeof(*word));
	return true;
}

static bool find_register(const struct unwind_frame *frame, unsigned int number, __u64 *value)
{
	*value = ((const uint64_t *)frame->registers)[number];
	return frame->known & 1u << number;
}

enum unwind_end unwind_step(const struct unwind_row *row, const struct unwind_stack *stack,
			    struct unwind_frame *frame)
{
	if (!row)
		return UNWIND_NO_ROW;
	return unwind_step_by_row(row, frame, read_word, (void *)stack, find_register);
}

enum unwind_end unwind_step_by_frame_pointer(const struct unwind_stack *stack,
					     struct unwind_frame *frame)
{
	return unwind_step_by_fp(frame, read_word, (void *)stack);
}
