// SPDX-License-Identifier: GPL-2.0-or-later
/* A confined process: see confined.h. */
#include "confined.h"

#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "account.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "syscalls.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITISED 1 /* sanitisers reserve terabytes, and have system calls of their own */
#else
#define IS_SANITISED 0
#endif

/* Descriptors of the child at most: files that libraries open, and in memory. */
#define FILES_MOST 64

/* A map of ids has 340 lines at most. */
#define MAP_MOST (1 << 16)

uint64_t confined_file_most = UINT64_C(64) << 20;

/* ---- whose process it is ---- */

/*
 * Ids that neither systemd ("Users, Groups, UIDs and GIDs on systemd Systems") nor Debian's policy
 * nor shadow gives to anybody: 2147418112 to 2147483647, and 65520 to 65533, for containers that
 * have 65,536 ids.
 */
static const uint32_t unused[][2] = {{2147450880, 2147483647}, {65520, 65533}};

/* Whether this user namespace has the id, as its map says. */
static bool is_mapped(uint32_t id, const char *map)
{
	uint64_t first, outside, count;
	int length;

	for (; sscanf(map, "%" SCNu64 " %" SCNu64 " %" SCNu64 "%n", &first, &outside, &count,
		      &length) == 3;
	     map += length)
		if (id - first < count)
			return true;
	return false;
}

/* Return: the first id that nobody has and this process can take, or 0: there is none. */
static uint32_t find_unused(const char *users, const char *groups)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(unused); i++)
		for (uint32_t id = unused[i][0]; id <= unused[i][1]; id++) {
			if (!is_mapped(id, users) || !is_mapped(id, groups))
				break;
			if (!foreign_is_subordinate(id))
				return id;
		}
	return 0;
}

uint32_t confined_id(void)
{
	static uint32_t id;
	char *users, *groups;

	if (id)
		return id;
	users = op_file_read("/proc/self/uid_map", MAP_MOST, NULL, NULL);
	groups = op_file_read("/proc/self/gid_map", MAP_MOST, NULL, NULL);
	if (users && groups)
		id = find_unused(users, groups);
	free(users);
	free(groups);
	return id;
}

bool confined_kill(pid_t pid)
{
	uid_t own = getuid();
	bool killed = !kill(pid, SIGKILL);

	/* this thread alone: the C library would change all; capabilities go with the other ids */
	if (killed || !confined_id() || syscall(SYS_setresuid, confined_id(), -1, -1))
		return killed;
	killed = !kill(pid, SIGKILL);
	if (syscall(SYS_setresuid, own, -1, -1))
		abort();
	return killed;
}

/* ---- what is taken away ---- */

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

/* It is killed, and costs names, before a process that costs more.  Without /proc that is chance.
 */
static void offer_to_end(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, "1000", 4);
	close(fd);
}

static bool set_capabilities(uint32_t bits)
{
	struct __user_cap_header_struct version = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct caps[2] = {{.effective = bits, .permitted = bits}};

	return !syscall(SYS_capset, &version, caps);
}

/*
 * Files are opened as their owner opens them, but the process is nobody's: who may signal, stop,
 * trace or slow it down goes by the other ids.
 */
static bool drop_ids(uid_t user, uint32_t id)
{
	if (!id || setgroups(0, NULL) || setresgid(id, id, id) ||
	    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresuid(id, id, id) ||
	    !set_capabilities(1U << CAP_SETUID))
		return false;
	setfsuid(user);
	return (uid_t)setfsuid((uid_t)-1) == user && set_capabilities(0) &&
	       !prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
}

/* Who is not root keeps the ids, as there are no others. */
static bool drop_rights(uid_t user, bool is_root)
{
	bool dropped = is_root ? drop_ids(user, confined_id()) : set_capabilities(0);

	return dropped && !prctl(PR_SET_DUMPABLE, 0) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static bool is_entered;

bool confined_is_entered(void)
{
	return is_entered;
}

bool confined_enter(uid_t user, uint64_t memory, unsigned int time, int fd)
{
	enum foreign_reading reading = geteuid() ? FOREIGN_READS_PUBLIC : FOREIGN_READS_ITS_OWN;

	is_entered = true;
	reset_signals();
	offer_to_end();
	/* the parent may end at any time: it could not end this process then */
	return !unsetenv("DEBUGINFOD_URLS") && close_others(fd) && unmap_shared() &&
	       set_limits(memory, time) && drop_rights(user, !geteuid()) &&
	       !prctl(PR_SET_PDEATHSIG, SIGKILL) &&
	       (IS_SANITISED || !foreign_filter_syscalls(reading));
}
