// SPDX-License-Identifier: GPL-2.0-or-later
/* A confined process: see confined.h. */
#include "confined.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "syscalls.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITISED 1 /* sanitisers reserve terabytes, and have system calls of their own */
#else
#define IS_SANITISED 0
#endif

/* A group that owns nothing. */
#define NO_GROUP 65534

/* Descriptors of the child at most: files that libraries open, and in memory. */
#define FILES_MOST 64

uint64_t confined_file_most = UINT64_C(64) << 20;

/* Bytes of address space that the parent had. */
static uint64_t present_memory(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file) {
		if (fscanf(file, "%lu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* What is limited already stays so: raising it takes a privilege. */
static bool limit(__rlimit_resource_t what, uint64_t soft, uint64_t hard)
{
	struct rlimit limits;

	if (getrlimit(what, &limits))
		return false;
	if (limits.rlim_max > hard)
		limits.rlim_max = hard;
	limits.rlim_cur = soft < limits.rlim_max ? soft : limits.rlim_max;
	return !setrlimit(what, &limits);
}

/* Those of the parent would run in a process that has nothing that they need. */
static void reset_signals(void)
{
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
}

static bool set_limits(uint64_t memory, unsigned int time)
{
	memory += present_memory();
	/* of time, SIGXCPU comes first, which says what it is for; a second later SIGKILL */
	return (IS_SANITISED || limit(RLIMIT_AS, memory, memory)) &&
	       limit(RLIMIT_CPU, time, time + 1) &&
	       limit(RLIMIT_FSIZE, confined_file_most, confined_file_most) &&
	       limit(RLIMIT_NOFILE, FILES_MOST, FILES_MOST) && limit(RLIMIT_CORE, 0, 0);
}

/* Leaves the null device as standard streams, and @fd, which keeps its number. */
static bool close_others(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || fd <= STDERR_FILENO)
		return false;
	for (int i = 0; i <= STDERR_FILENO; i++)
		if (dup2(null, i) < 0)
			return false;
	if (fd > STDERR_FILENO + 1 && close_range(STDERR_FILENO + 1, (unsigned int)fd - 1, 0))
		return false;
	return !close_range((unsigned int)fd + 1, ~0U, 0);
}

/* Files of a session that the parent has mapped could be written to. */
static bool unmap_shared(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	bool good = maps;
	char line[512];

	while (good && fgets(line, sizeof(line), maps)) {
		unsigned long start, end;
		char modes[5];

		if (sscanf(line, "%lx-%lx %4s", &start, &end, modes) == 3 && modes[1] == 'w' &&
		    modes[3] == 's')
			good = !munmap((void *)start, end - start); /* NOLINT */
		while (good && !strchr(line, '\n') && fgets(line, sizeof(line), maps))
			;
	}
	if (maps)
		fclose(maps);
	return good;
}

static bool drop_rights(uid_t user)
{
	return !setgroups(0, NULL) && !setresgid(NO_GROUP, NO_GROUP, NO_GROUP) &&
	       !setresuid(user, user, user) && !prctl(PR_SET_DUMPABLE, 0) &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

bool confined_enter(uid_t user, uint64_t memory, unsigned int time, int fd)
{
	reset_signals();
	/* the parent may end at any time: it could not end this process then */
	return !unsetenv("DEBUGINFOD_URLS") && close_others(fd) && unmap_shared() &&
	       set_limits(memory, time) && drop_rights(user) && !prctl(PR_SET_PDEATHSIG, SIGKILL) &&
	       (IS_SANITISED || !foreign_filter_syscalls());
}
