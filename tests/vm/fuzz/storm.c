// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lives and mappings that come and go as fast as the machine can make them:
 *
 *	storm KIND [REST [FILE...]]
 *
 *	exec	fork and exec of itself, by turns with vfork, and with two at once
 *	map	code of files mapped, run, moved, made unexecutable, and unmapped
 *	thread	threads that unmap what another one runs
 *	library	dlopen(3) and dlclose(3) of each FILE
 *
 * with REST microseconds between turns (default 0), until it is killed.  The files are always
 * the same ones, so that what a profiler keeps for each file has an end.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES 4
#define PAGE 4096UL

static const char *self;

static void die(const char *what)
{
	fprintf(stderr, "storm: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* mov ecx, 20000; 1: dec ecx; jnz 1b; ret */
static const uint8_t spin_code[] = { 0xb9, 0x20, 0x4e, 0, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };

/* Files with that code, one page apart: file N has N pages before it. */
static int code_file(int number)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/storm-%d-%d", getpid(), number);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (fd < 0 || ftruncate(fd, (number + 1) * (off_t)PAGE) ||
	    pwrite(fd, spin_code, sizeof(spin_code), number * (off_t)PAGE) < 0)
		die(path);
	return fd;
}

static void *map_code(int fd, int number, void *at)
{
	void *code = mmap(at, PAGE, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, number * (off_t)PAGE);

	if (code == MAP_FAILED)
		die("mmap");
	return code;
}

static void run(void *code) { ((void (*)(void))code)(); }

static void be_nothing(void)
{
	execl(self, self, "nothing", NULL);
	_exit(127);
}

static void turn_exec(unsigned int turn)
{
	if (turn % 3 == 0) {
		if (vfork() == 0)
			be_nothing();
	} else {
		if (fork() == 0)
			be_nothing();
		if (turn % 3 == 1 && fork() == 0)
			be_nothing();
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static int files[FILES];

static void turn_map(unsigned int turn)
{
	int number = (int)turn % FILES;
	void *code = map_code(files[number], number, NULL);
	void *moved;

	run(code);
	map_code(files[(number + 1) % FILES], (number + 1) % FILES, code); /* over it */
	run(code);
	moved = mremap(code, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		       (char *)0x10000000000 + turn % 64 * PAGE);
	if (moved == MAP_FAILED)
		die("mremap");
	run(moved);
	if (mprotect(moved, PAGE, PROT_READ) || mprotect(moved, PAGE, PROT_READ | PROT_EXEC) ||
	    madvise(moved, PAGE, MADV_DONTNEED))
		die("mprotect");
	run(moved);
	munmap(moved, PAGE);
}

static void *thread(void *code)
{
	run(code);
	return code;
}

static void turn_thread(unsigned int turn)
{
	pthread_t threads[4];
	void *codes[4];

	for (int i = 0; i < 4; i++) {
		codes[i] = map_code(files[(turn + (unsigned int)i) % FILES],
				    (int)(turn + (unsigned int)i) % FILES, NULL);
		if (pthread_create(&threads[i], NULL, thread, codes[i]))
			die("pthread_create");
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		munmap(codes[i], PAGE);
	}
}

static char **libraries;
static int nr_libraries;

static void turn_library(unsigned int turn)
{
	const char *path = libraries[turn % (unsigned int)nr_libraries];
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*spin)(uint64_t);

	if (!handle) {
		fprintf(stderr, "storm: %s\n", dlerror());
		exit(1);
	}
	*(void **)&spin = dlsym(handle, "reload_spin");
	if (spin)
		spin(10000);
	dlclose(handle);
}

static const struct {
	const char *name;
	void (*turn)(unsigned int turn);
	bool needs_code;
	bool needs_libraries;
} kinds[] = {
	{ "exec", turn_exec, false, false },
	{ "map", turn_map, true, false },
	{ "thread", turn_thread, true, false },
	{ "library", turn_library, false, true },
};

int main(int argc, char **argv)
{
	useconds_t rest = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;

	self = argv[0];
	if (argc > 1 && !strcmp(argv[1], "nothing"))
		return 0;
	libraries = argv + 3;
	nr_libraries = argc - 3;
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[1], kinds[i].name) ||
		    (kinds[i].needs_libraries && nr_libraries < 1))
			continue;
		for (int number = 0; kinds[i].needs_code && number < FILES; number++)
			files[number] = code_file(number);
		for (unsigned int turn = 0;; turn++) {
			kinds[i].turn(turn);
			if (rest)
				usleep(rest);
		}
	}
	fputs("usage: storm exec|map|thread|library [REST [FILE...]]\n", stderr);
	return 2;
}
