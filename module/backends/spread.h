/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Intervals that are spread at random, so that what a machine does in step with its own clock
 * does not meet a timer of ours always, or never.
 */
#ifndef OPROFILE_SPREAD_H
#define OPROFILE_SPREAD_H

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/types.h>

/* The state of op_spread(); process context. */
static inline u32 op_spread_begin(void)
{
	return get_random_u32() | 1; /* never zero */
}

/**
 * op_spread - @mean_ns * [7/8, 9/8)
 * @random: of op_spread_begin(); of this timer alone
 *
 * Context: any.
 */
static inline ktime_t op_spread(u64 mean_ns, u32 *random)
{
	/* Marsaglia, "Xorshift RNGs", 2003: 13, 17, 5 has the full period of 2^32 - 1. */
	*random ^= *random << 13;
	*random ^= *random >> 17;
	*random ^= *random << 5;
	return ns_to_ktime(mean_ns - (mean_ns >> 3) + mul_u64_u32_shr(mean_ns >> 2, *random, 32));
}

#endif
