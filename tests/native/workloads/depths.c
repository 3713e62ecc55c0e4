// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains known by construction to their ends, without frame pointers, each for a third of
 * the time:
 *
 *	_start ── C library ── main ── depths_down × 20 ── depths_main_leaf
 *	_start ── C library ── main ── qsort (C library) ── depths_compare ── depths_library_leaf
 *	C library ── depths_thread ── depths_down × 20 ── depths_thread_leaf
 *
 *	depths SECONDS	runs for that much CPU time
 *
 * Prints the frames that each leaf has as the compiler's unwinder counts them in the leaf itself,
 * and how many of them are the program's by construction: "LEAF FRAMES OWN".
 */
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/vm/workloads/spin.h"

#define DOWN 20

static double seconds;
static volatile int kept;

/* Tells of a leaf the frames on the stack, of which backtrace() itself is none. */
#define TELL(own)                                                                   \
	do {                                                                        \
		void *frame[100];                                                   \
		if (!iterations)                                                    \
			printf("%s %d %d\n", __func__, backtrace(frame, 100), own); \
		else                                                                \
			spin(iterations);                                           \
	} while (0)

typedef void leaf_function(uint64_t iterations);

/* the leaf, depths_down(0) to (DOWN - 1), main() */
WORKLOAD_FUNCTION static void depths_main_leaf(uint64_t iterations)
{
	TELL(1 + DOWN + 1);
}

/* the leaf, depths_compare(), main() */
WORKLOAD_FUNCTION static void depths_library_leaf(uint64_t iterations)
{
	TELL(3);
}

/* the leaf, depths_down(0) to (DOWN - 1), depths_thread() */
WORKLOAD_FUNCTION static void depths_thread_leaf(uint64_t iterations)
{
	TELL(1 + DOWN + 1);
}

WORKLOAD_FUNCTION static void depths_down(uint64_t iterations, int more, leaf_function *leaf)
{
	volatile unsigned char room[300];

	room[more] = 1;
	if (more)
		depths_down(iterations, more - 1, leaf);
	else
		leaf(iterations);
	kept = room[more];
}

static uint64_t compare_iterations;

WORKLOAD_FUNCTION static int depths_compare(const void *a, const void *b)
{
	depths_library_leaf(compare_iterations);
	return *(const int *)a - *(const int *)b;
}

WORKLOAD_FUNCTION static void *depths_thread(void *iterations)
{
	depths_down(*(uint64_t *)iterations, DOWN - 1, depths_thread_leaf);
	kept = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t iterations = 0;

	seconds = argc == 2 ? atof(argv[1]) : 0;
	if (seconds <= 0) {
		fputs("usage: depths SECONDS\n", stderr);
		return 2;
	}
	do {
		int numbers[2] = {2, 1};
		pthread_t thread;

		depths_down(iterations, DOWN - 1, depths_main_leaf);
		compare_iterations = iterations;
		qsort(numbers, 2, sizeof(numbers[0]), depths_compare);
		if (pthread_create(&thread, NULL, depths_thread, &iterations))
			return 1;
		pthread_join(thread, NULL);
		/* several periods of a sampling clock, for each thread has its own */
		iterations = 500 * SPIN_CHUNK;
	} while (cpu_seconds() < seconds);
	return 0;
}
