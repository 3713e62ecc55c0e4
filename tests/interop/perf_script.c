// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_script BUSY TOOLS: fresh recordings of perf, in all the forms it has, hold for us what "perf
 * script" prints: for each process, image and function the same number of samples, and with call
 * chains, of frames.  Then the same of what we write as perf.data.
 *
 * Skipped where there is no perf, or it may not record.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "attribution.h"
#include "libop/base/file.h"
#include "pp/formats/model/format.h"
#include "libop/base/memory.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

static const char *busy, *tools; /* a program, and the folder of ours */
static char dir[] = "/tmp/perf_script.XXXXXX";
static char why_not[256];

/*
 * -B: perf 6.1 crashes when it looks for build-ids, if at the same time somebody else has the
 * kernel tell those of mappings: the kernel then says of all mappings that they have one.  perf
 * script may crash on such a recording, too.
 */
#define RECORD "perf record -qB"

static const char fields[] = "--no-inline -F pid,ip,sym,symoff,dso";

struct way {
	const char *name, *options;
	bool is_pipe, leaves_only, has_stacks;
};

static const struct way ways[] = {
	{.name = "plain", .options = "-e cpu-clock"},
	{.name = "chains", .options = "-e cpu-clock -g"},
	{.name = "pipe", .options = "-e cpu-clock -g", .is_pipe = true},
	{.name = "directory", .options = "-e cpu-clock -g --threads"},
	{.name = "build-ids", .options = "-e cpu-clock -g --buildid-mmap"},
	{.name = "compressed", .options = "-e cpu-clock -g -z"},
	{.name = "two events", .options = "-e cpu-clock,task-clock -g"},
	{.name = "dwarf",
	 .options = "-e cpu-clock --call-graph dwarf,1024",
	 .leaves_only = true,
	 .has_stacks = true},
};

/* Runs a command of the shell.  Return: its exit code. */
static int run(const char *format, ...)
{
	char *command;
	va_list args;
	int status;

	va_start(args, format);
	if (vasprintf(&command, format, args) < 0)
		abort();
	va_end(args);
	status = system(command);
	free(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int begin(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	if (run("command -v perf > %s/version 2>&1", dir))
		snprintf(why_not, sizeof(why_not), "there is no perf");
	else if (run("cd %s && " RECORD " -e cpu-clock -o try.data %s 0.1 > try.log 2>&1", dir,
		     busy))
		snprintf(why_not, sizeof(why_not), "perf may not record here");
	return 0;
}

static int end(void **state)
{
	(void)state;
	return run("rm -r %s", dir);
}

static struct prof *import(const char *path)
{
	struct op_error error = {0};
	struct input *input = input_open(path, &error);
	struct prof *prof = prof_new(format_perf.by, 0);

	assert_non_null(input);
	assert_ptr_equal(format_of(input, &error), &format_perf);
	if (format_perf.read(input, &prof->sink, &error))
		fail_msg("%s", error.text);
	prof_finish(prof);
	input_close(input);
	return prof;
}

/* Return: false: perf crashed. */
static bool script(struct attribution *attribution, const char *path, const struct prof *prof,
		   struct symbolizer *symbolizer, const struct way *way)
{
	char *command =
		way->is_pipe
			? pp_format("perf script -i - %s < %s 2> %s/script.log", fields, path, dir)
			: pp_format("perf script -i %s %s 2> %s/script.log", path, fields, dir);
	FILE *out = popen(command, "r");
	int status;

	assert_non_null(out);
	attribution_of_script(attribution, out, prof, symbolizer, way->leaves_only);
	status = pclose(out);
	free(command);
	if (status && WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGABRT)
		return false;
	assert_int_equal(status, 0);
	return true;
}

static bool has_note(const struct prof *prof, const char *part)
{
	for (size_t i = 0; i < prof->n_notes; i++)
		if (strstr(prof->notes[i], part))
			return true;
	return false;
}

/* Return: false: perf crashed on its own recording. */
static bool compare_recording(const struct way *way, const char *path)
{
	struct attribution ours = {0}, theirs = {0};
	struct symbolizer *symbolizer;
	struct prof *prof;
	bool is_done;

	run("rm -rf %s", path);
	assert_int_equal(run("cd %s && " RECORD " -F 999 %s -o %s %s 0.15 %s%s 2> record.log", dir,
			     way->options, way->is_pipe ? "-" : path, busy,
			     way->is_pipe ? "| cat > " : "", way->is_pipe ? path : ""),
			 0);
	prof = import(path);
	symbolizer = symbolizer_new(prof);
	attribution_of(&ours, prof, symbolizer, way->leaves_only);
	is_done = script(&theirs, path, prof, symbolizer, way);
	if (is_done) {
		print_message("%s: %" PRIu64 " samples, %zu functions\n", way->name, ours.samples,
			      ours.n);
		assert_int_equal(attribution_compare(&ours, &theirs), 0);
		assert_true(ours.samples > 50);
		assert_true(has_note(prof, "copies of the stack") == way->has_stacks);
	}
	attribution_free(&ours);
	attribution_free(&theirs);
	symbolizer_free(symbolizer);
	prof_free(prof);
	return is_done;
}

static void recordings_hold_for_us_what_perf_prints(void **state)
{
	unsigned int crashes = 0;
	char *path;

	if (*why_not) {
		print_message("skipped: %s\n", why_not);
		skip();
	}
	path = pp_format("%s/recording", dir);
	while (!compare_recording(*state, path) && ++crashes < 5)
		;
	free(path);
	if (crashes == 5) {
		print_message("skipped: perf script crashes on what perf record made\n");
		skip();
	}
}

/* perf report counts all samples, and shows functions. */
static void check_report(const struct way *form, const char *path, uint64_t samples)
{
	const char *file = form->is_pipe ? "-" : path, *input = form->is_pipe ? path : "/dev/null";

	assert_int_equal(run("perf report --stats -i %s < %s 2> %s/report.log | "
			     "grep -q 'SAMPLE events: *%" PRIu64 " '",
			     file, input, dir, samples),
			 0);
	assert_int_equal(
		run("perf report --stdio --no-children -g none --percent-limit 0 -i %s < %s "
		    "2> %s/report.log | grep -q ' enter_kernel\\| descend\\| scatter'",
		    file, input, dir),
		0);
}

/* What was read is written: perf must see in it what we saw. */
static void perf_prints_what_we_wrote(void **state)
{
	static const struct way file = {.name = "file"}, pipe = {.name = "pipe", .is_pipe = true};
	const struct way *const forms[] = {&file, &pipe};
	struct attribution ours = {0}, theirs = {0};
	char *recording, *written;
	struct symbolizer *symbolizer;
	struct op_error error = {0};
	struct output output;
	struct prof *prof;

	(void)state;
	if (*why_not) {
		print_message("skipped: %s\n", why_not);
		skip();
	}
	recording = pp_format("%s/own.data", dir);
	written = pp_format("%s/ours.data", dir);
	assert_int_equal(run("cd %s && " RECORD " -F 999 -e cpu-clock,task-clock -g -o %s %s 0.15 "
			     "2> record.log",
			     dir, recording, busy),
			 0);
	for (size_t i = 0; i < N(forms); i++) {
		prof = import(recording);
		symbolizer = symbolizer_new(prof);
		attribution_of(&ours, prof, symbolizer, false);
		output = (struct output){.path = written};
		if (forms[i]->is_pipe) {
			char *command = pp_format("cat > %s", written);

			output.file = popen(command, "w");
			free(command);
		} else {
			output.file = fopen(written, "w");
		}
		assert_int_equal(format_perf.write(prof, &output, &error), 0);
		assert_int_equal(forms[i]->is_pipe ? pclose(output.file) : fclose(output.file), 0);
		assert_true(script(&theirs, written, prof, symbolizer, forms[i]));
		print_message("%s: %" PRIu64 " samples, %zu functions\n", forms[i]->name,
			      theirs.samples, theirs.n);
		assert_int_equal(attribution_compare(&ours, &theirs), 0);
		assert_true(theirs.samples > 50);
		check_report(forms[i], written, theirs.samples);
		attribution_free(&ours);
		attribution_free(&theirs);
		symbolizer_free(symbolizer);
		prof_free(prof);
	}
	free(recording);
	free(written);
}

/* A pipe becomes a session, and that a file for perf, with as much of each function. */
static void sessions_hold_what_perf_prints(void **state)
{
	static const struct way form = {.name = "session"};
	struct attribution ours = {0}, theirs = {0};
	struct symbolizer *symbolizer;
	char *written, *pipe;
	struct prof *prof;

	(void)state;
	if (*why_not) {
		print_message("skipped: %s\n", why_not);
		skip();
	}
	written = pp_format("%s/session.data", dir);
	assert_int_equal(run("cd %s && " RECORD
			     " -F 999 -e cpu-clock -g -o - %s 0.15 2> record.log | "
			     "tee pipe.data | %s/opimport --separate=lib,thread -o session - "
			     "> import.log 2>&1",
			     dir, busy, tools),
			 0);
	assert_int_equal(run("cd %s && %s/opexport --to=perf --session-dir=session -o %s "
			     "2> export.log",
			     dir, tools, written),
			 0);
	pipe = pp_format("%s/pipe.data", dir);
	prof = import(pipe);
	free(pipe);
	symbolizer = symbolizer_new(prof);
	attribution_of(&ours, prof, symbolizer, false);
	assert_true(script(&theirs, written, prof, symbolizer, &form));
	assert_int_equal(attribution_compare(&ours, &theirs), 0);
	assert_true(ours.samples > 50);
	attribution_free(&ours);
	attribution_free(&theirs);
	symbolizer_free(symbolizer);
	prof_free(prof);
	free(written);
}

/* A recorder that is killed leaves a file that perf itself does not read. */
static void recordings_of_killed_recorders_are_recovered(void **state)
{
	enum { ENOUGH_BYTES = 100000, SECONDS = 60 };
	time_t end = time(NULL) + SECONDS;
	struct stat status;
	uint64_t samples;
	struct prof *prof;
	char *path;
	pid_t pid;

	(void)state;
	if (*why_not) {
		print_message("skipped: %s\n", why_not);
		skip();
	}
	path = pp_format("%s/killed.data", dir);
	pid = fork();
	if (!pid) {
		execlp("perf", "perf", "record", "-qB", "-F", "20000", "-e", "cpu-clock", "-g",
		       "-m", "16", "-o", path, busy, "2", NULL);
		_exit(127);
	}
	while ((stat(path, &status) || status.st_size < ENOUGH_BYTES) && time(NULL) < end)
		usleep(10000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	prof = import(path);
	samples = prof->totals[0].count;
	print_message("%" PRIu64 " samples recovered\n", samples);
	assert_true(samples > 100);
	assert_true(has_note(prof, "killed"));
	prof_free(prof);
	free(path);
}

/* hotspot's reader shares no code with perf.  It prints binary, with names of functions in it. */
static void hotspot_reads_what_we_wrote(void **state)
{
	static const char parser[] = "/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser";
	static const char *const functions[] = {"descend", "enter_kernel", "scatter"};
	struct op_error error = {0};
	struct output output;
	struct prof *prof;
	char *written;

	(void)state;
	if (*why_not || access(parser, X_OK)) {
		print_message("skipped: %s\n", *why_not ? why_not : "there is no hotspot");
		skip();
	}
	written = pp_format("%s/for_hotspot.data", dir);
	assert_int_equal(run("cd %s && " RECORD " -F 999 -e cpu-clock -g -o own.data %s 0.15 "
			     "2> record.log",
			     dir, busy),
			 0);
	output = (struct output){.path = pp_format("%s/own.data", dir)};
	prof = import(output.path);
	free((char *)output.path);
	output = (struct output){.path = written, .file = fopen(written, "w")};
	assert_int_equal(format_perf.write(prof, &output, &error), 0);
	assert_int_equal(fclose(output.file), 0);
	assert_int_equal(run("timeout 60 %s --input %s --output %s/parsed 2> %s/parser.log", parser,
			     written, dir, dir),
			 0);
	for (size_t i = 0; i < N(functions); i++)
		assert_int_equal(run("grep -qa %s %s/parsed", functions[i], dir), 0);
	prof_free(prof);
	free(written);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[N(ways) + 4];

	if (argc != 3) {
		fprintf(stderr, "usage: perf_script BUSY TOOLS\n");
		return 2;
	}
	busy = argv[1];
	tools = argv[2];
	for (size_t i = 0; i < N(ways); i++)
		tests[i] =
			(struct CMUnitTest){ways[i].name, recordings_hold_for_us_what_perf_prints,
					    NULL, NULL, (void *)&ways[i]};
	tests[N(ways)] = (struct CMUnitTest)cmocka_unit_test(perf_prints_what_we_wrote);
	tests[N(ways) + 1] = (struct CMUnitTest)cmocka_unit_test(hotspot_reads_what_we_wrote);
	tests[N(ways) + 2] =
		(struct CMUnitTest)cmocka_unit_test(recordings_of_killed_recorders_are_recovered);
	tests[N(ways) + 3] = (struct CMUnitTest)cmocka_unit_test(sessions_hold_what_perf_prints);
	return cmocka_run_group_tests(tests, begin, end);
}
