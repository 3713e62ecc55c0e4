// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with a short life: brief MILLISECONDS of CPU time in main(), nearly all of them
 * in brief_spin().
 */
#include <stdio.h>
#include <stdlib.h>

#include "pad.h"
#include "spin.h"

WORKLOAD_FUNCTION static void brief_spin(uint64_t iterations)
{
	spin(iterations);
}

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) / 1000 : 0;

	if (seconds <= 0) {
		fputs("usage: brief MILLISECONDS\n", stderr);
		return 2;
	}
	seconds += cpu_seconds();
	while (cpu_seconds() < seconds)
		brief_spin(SPIN_CHUNK);
	return 0;
}
