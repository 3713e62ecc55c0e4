// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads of one process that work for SECONDS, one after another, and have names:
 *
 *	named_threads SECONDS	says its pid first
 *
 * "disk writer" is named before it works, "renamed" after half of its work, and one thread keeps
 * the name of the program, as the first thread does, which waits for them.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static double seconds;

static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static volatile uint64_t sum;

static void work_until(double end)
{
	while (cpu_seconds() < end)
		for (unsigned int i = 0; i < 20000; i++)
			sum += i;
}

static void *writer(void *unused)
{
	prctl(PR_SET_NAME, "disk writer");
	work_until(seconds);
	return unused;
}

static void *renamed(void *unused)
{
	work_until(seconds / 2);
	prctl(PR_SET_NAME, "renamed");
	work_until(seconds);
	return unused;
}

static void *nameless(void *unused)
{
	work_until(seconds);
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const threads[])(void *) = {writer, renamed, nameless};

	seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, threads[i], NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	return 0;
}
