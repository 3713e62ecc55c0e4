// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocates known amounts of memory, for profiles of heaps. */
#include <stdlib.h>

enum { SMALL = 1000, BIG = 10 };

static void *volatile kept[SMALL + BIG];

__attribute__((noinline)) static void allocate_small(void)
{
	for (int i = 0; i < SMALL; i++)
		kept[i] = malloc(1000);
}

__attribute__((noinline)) static void allocate_big(void)
{
	for (int i = 0; i < BIG; i++)
		kept[SMALL + i] = malloc(1 << 20);
}

__attribute__((noinline)) static void allocate_and_free(void)
{
	for (int i = 0; i < 100; i++) {
		void *volatile block = malloc(5000);

		free(block);
	}
}

int main(void)
{
	allocate_small();
	allocate_big();
	allocate_and_free();
	return 0;
}
