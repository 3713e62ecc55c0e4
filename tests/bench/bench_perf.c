// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading perf.data beside perf itself, in one run: time and memory.
 *
 * A recording with call chains is made here: 160 thousand samples of two busy processes.  Then each
 * of the programs below reads it REPEAT times with a warm page cache; the best time and the largest
 * memory count.  "import" makes the profile model, which is all that a writer needs; "opimport"
 * makes a session.  One metric a line: name, value, unit.
 *
 *	bench_perf BUSY OPIMPORT
 *	bench_perf --import FILE
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/error.h"
#include "pp/formats/model/format.h"

#define SECONDS 4 /* of a CPU, each */
#define RATE	"20000"
#define REPEAT	3

static char dir[] = "/tmp/bench_perf.XXXXXX";

struct cost {
	double seconds;
	double megabytes; /* most memory at a time */
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Runs a program, whose output is thrown away.  Return: its exit code. */
static int run_once(char *const *words, struct cost *cost)
{
	double begin = now();
	struct rusage usage;
	int status, null;
	pid_t pid = fork();

	if (!pid) {
		null = open("/dev/null", O_RDWR);
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(words[0], words);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &usage) != pid)
		return -1;
	cost->seconds = now() - begin;
	cost->megabytes = (double)usage.ru_maxrss / 1024;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Return: false: it failed, which is said. */
static bool measure(const char *name, char *const *words, struct cost *best)
{
	struct cost cost;
	int code;

	*best = (struct cost){1e9, 0};
	for (int i = 0; i < REPEAT; i++) {
		code = run_once(words, &cost);
		if (code) {
			printf("%-28s %10s (exit code %d)\n", name, "failed", code);
			return false;
		}
		if (cost.seconds < best->seconds)
			best->seconds = cost.seconds;
		if (cost.megabytes > best->megabytes)
			best->megabytes = cost.megabytes;
	}
	printf("%-28s %10.3f s\n", name, best->seconds);
	printf("%-28s %10.1f MB\n", name, best->megabytes);
	fflush(stdout);
	return true;
}

static void compare(const char *name, const struct cost *ours, const struct cost *theirs)
{
	printf("%-28s %10.3f of perf report's time (target 0.200)\n", name,
	       ours->seconds / theirs->seconds);
	printf("%-28s %10.3f of perf report's memory (target 0.100)\n", name,
	       ours->megabytes / theirs->megabytes);
}

static struct prof *import(const char *path)
{
	struct op_error error;
	struct input *input = input_open(path, &error);
	struct prof *prof = prof_new(PROF_BY_COMM | PROF_BY_PID | PROF_BY_TID, 0);

	if (!input || format_perf.read(input, &prof->sink, &error))
		op_die(OP_EXIT_FAILURE, "%s", error.text);
	prof_finish(prof);
	input_close(input);
	return prof;
}

/* What was recorded. */
static void describe(const char *path)
{
	struct prof *prof = import(path);
	struct stat status;
	uint64_t samples = 0;

	for (size_t i = 0; i < prof->n_events; i++)
		samples += prof->totals[i].count;
	if (stat(path, &status))
		op_die(OP_EXIT_FAILURE, "%s is gone", path);
	printf("%-28s %10" PRIu64 " samples\n", "recording", samples);
	printf("%-28s %10.1f MB\n", "recording", (double)status.st_size / 1e6);
	prof_free(prof);
}

static bool record(const char *busy, char *path)
{
	char seconds[16];
	char *words[] = {"perf", "record", "-qB", "-e",		"cpu-clock", "-g", "-F",
			 RATE,	 "-o",	   path,  (char *)busy, seconds,     NULL};
	struct cost cost;

	snprintf(seconds, sizeof(seconds), "%d", SECONDS);
	return !run_once(words, &cost);
}

static void bench(char *self, const char *busy, char *opimport)
{
	char path[64], session[64];
	char *reader[] = {self, "--import", path, NULL};
	char *importer[] = {"sh",     "-c",    "rm -rf \"$1\" && exec \"$0\" -o \"$1\" \"$2\"",
			    opimport, session, path,
			    NULL};
	char *report[] = {"perf", "report", "--stdio", "-i", path, NULL};
	char *script[] = {"perf", "script", "-i", path, NULL};
	struct cost ours, sessions, reports, scripts;
	bool has_sessions;

	snprintf(path, sizeof(path), "%s/perf.data", dir);
	snprintf(session, sizeof(session), "%s/session", dir);
	if (!record(busy, path)) {
		printf("skipped: there is no perf, or it may not record here\n");
		return;
	}
	describe(path);
	if (!measure("import", reader, &ours))
		return;
	has_sessions = measure("opimport", importer, &sessions);
	if (!measure("perf report --stdio", report, &reports))
		return;
	measure("perf script", script, &scripts);
	compare("import", &ours, &reports);
	if (has_sessions)
		compare("opimport", &sessions, &reports);
}

int main(int argc, char **argv)
{
	char command[64];

	op_program_begin(argv[0]);
	if (argc == 3 && !strcmp(argv[1], "--import")) {
		prof_free(import(argv[2]));
		return 0;
	}
	if (argc != 3)
		op_die(OP_EXIT_USAGE, "usage: bench_perf BUSY OPIMPORT");
	if (!mkdtemp(dir))
		op_die(OP_EXIT_FAILURE, "no temporary folder");
	bench(argv[0], argv[1], argv[2]);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}
