// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's log, hanging processes, and leaks.
 */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "board.h"

#define HANGS_AFTER 240 /* seconds; the host is busy, and the kernel may be instrumented */

static int log_fd;

/* Beginnings of the kernel's reports; tests/vm/guest.sh judges by a longer list. */
static const char *const reports[] = {
	"BUG:", "WARNING:", "Oops", "KASAN", "KCSAN", "UBSAN", "refcount_t:",
	"general protection", "INFO: task ", "soft lockup", "rcu: INFO:",
	"scheduling while atomic", "sleeping function", "kmemleak: ", "Out of memory",
	"invoked oom-killer", "ODEBUG", "suspicious RCU", "possible circular locking",
};

void guard_open(void)
{
	log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log_fd < 0 || lseek(log_fd, 0, SEEK_END) < 0) {
		perror("fuzz: /dev/kmsg");
		exit(2);
	}
}

static bool harmless(const char *line)
{
	return strstr(line, "fuzz: ") || strstr(line, "took too long to run");
}

void guard_look(void)
{
	char line[1024];
	ssize_t n;

	while ((n = read(log_fd, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue; /* lines were overwritten before they could be read */
		line[n] = 0;
		line[strcspn(line, "\n")] = 0;
		for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
			if (strstr(line, reports[i]) && !harmless(line))
				board_wrong("the kernel reports: %.200s",
					    strchr(line, ';') ? strchr(line, ';') + 1 : line);
	}
}

void guard_progress(void)
{
	static struct {
		unsigned int done;
		int pid;
		time_t since;
	} last[PROCESSES_MAX];
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (unsigned int i = 0; i < PROCESSES_MAX; i++) {
		struct process *process = &board->processes[i];

		if (!process->pid || process->pid != last[i].pid || process->done != last[i].done) {
			last[i].pid = process->pid;
			last[i].done = process->done;
			last[i].since = now.tv_sec;
		} else if (now.tv_sec - last[i].since > HANGS_AFTER) {
			board_wrong("process %d has done nothing for %d s", process->pid,
				    HANGS_AFTER);
		}
	}
}

/* The first line of a file that has @text in it, into @line; false if there is none. */
static bool find_line(const char *path, const char *text, char *line, int size)
{
	FILE *file = fopen(path, "re");
	bool found = false;

	while (file && !found && fgets(line, size, file))
		found = strstr(line, text);
	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = 0;
	return found;
}

void guard_closed(void)
{
	char line[256];

	if (find_line("/proc/vmallocinfo", "[oprofile]", line, sizeof(line)))
		board_wrong("memory is left after the buffer was closed: %s", line);
	if (find_line("/proc/slabinfo", "unmapped_region", line, sizeof(line)))
		board_wrong("a cache is left after the buffer was closed: %s", line);
}

void guard_unloaded(void)
{
	char line[256];

	if (find_line("/proc/modules", "oprofile ", line, sizeof(line)))
		board_wrong("the module is still there: %s", line);
	if (find_line("/proc/filesystems", "oprofilefs", line, sizeof(line)))
		board_wrong("the file system is still there: %s", line);
}
