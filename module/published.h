/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers that one writer at a time changes and anybody reads, with READ_ONCE(), at any time.
 */
#ifndef OPROFILE_PUBLISHED_H
#define OPROFILE_PUBLISHED_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Context: that of the number's only writer. */
static inline void op_published_add(unsigned long *number, unsigned long more)
{
	WRITE_ONCE(*number, *number + more);
}

/* All @nr to zero, each by itself.  Context: that of their only writer. */
static inline void op_published_clear(unsigned long *numbers, size_t nr)
{
	while (nr--)
		WRITE_ONCE(numbers[nr], 0);
}

#endif
