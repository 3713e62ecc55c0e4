// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDPMC in user mode: faults where the kernel has not allowed it, and else counts a stretch of
 * known length exactly.  Prints the counts of three readings; exit status 0 if all is right.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TURNS 5000

/* Instructions from one RDPMC, itself included, to the next one, not included: see stretch() */
#define STRETCH (1 + 3 + 2 * TURNS + 1)

/* Reads counter @index before and after the loop, in as few instructions as can be. */
static uint64_t stretch(uint32_t index)
{
	uint32_t low, high, later;

	__asm__ volatile("rdpmc\n\t"
			 "mov %%eax, %1\n\t"
			 "mov %%edx, %2\n\t"
			 "mov %4, %%eax\n"
			 "1:\tdec %%eax\n\t"
			 "jnz 1b\n\t"
			 "mov %3, %%ecx\n\t"
			 "rdpmc"
			 : "=&a"(later), "=&r"(low), "=&r"(high)
			 : "r"(index), "i"(TURNS), "c"(index)
			 : "edx", "cc");
	return (uint32_t)(later - low);
}

#define FAULTED 7

static void faulted(int signal)
{
	(void)signal;
	_exit(FAULTED);
}

/* Without an event that it has mapped a process may not read counters. */
static int faults(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		signal(SIGSEGV, faulted);
		stretch(0);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == FAULTED;
}

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.pinned = 1,
	};
	const volatile struct perf_event_mmap_page *page;
	int fd, bad = 0;

	if (!faults()) {
		puts("RDPMC did not fault where it is not allowed");
		return 1;
	}
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	if (!page->cap_user_rdpmc || page->index == 0) {
		puts("the kernel does not allow RDPMC");
		return 1;
	}
	for (int i = 0; i < 3; i++) {
		uint64_t counted = stretch(page->index - 1);

		printf("%lu instructions, of %d\n", (unsigned long)counted, STRETCH);
		bad |= counted != STRETCH;
	}
	return bad;
}
