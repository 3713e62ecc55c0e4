// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A deep call graph, with frame pointers: main() calls deep_69(), that deep_68(), and so on down
 * to deep_00(), which calls bottom().  All the work is there:
 *
 *	deep TURNS		in a loop of so many turns of two instructions
 *	deep TURNS FILE		in a write of the number to FILE, which is to do the same
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/vm/workloads/function.h"

/* Kept as written; and a frame in each, which is not taken down before its last call. */
#define FUNCTION WORKLOAD_FUNCTION
#define FRAME	 __asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory")

static int file = -1;
static char line[32];

/* Without the C library, whose functions have no frames. */
FUNCTION static void bottom(unsigned long turns)
{
	if (file >= 0) {
		long result = SYS_write;

		__asm__ volatile("syscall"
				 : "+a"(result)
				 : "D"((long)file), "S"(line), "d"(strlen(line))
				 : "rcx", "r11", "memory");
		if (result < 0)
			abort();
	} else {
		__asm__ volatile("1:\tdec %0\n\t"
				 "jnz 1b"
				 : "+r"(turns)
				 :
				 : "cc");
	}
	FRAME;
}

#define LEVEL(name, below)                                    \
	FUNCTION static void deep_##name(unsigned long turns) \
	{                                                     \
		below(turns);                                 \
		FRAME;                                        \
	}
#define TEN(tens, below)                  \
	LEVEL(tens##0, below)             \
	LEVEL(tens##1, deep_##tens##0)    \
	LEVEL(tens##2, deep_##tens##1)    \
	LEVEL(tens##3, deep_##tens##2)    \
	LEVEL(tens##4, deep_##tens##3)    \
	LEVEL(tens##5, deep_##tens##4)    \
	LEVEL(tens##6, deep_##tens##5)    \
	LEVEL(tens##7, deep_##tens##6)    \
	LEVEL(tens##8, deep_##tens##7)    \
	LEVEL(tens##9, deep_##tens##8)

TEN(0, bottom)
TEN(1, deep_09)
TEN(2, deep_19)
TEN(3, deep_29)
TEN(4, deep_39)
TEN(5, deep_49)
TEN(6, deep_59)

int main(int argc, char **argv)
{
	unsigned long turns = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	if (!turns || argc > 3) {
		fputs("usage: deep TURNS [FILE]\n", stderr);
		return 2;
	}
	if (argc == 3) {
		snprintf(line, sizeof(line), "%lu", turns);
		file = open(argv[2], O_WRONLY);
		if (file < 0) {
			perror(argv[2]);
			return 1;
		}
	}
	deep_69(turns);
	return 0;
}
