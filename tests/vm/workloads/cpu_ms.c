// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long processes have computed, to the nanosecond and not by clock ticks:
 *
 *	cpu_ms NAME
 *
 * prints the milliseconds of all processes whose name begins so.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool has_name(const char *pid, const char *name)
{
	char path[64], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return !strncmp(text, name, strlen(name));
}

int main(int argc, char **argv)
{
	DIR *proc = opendir("/proc");
	double ms = 0;

	if (argc != 2 || !proc) {
		fputs("usage: cpu_ms NAME\n", stderr);
		return 2;
	}
	for (struct dirent *entry; (entry = readdir(proc));) {
		struct timespec time;
		clockid_t clock;

		if (isdigit((unsigned char)entry->d_name[0]) && has_name(entry->d_name, argv[1]) &&
		    !clock_getcpuclockid(atoi(entry->d_name), &clock) &&
		    !clock_gettime(clock, &time))
			ms += (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
	}
	closedir(proc);
	printf("%.0f\n", ms);
	return 0;
}
