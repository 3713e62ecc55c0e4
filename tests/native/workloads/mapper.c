// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps its own file as code, and unmaps it, again and again:
 *
 *	mapper SECONDS		of CPU time
 *
 * prints the CPU time that it took, in seconds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = argc > 1 ? atof(argv[1]) : 1;
	int fd = open("/proc/self/exe", O_RDONLY);

	while (cpu_seconds() < end) {
		for (int i = 0; i < 100; i++) {
			void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

			if (code == MAP_FAILED || munmap(code, 4096))
				return 1;
		}
	}
	printf("%.3f\n", cpu_seconds());
	return 0;
}
