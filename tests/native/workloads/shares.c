// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs in many shapes whose profile is known by construction: three quarters of the time in
 * shares_three(), one in shares_one(), whatever the shape.
 *
 *	shares alone TURNS		in one thread
 *	shares threads TURNS		in four threads, a quarter of the turns each
 *	shares fork TURNS		in 300 processes, one after the other
 *	shares exec TURNS		in 50 processes that execute this program again, in a row
 *
 * The two take turns of random length, so that no regular sampling can fall into step with them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/workloads/spin.h"

#define THREADS	  4
#define PROCESSES 300
#define PROGRAMS  50

WORKLOAD_FUNCTION static void shares_three(uint64_t iterations)
{
	spin(iterations);
}

WORKLOAD_FUNCTION static void shares_one(uint64_t iterations)
{
	spin(iterations);
}

/*
 * A turn takes some 0.1 ms: short enough that in a process of 3 ms, too, a sample may be anywhere
 * in it.  The first fifteen or so iterations of a call are faster, so that the share is really
 * 0.752.
 */
static void work(long turns, unsigned int seed)
{
	for (long i = 0; i < turns; i++) {
		uint64_t quarter = SPIN_CHUNK / 2 + (uint64_t)rand_r(&seed) % SPIN_CHUNK;

		shares_three(3 * quarter);
		shares_one(quarter);
	}
}

static void *run_thread(void *turns)
{
	work(*(long *)turns, (unsigned int)pthread_self());
	return NULL;
}

static int run_threads(long turns)
{
	pthread_t threads[THREADS];

	turns /= THREADS;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_thread, &turns))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* Return: 0 if the process has ended well. */
static int wait_for(pid_t pid)
{
	int status;

	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

static int run_forks(long turns)
{
	int failed = 0;

	for (int i = 0; !failed && i < PROCESSES; i++) {
		pid_t pid = fork();

		if (!pid) {
			work(turns / PROCESSES, (unsigned int)getpid());
			_exit(0);
		}
		failed = wait_for(pid);
	}
	return failed;
}

static int run_programs(const char *self, long turns)
{
	char text[32];
	int failed = 0;

	snprintf(text, sizeof(text), "%ld", turns / PROGRAMS);
	for (int i = 0; !failed && i < PROGRAMS; i++) {
		pid_t pid = fork();

		if (!pid) {
			execl(self, self, "alone", text, NULL);
			_exit(127);
		}
		failed = wait_for(pid);
	}
	return failed;
}

int main(int argc, char **argv)
{
	const char *shape = argc == 3 ? argv[1] : "";
	long turns = argc == 3 ? atol(argv[2]) : 0;

	if (turns > 0 && !strcmp(shape, "threads"))
		return run_threads(turns);
	if (turns > 0 && !strcmp(shape, "fork"))
		return run_forks(turns);
	if (turns > 0 && !strcmp(shape, "exec"))
		return run_programs(argv[0], turns);
	if (turns <= 0 || strcmp(shape, "alone")) {
		fputs("usage: shares alone|threads|fork|exec TURNS\n", stderr);
		return 2;
	}
	work(turns, (unsigned int)getpid());
	return 0;
}
