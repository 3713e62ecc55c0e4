// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Survival of faults in mapped files: see page_guard.h.
 */
#include "page_guard.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static uintptr_t page_size;
/* Written by the handler. */
static volatile uintptr_t pages[PAGE_GUARD_KEPT];
static volatile unsigned int count;
static unsigned int cleared; /* @count at page_guard_clear() */

static bool replace(uintptr_t page)
{
	int code = errno;
	void *where = mmap((void *)page, page_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	errno = code;
	return where != MAP_FAILED;
}

static void handle(int number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(page_size - 1);

	(void)context;
	if (info->si_code != BUS_ADRERR || !page || !replace(page)) {
		/* the access is repeated, and ends the process */
		signal(number, SIG_DFL);
		return;
	}
	pages[count % PAGE_GUARD_KEPT] = page;
	count++;
}

void page_guard_install(void)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};

	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, NULL);
}

unsigned int page_guard_count(void)
{
	return count;
}

bool page_guard_hit(const void *from, size_t length)
{
	if (count - cleared > PAGE_GUARD_KEPT)
		return true;
	for (unsigned int i = cleared; i != count; i++) {
		uintptr_t page = pages[i % PAGE_GUARD_KEPT];

		if (page >= (uintptr_t)from && page - (uintptr_t)from < length)
			return true;
	}
	return false;
}

void page_guard_clear(void)
{
	cleared = count;
}

void page_guard_ignore_file_limit(void)
{
	signal(SIGXFSZ, SIG_IGN);
}
