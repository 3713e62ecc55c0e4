// SPDX-License-Identifier: GPL-2.0-or-later
/* How long a daemon is waited for: see patience.h. */
#include "patience.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/file.h"

/* Bytes of a file "stat" below /proc. */
#define STAT_MOST 4096

static struct timespec patience_now(clockid_t clock)
{
	struct timespec time = {0};

	clock_gettime(clock, &time);
	return time;
}

static bool is_equal(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

void patience_begin(struct patience *patience, pid_t daemon, unsigned int idle_most,
		    unsigned int all_most)
{
	*patience = (struct patience){
		.daemon = daemon,
		.idle_most = idle_most,
		.all_most = all_most,
		.begun = patience_now(CLOCK_MONOTONIC),
	};
	patience->worked = patience->begun;
	if (!daemon || clock_getcpuclockid(daemon, &patience->clock))
		patience->daemon = 0;
	else
		patience->computed = patience_now(patience->clock);
}

/* Whether a thread waits for what nothing interrupts, such as a disk. */
static bool is_in_disk_wait(pid_t process, const char *thread)
{
	char path[64];
	char *text, *state;
	bool waits;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/stat", process, thread);
	text = op_file_read(path, STAT_MOST, NULL, NULL);
	state = text ? strrchr(text, ')') : NULL; /* behind the name, which may be anything */
	waits = state && !strncmp(state, ") D", 3);
	free(text);
	return waits;
}

static bool waits_for_disk(pid_t process)
{
	const struct dirent *entry;
	bool waits = false;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", process);
	tasks = opendir(path);
	while (tasks && !waits && (entry = readdir(tasks)))
		waits = *entry->d_name != '.' && is_in_disk_wait(process, entry->d_name);
	if (tasks)
		closedir(tasks);
	return waits;
}

static bool has_worked(struct patience *patience)
{
	struct timespec computed;

	if (!patience->daemon)
		return false;
	computed = patience_now(patience->clock);
	if (is_equal(computed, patience->computed))
		return waits_for_disk(patience->daemon);
	patience->computed = computed;
	return true;
}

static unsigned int seconds_since(struct timespec before)
{
	return (unsigned int)(patience_now(CLOCK_MONOTONIC).tv_sec - before.tv_sec);
}

bool patience_ends(struct patience *patience)
{
	if (has_worked(patience))
		patience->worked = patience_now(CLOCK_MONOTONIC);
	if (seconds_since(patience->worked) >= patience->idle_most ||
	    patience_seconds(patience) >= patience->all_most)
		return true;
	if (!patience->is_told && patience_seconds(patience) >= patience->idle_most) {
		patience->is_told = true;
		op_warn("the daemon still works after %u seconds; it is waited for, %u at most",
			patience->idle_most, patience->all_most);
	}
	return false;
}

unsigned int patience_seconds(const struct patience *patience)
{
	return seconds_since(patience->begun);
}
