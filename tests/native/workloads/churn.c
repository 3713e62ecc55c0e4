// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * New programs, one after another, each of which spins for a moment:
 *
 *	churn DIR COUNT PER_SECOND LENGTH MILLISECONDS
 *
 * The paths of the programs have at least LENGTH characters below DIR, in directories of one
 * character.  Programs are removed when they have ended.  Prints how many a second there were.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/vm/workloads/spin.h"

#define AT_A_TIME 16

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int spin_for(double milliseconds)
{
	double end = now(CLOCK_PROCESS_CPUTIME_ID) + milliseconds / 1000;

	while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
		spin(SPIN_CHUNK);
	return 0;
}

/* A copy, so that each program is a file of its own. */
static void copy(const char *from, const char *to)
{
	char bytes[1 << 16];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	ssize_t n;

	while (in >= 0 && out >= 0 && (n = read(in, bytes, sizeof(bytes))) > 0) {
		if (write(out, bytes, (size_t)n) != n)
			abort();
	}
	if (in < 0 || out < 0 || close(in) || close(out))
		abort();
}

static char *make_directory(const char *top, size_t length)
{
	char *dir = calloc(1, strlen(top) + length + 8);
	char *end = dir ? stpcpy(dir, top) : NULL;

	while (end && (size_t)(end - dir) < strlen(top) + length) {
		end = stpcpy(end, "/d");
		if (mkdir(dir, 0755) && errno != EEXIST)
			abort();
	}
	return dir;
}

int main(int argc, char **argv)
{
	char name[AT_A_TIME][4096], *dir;
	pid_t pid[AT_A_TIME] = {0};
	double begin;
	int count;

	if (argc == 3 && !strcmp(argv[1], "spin"))
		return spin_for(atof(argv[2]));
	if (argc != 6) {
		fputs("usage: churn DIR COUNT PER_SECOND LENGTH MILLISECONDS\n", stderr);
		return 2;
	}
	count = atoi(argv[2]);
	dir = make_directory(argv[1], (size_t)atoi(argv[4]));
	begin = now(CLOCK_MONOTONIC);
	for (int i = 0; i < count + AT_A_TIME; i++) {
		char *const arguments[] = {name[i % AT_A_TIME], "spin", argv[5], NULL};
		double wait = begin + i / atof(argv[3]) - now(CLOCK_MONOTONIC);
		struct timespec pause = {.tv_nsec = (long)(wait * 1e9)};

		if (pid[i % AT_A_TIME]) {
			waitpid(pid[i % AT_A_TIME], NULL, 0);
			unlink(name[i % AT_A_TIME]);
		}
		if (i >= count)
			continue;
		if (wait > 0 && wait < 1)
			nanosleep(&pause, NULL);
		snprintf(name[i % AT_A_TIME], sizeof(name[0]), "%s/p%d", dir, i);
		copy("/proc/self/exe", name[i % AT_A_TIME]);
		if (posix_spawn(&pid[i % AT_A_TIME], name[i % AT_A_TIME], NULL, NULL, arguments,
				environ))
			abort();
	}
	printf("%.0f\n", count / (now(CLOCK_MONOTONIC) - begin));
	free(dir);
	return 0;
}
