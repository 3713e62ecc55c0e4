// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A call graph known by construction, with frame pointers:
 *
 *	main ─ chain_top ─┬─ chain_often ─┬─ chain_leaf		60 %
 *			  │		  └─ chain_far (library)	20 %
 *			  └─ chain_seldom ── chain_leaf			20 %
 *
 *	chain SECONDS		runs for that much CPU time
 *
 * All the time is in the two leaves.  Deep down in the library, chain_far() is called through
 * the PLT, as any library function is.
 */
#include <stdio.h>
#include <stdlib.h>

#include "chain.h"
#include "spin.h"

WORKLOAD_FUNCTION static void chain_leaf(uint64_t iterations)
{
	spin(iterations);
	CHAIN_FRAME;
}

WORKLOAD_FUNCTION static void chain_often(uint64_t tenth)
{
	chain_leaf(6 * tenth);
	chain_far(2 * tenth);
	CHAIN_FRAME;
}

WORKLOAD_FUNCTION static void chain_seldom(uint64_t tenth)
{
	chain_leaf(2 * tenth);
	CHAIN_FRAME;
}

WORKLOAD_FUNCTION static void chain_top(uint64_t tenth)
{
	chain_often(tenth);
	chain_seldom(tenth);
	CHAIN_FRAME;
}

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0;

	if (seconds <= 0) {
		fputs("usage: chain SECONDS\n", stderr);
		return 2;
	}
	srandom(60 * 20 * 20);
	while (cpu_seconds() < seconds)
		chain_top(SPIN_CHUNK / 2 + (uint64_t)random() % SPIN_CHUNK);
	return 0;
}
