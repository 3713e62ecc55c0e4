// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process that has a new image each turn:
 *
 *	rename_storm FOLDER SECONDS
 *
 * gives a file far below FOLDER, at a path of 3,500 bytes, a new name, maps it executable and
 * unmaps it again, over and over for that much CPU time.  Prints turns, and turns in a second of
 * CPU time.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spin.h"

#define DEPTH 17
#define NAME_SIZE 200

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "rename_storm: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void enter_depth(const char *folder)
{
	char name[NAME_SIZE + 1];

	memset(name, 'x', NAME_SIZE);
	name[NAME_SIZE] = '\0';
	check(!chdir(folder), folder);
	for (int i = 0; i < DEPTH; i++)
		check((!mkdir(name, 0700) || errno == EEXIST) && !chdir(name), "mkdir");
}

static void turn(int fd, char *name, uint64_t number)
{
	char next[32];
	void *mapped;

	snprintf(next, sizeof(next), "image%" PRIu64, number);
	check(!rename(name, next), "rename");
	strcpy(name, next);
	mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	check(mapped != MAP_FAILED, "mmap");
	munmap(mapped, 4096);
}

int main(int argc, char **argv)
{
	char name[32] = "image";
	uint64_t turns = 0;
	double seconds;
	int fd;

	check(argc == 3, "usage: rename_storm FOLDER SECONDS");
	seconds = strtod(argv[2], NULL);
	enter_depth(argv[1]);
	fd = open(name, O_RDWR | O_CREAT, 0700);
	check(fd >= 0 && !ftruncate(fd, 4096), name);
	while (cpu_seconds() < seconds)
		turn(fd, name, ++turns);
	unlink(name);
	printf("%" PRIu64 " %.0f\n", turns, (double)turns / cpu_seconds());
	return 0;
}
