// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keeps the kernel busy: so many system calls, of several kinds, in random order and of random
 * size, so that no regular sampling can fall into step with them.
 *
 *	calls COUNT
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BUFFER 4096

/* Returns a number below @limit. */
static unsigned int draw(unsigned int limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 33) % limit;
}

static int call(int zero, int null, const int pipes[2])
{
	static char buffer[BUFFER];
	struct stat st;
	size_t n;
	int fd;

	switch (draw(8)) {
	case 0:
		return read(zero, buffer, draw(BUFFER)) < 0;
	case 1:
		return write(null, buffer, draw(BUFFER)) < 0;
	case 2:
		return syscall(SYS_getppid) < 0;
	case 3:
		return fstat(zero, &st) < 0;
	case 4:
		return stat("/proc/self/fd", &st) < 0;
	case 5:
		fd = dup(null);
		return fd < 0 || close(fd) < 0;
	case 6:
		n = 1 + draw(BUFFER);
		return write(pipes[1], buffer, n) != (ssize_t)n ||
		       read(pipes[0], buffer, n) != (ssize_t)n;
	default:
		return lseek(zero, draw(BUFFER), SEEK_SET) < 0;
	}
}

int main(int argc, char **argv)
{
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
	unsigned long count = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	int pipes[2];

	if (!count) {
		fputs("usage: calls COUNT\n", stderr);
		return 2;
	}
	if (zero < 0 || null < 0 || pipe(pipes) < 0) {
		perror("calls");
		return 1;
	}
	while (count--) {
		if (call(zero, null, pipes)) {
			perror("calls");
			return 1;
		}
	}
	return 0;
}
