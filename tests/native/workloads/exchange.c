// SPDX-License-Identifier: GPL-2.0-or-later
/* Exchanges two names all the time, until it is killed. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
	/* long enough for a command to come in between, short enough to hit each of its steps */
	unsigned int turn = 0;

	if (argc != 3)
		return 2;
	while (!renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE)) {
		struct timespec pause = {.tv_nsec = 1000L * (turn++ * 37 % 1500)};

		nanosleep(&pause, NULL);
	}
	perror("renameat2");
	return 1;
}
