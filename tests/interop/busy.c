// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * busy SECONDS: two processes that each spend this much of a CPU's time in functions of their own,
 * in a library and in the kernel, for tests that compare what profilers say about it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

/* Many different stacks. */
static void descend(unsigned int depth);

__attribute__((noinline)) static void left(unsigned int depth)
{
	scatter(20);
	descend(depth - 1);
	sum++;
}

__attribute__((noinline)) static void right(unsigned int depth)
{
	hash(20);
	descend(depth - 1);
	sum++;
}

__attribute__((noinline)) static void descend(unsigned int depth)
{
	if (!depth)
		return;
	left(depth);
	right(depth);
	sum++;
}

__attribute__((noinline)) static void enter_kernel(unsigned int n)
{
	char path[4096];

	while (n--)
		if (!getcwd(path, sizeof(path)))
			abort();
}

static double spent(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	pid_t child = fork();

	while (spent() < seconds) {
		mix(child ? 30000 : 10000);
		sort();
		descend(12);
		enter_kernel(200);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	return 0;
}
