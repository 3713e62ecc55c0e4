// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long tasks wait in a way that nothing ends (state D):
 *
 *	waits SECONDS [NAME...]
 *
 * looks at all tasks ten times a second until it gets SIGTERM, and then prints for each name of a
 * program how long one of its tasks has waited at most, "NAME SECONDS".  Exit status 1 if that is
 * more than SECONDS for another than the NAMEs; where the longest of those waited, as
 * /proc/PID/stack has it, is printed, too.  Nothing that it reads takes the lock of an address
 * space.  Time in which it does not run itself, as the machine has stopped, does not count.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PERIOD 0.1
#define WAITING_MAX 4096
#define NAMES_MAX 256
#define NAME_SIZE 16

/* A task that waited at the last look, or waits at this one. */
struct waiting {
	int pid;
	int tid;
	unsigned long switches; /* how often it had run */
	double since;
	bool seen;
};

struct longest {
	char name[NAME_SIZE];
	double seconds;
	char stack[1024];
};

static struct waiting tasks[WAITING_MAX];
static size_t nr_tasks;
static struct longest names[NAMES_MAX];
static size_t nr_names;
static double now; /* in time that counts */
static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

/* Returns its length; 0 if there is nothing, as the task has gone. */
static size_t read_file(int pid, int tid, const char *file, char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

static unsigned long switches_of(int pid, int tid)
{
	char text[4096];
	const char *at = NULL;

	if (read_file(pid, tid, "status", text, sizeof(text)))
		at = strstr(text, "\nvoluntary_ctxt_switches:");
	return at ? strtoul(strchr(at, ':') + 1, NULL, 10) : 0;
}

static struct waiting *find(int pid, int tid)
{
	for (size_t i = 0; i < nr_tasks; i++)
		if (tasks[i].tid == tid && tasks[i].pid == pid)
			return &tasks[i];
	return NULL;
}

static struct longest *longest_of(const char *name)
{
	for (size_t i = 0; i < nr_names; i++)
		if (!strcmp(names[i].name, name))
			return &names[i];
	if (nr_names == NAMES_MAX)
		return NULL;
	snprintf(names[nr_names].name, NAME_SIZE, "%s", name);
	return &names[nr_names++];
}

static void waits(int pid, int tid, const char *name)
{
	unsigned long switches = switches_of(pid, tid);
	struct waiting *task = find(pid, tid);
	struct longest *longest;

	if (!task && nr_tasks < WAITING_MAX) {
		task = &tasks[nr_tasks++];
		*task = (struct waiting){ pid, tid, switches, now, false };
	}
	if (!task)
		return;
	task->seen = true;
	if (task->switches != switches) {
		task->switches = switches;
		task->since = now;
	}
	longest = longest_of(name);
	if (longest && now - task->since > longest->seconds) {
		longest->seconds = now - task->since;
		if (longest->seconds > 3 * PERIOD)
			read_file(pid, tid, "stack", longest->stack, sizeof(longest->stack));
	}
}

static void look_at(int pid, int tid)
{
	char text[512], *name, *state;

	if (!read_file(pid, tid, "stat", text, sizeof(text)))
		return;
	name = strchr(text, '(');
	state = strrchr(text, ')');
	if (!name || !state || state[1] != ' ' || state[2] != 'D')
		return;
	*state = 0;
	waits(pid, tid, name + 1);
}

/* Calls @look with each number that a folder has as a name. */
static void each_number(const char *folder, int pid, void (*look)(int pid, int number))
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			look(pid, atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

static void look_at_process(int unused, int pid)
{
	char folder[64];

	(void)unused;
	snprintf(folder, sizeof(folder), "/proc/%d/task", pid);
	each_number(folder, pid, look_at);
}

static void forget_others(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr_tasks; i++) {
		if (!tasks[i].seen)
			continue;
		tasks[kept] = tasks[i];
		tasks[kept++].seen = false;
	}
	nr_tasks = kept;
}

static double clock_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool excepted(const char *name, char **exceptions)
{
	for (; *exceptions; exceptions++)
		if (!strncmp(name, *exceptions, NAME_SIZE - 1))
			return true;
	return false;
}

static int judge(double most, char **exceptions)
{
	int status = 0;

	for (size_t i = 0; i < nr_names; i++) {
		const struct longest *longest = &names[i];
		bool too_long = longest->seconds > most && !excepted(longest->name, exceptions);

		printf("%s %.1f\n%s", longest->name, longest->seconds,
		       too_long ? longest->stack : "");
		status |= too_long;
	}
	return status;
}

int main(int argc, char **argv)
{
	static const struct sigaction action = { .sa_handler = end };
	double last, elapsed;

	if (argc < 2 || atof(argv[1]) <= 0) {
		fputs("usage: waits SECONDS [NAME...]\n", stderr);
		return 2;
	}
	sigaction(SIGTERM, &action, NULL);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	last = clock_seconds();
	while (!ended) {
		each_number("/proc", 0, look_at_process);
		forget_others();
		usleep((useconds_t)(PERIOD * 1e6));
		elapsed = clock_seconds() - last;
		now += elapsed < 3 * PERIOD ? elapsed : 3 * PERIOD;
		last += elapsed;
	}
	return judge(atof(argv[1]), argv + 2);
}
