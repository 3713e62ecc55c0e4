// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A profile known by construction: 70 % of the time in split_seventy(), 20 % in
 * split_twenty(), which is in a shared library, and 10 % in split_ten().
 *
 *	split SECONDS		runs for that much CPU time
 *
 * prints the iterations that each has run: "FUNCTION ITERATIONS".  The three take turns of
 * random length, so that no regular sampling can fall into step with them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "spin.h"
#include "split.h"

WORKLOAD_FUNCTION static void split_seventy(uint64_t iterations)
{
	spin(iterations);
}

WORKLOAD_FUNCTION static void split_ten(uint64_t iterations)
{
	spin(iterations);
}

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0;
	uint64_t tenths = 0;

	if (seconds <= 0) {
		fputs("usage: split SECONDS\n", stderr);
		return 2;
	}
	srandom(70 * 20 * 10);
	while (cpu_seconds() < seconds) {
		uint64_t tenth = SPIN_CHUNK / 2 + (uint64_t)random() % SPIN_CHUNK;

		split_seventy(7 * tenth);
		split_twenty(2 * tenth);
		split_ten(tenth);
		tenths += tenth;
	}
	printf("split_seventy %ju\nsplit_twenty %ju\nsplit_ten %ju\n", (uintmax_t)(7 * tenths),
	       (uintmax_t)(2 * tenths), (uintmax_t)tenths);
	return 0;
}
