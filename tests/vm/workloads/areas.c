// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes with much executable memory that is of no file:
 *
 *	areas NUMBER TURNS
 *
 * TURNS processes, one after the other, map NUMBER areas of a page, compute for 20 ms in one of
 * them, and exit.  Prints how many microseconds an exit took, on an average.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096UL
#define COMPUTED_NS 20000000

static uint64_t *exited; /* when the last process began to exit, ns; shared with it */

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "areas: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* mov ecx, 20000; 1: dec ecx; jnz 1b; ret */
static const uint8_t spin_code[] = { 0xb9, 0x20, 0x4e, 0, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };

/* Every other page: those between keep them from being one area. */
static void map_and_compute(unsigned long number)
{
	char *memory = mmap(NULL, 2 * number * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	check(memory != MAP_FAILED, "mmap");
	memcpy(memory, spin_code, sizeof(spin_code));
	for (unsigned long i = 0; i < number; i++)
		check(!mprotect(memory + 2 * i * PAGE, PAGE, PROT_READ | PROT_EXEC), "mprotect");
	while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < COMPUTED_NS)
		((void (*)(void))memory)();
}

int main(int argc, char **argv)
{
	unsigned long number = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long turns = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t sum = 0;

	if (!number || !turns) {
		fputs("usage: areas NUMBER TURNS\n", stderr);
		return 2;
	}
	exited = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(exited != MAP_FAILED, "mmap");
	for (unsigned long i = 0; i < turns; i++) {
		pid_t child = fork();
		int status;

		check(child >= 0, "fork");
		if (!child) {
			map_and_compute(number);
			*exited = now_ns(CLOCK_MONOTONIC);
			_exit(0);
		}
		check(waitpid(child, &status, 0) == child && !status, "a process");
		sum += now_ns(CLOCK_MONOTONIC) - *exited;
	}
	printf("%llu\n", (unsigned long long)(sum / turns / 1000));
	return 0;
}
