/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one way in which the workloads use up time: a loop that is the same instructions
 * wherever it stands, so that iterations are a measure of time that holds between functions,
 * programs and libraries.
 */
#ifndef WORKLOAD_SPIN_H
#define WORKLOAD_SPIN_H

#include <stdint.h>
#include <time.h>

#include "function.h"

/* Iterations of spin() that take about 0.1 ms, somewhat more on a slow emulated CPU. */
#define SPIN_CHUNK UINT64_C(1000)

/*
 * Takes time proportional to @iterations, which must not be 0.
 *
 * Square roots, because an emulator calls a function of its own for them: nearly all of the
 * time is then spent in the same code of the host, wherever the loop was translated to.  A
 * loop of simple instructions is up to 10 % faster or slower by how its translation happens
 * to be aligned.
 */
static inline void spin(uint64_t iterations)
{
	double value = 3;

	/* aligned, so that no copy of it crosses a cache line or a page */
	__asm__ volatile(".balign 64\n"
			 "1:\tsqrtsd %1, %1\n\t"
			 "sqrtsd %1, %1\n\t"
			 "sqrtsd %1, %1\n\t"
			 "sqrtsd %1, %1\n\t"
			 "dec %0\n\t"
			 "jnz 1b"
			 : "+r"(iterations), "+x"(value)
			 :
			 : "cc");
}

/* CPU time of this process so far, in seconds. */
static inline double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
