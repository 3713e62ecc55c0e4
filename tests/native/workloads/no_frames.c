// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A call graph known by construction, without frame pointers:
 *
 *	main ─┬─ frames_top ── frames_middle ── frames_leaf			60 %
 *	      └─ frames_sort ── qsort (libc) ── frames_compare ── frames_leaf	40 %
 *
 *	no_frames SECONDS	runs for that much CPU time
 *
 * All the time is in the leaf.  Frames differ in size, and one has a size that is known only
 * when it runs.
 */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/vm/workloads/spin.h"

static volatile int kept;

WORKLOAD_FUNCTION static void frames_leaf(uint64_t iterations)
{
	spin(iterations);
}

WORKLOAD_FUNCTION static void frames_middle(uint64_t iterations, int number)
{
	volatile char *room = alloca(16 * (size_t)(1 + number % 9));

	room[0] = (char)number;
	frames_leaf(iterations);
	kept = room[0];
}

WORKLOAD_FUNCTION static void frames_top(uint64_t iterations, int number)
{
	volatile char room[500];

	room[number % 500] = 1;
	frames_middle(iterations, number);
	kept = room[number % 500];
}

/* Two elements are compared once. */
static uint64_t compare_iterations;

WORKLOAD_FUNCTION static int frames_compare(const void *a, const void *b)
{
	frames_leaf(compare_iterations);
	return *(const int *)a - *(const int *)b;
}

WORKLOAD_FUNCTION static void frames_sort(uint64_t iterations)
{
	int numbers[2] = {2, 1};

	compare_iterations = iterations;
	qsort(numbers, 2, sizeof(numbers[0]), frames_compare);
	kept = numbers[0];
}

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0;

	if (seconds <= 0) {
		fputs("usage: no_frames SECONDS\n", stderr);
		return 2;
	}
	srandom(60 * 40);
	while (cpu_seconds() < seconds) {
		uint64_t tenth = SPIN_CHUNK / 2 + (uint64_t)random() % SPIN_CHUNK;

		frames_top(6 * tenth, (int)(random() & 0xff));
		frames_sort(4 * tenth);
	}
	return 0;
}
