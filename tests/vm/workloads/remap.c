// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that is unmapped by another thread right after it ran, and replaced at the same
 * address by code of another file:
 *
 *	remap TURNS MILLISECONDS LIBRARY...
 *
 * maps the libraries' text in turn at one fixed address, lets a second thread run
 * reload_spin() there for that much CPU time, and takes the mapping away the moment that
 * thread says it is done.  Prints "LIBRARY ITERATIONS" for each: what it ran, whatever time a host
 * took away.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spin.h"

struct library {
	const char *path;
	int fd;
	size_t size;
	size_t spin; /* file offset of reload_spin() */
	uint64_t iterations;
};

/* What the two threads say to each other: work to do (or none any more), and done. */
static pthread_barrier_t begin, end;
static void (*work)(uint64_t);
static double work_seconds;
static uint64_t worked;

static void die(const char *what)
{
	fprintf(stderr, "remap: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double thread_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *worker(void *unused)
{
	(void)unused;
	for (;;) {
		double start;

		pthread_barrier_wait(&begin);
		if (!work)
			return NULL;
		start = thread_seconds();
		worked = 0;
		do {
			work(SPIN_CHUNK);
			worked += SPIN_CHUNK;
		} while (thread_seconds() - start < work_seconds);
		pthread_barrier_wait(&end);
	}
}

/* Finds the file offset of reload_spin() with the dynamic linker's help, once. */
static void library_open(struct library *library, const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const ElfW(Phdr) * phdr;
	const ElfW(Ehdr) * ehdr;
	struct stat st;
	Dl_info info;
	void *symbol;
	size_t vma;

	symbol = handle ? dlsym(handle, "reload_spin") : NULL;
	if (!symbol || !dladdr(symbol, &info)) {
		fprintf(stderr, "remap: %s\n", dlerror());
		exit(1);
	}
	vma = (size_t)symbol - (size_t)info.dli_fbase;
	ehdr = info.dli_fbase;
	phdr = (const ElfW(Phdr) *)((const char *)ehdr + ehdr->e_phoff);
	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD && vma >= phdr[i].p_vaddr &&
		    vma - phdr[i].p_vaddr < phdr[i].p_filesz)
			library->spin = vma - phdr[i].p_vaddr + phdr[i].p_offset;
	dlclose(handle);

	library->path = path;
	library->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (library->fd < 0 || fstat(library->fd, &st) < 0)
		die(path);
	library->size = (size_t)st.st_size;
}

int main(int argc, char **argv)
{
	int turns = argc > 3 ? atoi(argv[1]) : 0;
	int count = argc - 3;
	struct library *libraries;
	size_t room = 0;
	pthread_t thread;
	char *address;

	work_seconds = argc > 3 ? atof(argv[2]) / 1000 : 0;
	if (turns < 1 || work_seconds <= 0) {
		fputs("usage: remap TURNS MILLISECONDS LIBRARY...\n", stderr);
		return 2;
	}
	libraries = calloc((size_t)count, sizeof(*libraries));
	if (!libraries)
		abort();
	for (int i = 0; i < count; i++) {
		library_open(&libraries[i], argv[3 + i]);
		if (libraries[i].size > room)
			room = libraries[i].size;
	}
	address = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (address == MAP_FAILED)
		die("mmap");
	pthread_barrier_init(&begin, NULL, 2);
	pthread_barrier_init(&end, NULL, 2);
	errno = pthread_create(&thread, NULL, worker, NULL);
	if (errno)
		die("pthread_create");

	for (int i = 0; i < turns; i++) {
		struct library *library = &libraries[i % count];
		void *text = mmap(address, library->size, PROT_READ | PROT_EXEC,
				  MAP_PRIVATE | MAP_FIXED, library->fd, 0);

		if (text == MAP_FAILED)
			die(library->path);
		work = (void (*)(uint64_t))(address + library->spin);
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
		if (munmap(address, library->size) < 0)
			die("munmap");
		library->iterations += worked;
	}
	work = NULL;
	pthread_barrier_wait(&begin);
	pthread_join(thread, NULL);
	for (int i = 0; i < count; i++) {
		printf("%s %ju\n", libraries[i].path, (uintmax_t)libraries[i].iterations);
		close(libraries[i].fd);
	}
	free(libraries);
	return 0;
}
