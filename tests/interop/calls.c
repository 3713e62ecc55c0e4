// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls SECONDS: one process that spends so much of a processor's time in functions of its own and
 * in the C library, for profilers that sample in the process itself.
 */
#include <stdlib.h>
#include <time.h>

#include "work.h"

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;

	while ((double)clock() < seconds * CLOCKS_PER_SEC) {
		mix(30000);
		sort();
		scatter(10000);
	}
	return 0;
}
