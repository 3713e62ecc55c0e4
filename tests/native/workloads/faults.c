// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page faults in two functions, 3 to 1: "faults TURNS" has 4000 of them in each turn.  Those of one
 * function come at once, those of the other with pauses, so that an adapted period differs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define HEAVY 3000
#define LIGHT 1000
#define PAUSE 10 /* after so many faults */

static volatile char *map(size_t pages, size_t page)
{
	void *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED || madvise(memory, pages * page, MADV_NOHUGEPAGE)) {
		perror("faults");
		exit(1);
	}
	return memory;
}

static __attribute__((noinline)) void faults_heavy(volatile char *memory, size_t page)
{
	for (size_t i = 0; i < HEAVY; i++)
		memory[i * page] = 1;
}

static __attribute__((noinline)) void faults_light(volatile char *memory, size_t page)
{
	const struct timespec pause = {.tv_nsec = 10000};

	for (size_t i = 0; i < LIGHT; i++) {
		memory[i * page] = 1;
		if (i % PAUSE == 0)
			nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (int turns = argc > 1 ? atoi(argv[1]) : 1; turns > 0; turns--) {
		volatile char *heavy = map(HEAVY, page), *light = map(LIGHT, page);

		faults_heavy(heavy, page);
		faults_light(light, page);
		munmap((void *)heavy, HEAVY * page);
		munmap((void *)light, LIGHT * page);
	}
	return 0;
}
