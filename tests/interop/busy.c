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

static volatile unsigned long sum;

__attribute__((noinline)) static void hash(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		sum = sum * 31 + i;
}

__attribute__((noinline)) static void scatter(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		sum ^= i * 7UL;
}

__attribute__((noinline)) static void mix(unsigned int n)
{
	hash(2 * n);
	scatter(n);
	sum++;
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

__attribute__((noinline)) static void sort(void)
{
	static int numbers[2048];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		numbers[i] = rand();
	qsort(numbers, sizeof(numbers) / sizeof(*numbers), sizeof(*numbers), compare);
}

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
