/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of the stack of a sample is copied, by what the last samples needed.
 *
 * The kernel fixes the size with the event, so there is an event for each size, and one of them
 * counts.  A smaller one takes less room in rings; a larger one has the whole of deeper stacks.
 */
#ifndef LIBOP_PERF_COPIES_H
#define LIBOP_PERF_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_COPIES_MOST 3

/* Samples that are looked at together. */
#define PERF_COPIES_WINDOW 512
/* So many of these with a stack that is deeper than its copy, 1.6 %, ask for the next size. */
#define PERF_COPIES_CUT 8
/* So many windows in which the size below had done are needed for that one to be taken, at first,
 * and at most: twice as many each time that it was too small after all. */
#define PERF_COPIES_CALM      2
#define PERF_COPIES_CALM_MOST 256
/* A smaller size was taken because samples were lost: so many windows do not ask for more. */
#define PERF_COPIES_HOLD 32

struct perf_copies {
	uint32_t size[PERF_COPIES_MOST]; /* bytes, from small to large */
	size_t n, chosen;
	uint64_t seen, lost;		 /* samples in this window */
	uint64_t over[PERF_COPIES_MOST]; /* of those seen, with a deeper stack */
	unsigned int calm, needed_calm, hold;
};

/**
 * perf_copies_fixed - one size
 */
struct perf_copies perf_copies_fixed(uint32_t size);

/**
 * perf_copies_adapting - sizes to choose from
 * @ring: bytes of the ring of a CPU, which is to have room for some samples
 */
struct perf_copies perf_copies_adapting(size_t ring);

/**
 * perf_copies_take - count a sample
 * @needed: bytes of its stack up to the start of its call chain; of one that is deeper than what
 *	was copied, one more than that
 */
void perf_copies_take(struct perf_copies *copies, uint64_t needed);

/* Counts samples that were lost, as rings were full. */
void perf_copies_lost(struct perf_copies *copies, uint64_t samples);

#endif
