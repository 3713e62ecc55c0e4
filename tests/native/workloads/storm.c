// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads or processes in great number, each of which spins for a moment in storm_spin():
 *
 *	storm threads COUNT MILLISECONDS	threads, up to 32 at a time
 *	storm forks COUNT MILLISECONDS		processes that execute nothing, one after another
 *
 * prints the CPU time that they spent there, in seconds: not that of making them, which a virtual
 * machine may take for that of the programs.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/workloads/spin.h"

#define AT_A_TIME 32
#define CHUNKS	  4 /* between two looks at the clock, which may take as long as one */

static double duration;
static _Atomic uint64_t *spent; /* nanoseconds, of all threads and processes */

WORKLOAD_FUNCTION static void storm_spin(uint64_t iterations)
{
	spin(iterations);
}

static double thread_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *live(void *argument)
{
	double start = thread_seconds(), now = start;

	while (now < start + duration) {
		storm_spin(CHUNKS * SPIN_CHUNK);
		now = thread_seconds();
	}
	atomic_fetch_add(spent, (uint64_t)((now - start) * 1e9));
	return argument;
}

static void run_threads(int count)
{
	pthread_t thread[AT_A_TIME];

	for (int done = 0; done < count; done += AT_A_TIME) {
		int n = count - done < AT_A_TIME ? count - done : AT_A_TIME;

		for (int i = 0; i < n; i++) {
			if (pthread_create(&thread[i], NULL, live, NULL))
				abort();
		}
		for (int i = 0; i < n; i++)
			pthread_join(thread[i], NULL);
	}
}

static void run_forks(int count)
{
	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (child < 0)
			abort();
		if (!child) {
			live(NULL);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	int count = argc == 4 ? atoi(argv[2]) : 0;

	duration = argc == 4 ? atof(argv[3]) / 1000 : 0;
	if (count < 1 || duration <= 0) {
		fputs("usage: storm threads|forks COUNT MILLISECONDS\n", stderr);
		return 2;
	}
	spent = mmap(NULL, sizeof(*spent), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (spent == MAP_FAILED)
		abort();
	if (!strcmp(argv[1], "threads"))
		run_threads(count);
	else
		run_forks(count);
	printf("%f\n", (double)atomic_load(spent) / 1e9);
	return 0;
}
