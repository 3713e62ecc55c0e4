// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cost COMMAND...: runs it, and writes to stderr "SECONDS CPU-SECONDS KIB": how long it takes, the
 * CPU time of all its threads, also in the kernel, and the most memory at a time.  A script can't
 * measure that itself: Linux counts the memory of what forks for what is executed then.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	double begin = now();
	struct rusage usage;
	int status;
	pid_t pid = argc > 1 ? fork() : -1;

	if (!pid) {
		execv(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return 127;
	fprintf(stderr, "%f %f %ld\n", now() - begin,
		seconds(&usage.ru_utime) + seconds(&usage.ru_stime), usage.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}
