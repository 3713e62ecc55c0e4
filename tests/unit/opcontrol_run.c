// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opcontrol from the outside: whole calls, one after the other, with a directory of plain
 * files in the place of oprofilefs and with a daemon that keeps a journal.
 *
 *	argv[1]: opcontrol	argv[2]: the daemon
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libop/file.h"
#include "opcontrol_catalogue.h"
#include "utils/opcontrol/daemon.h"
#include "utils/opcontrol/tree.h"

static const char *opcontrol, *fake_daemon;
static char top[] = "/tmp/opcontrol-XXXXXX";

/* What the last call printed, on stdout and stderr. */
static char output[8192];

/* Runs opcontrol with the words of @line, which are separated by one blank. */
static int run(const char *line)
{
	char *words = strdup(line), *argv[16] = {(char *)opcontrol};
	size_t size = 0;
	int status, fds[2], argc = 1;
	ssize_t got;
	pid_t pid;

	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		close(fds[0]);
		close(fds[1]);
		execv(opcontrol, argv);
		_exit(127);
	}
	close(fds[1]);
	while ((got = read(fds[0], output + size, sizeof(output) - 1 - size)) > 0)
		size += got;
	output[size] = '\0';
	close(fds[0]);
	free(words);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void check_run(int line_number, const char *line, int status, const char *text)
{
	int got = run(line);

	if (got != status || (text && !strstr(output, text)))
		fail_msg("line %d: opcontrol %s: exit status %d, not %d, or \"%s\" is missing:\n%s",
			 line_number, line, got, status, text ? text : "", output);
}

#define RUN(line, status, text) check_run(__LINE__, line, status, text)

static void put(const char *path, const char *text)
{
	struct op_error error;
	FILE *file;

	assert_int_equal(op_mkdir_parents(path, 0755, &error), 0);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* The first line of a file. */
static const char *get(const char *path)
{
	static char text[256];
	FILE *file = fopen(path, "r");

	text[0] = '\0';
	if (file) {
		if (fgets(text, sizeof(text), file))
			text[strcspn(text, "\n")] = '\0';
		fclose(file);
	}
	return text;
}

static bool journal_has(const char *line)
{
	char *text = op_file_read("journal", 1 << 16, NULL, NULL), *at;
	size_t length = strlen(line);
	bool found = false;

	for (at = text; at && !found; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		found = !strncmp(at, line, length) && at[length] == '\n';
	free(text);
	return found;
}

static char *text_of(const char *format)
{
	return op_path(format, top);
}

static int enter(void **state)
{
	char *path;

	(void)state;
	strcpy(top + strlen(top) - 6, "XXXXXX");
	if (!mkdtemp(top) || chdir(top))
		return -1;
	setenv("HOME", top, 1);
	path = text_of("%s/fs");
	setenv("OPROFILE_FS_DIR", path, 1);
	free(path);
	path = text_of("%s/journal");
	setenv("FAKE_JOURNAL", path, 1);
	free(path);
	path = text_of("%s/events");
	setenv("OPROFILE_EVENTS_DIR", path, 1);
	free(path);
	put("events/" CATALOGUE_EVENTS_FILE, CATALOGUE_EVENTS);
	put("events/" CATALOGUE_MASKS_FILE, CATALOGUE_MASKS);
	setenv("OPROFILE_DAEMON", fake_daemon, 1);
	unsetenv("FAKE_MODE");

	put("fs/cpu_type", "timer");
	put("fs/enable", "0\n");
	put("fs/buffer", "");
	put("fs/buffer_size", "0\n");
	put("fs/buffer_watershed", "0\n");
	put("fs/cpu_buffer_size", "0\n");
	put("fs/backtrace_depth", "0\n");
	put("fs/frequency", "1000\n");
	put("fs/stats/sample_lost_no_mm", "7\n");
	put("fs/stats/bt_lost_no_mapping", "0\n");
	put("fs/stats/cpu0/sample_received", "100\n");
	put("fs/stats/cpu1/sample_received", "23\n");
	put("fs/stats/cpu0/sample_lost_overflow", "5\n");
	put("fs/stats/cpu1/sample_lost_overflow", "6\n");
	path = text_of("--session-dir=%s/s --setup");
	if (run(path))
		return -1;
	free(path);
	return 0;
}

/* No daemon may outlive its test. */
static int leave(void **state)
{
	static const char *const sessions[] = {"s", "t"};
	struct op_error error;
	pid_t pid;

	(void)state;
	for (int i = 0; i < 2; i++) {
		int pidfd;

		if (!daemon_find(sessions[i], &pid, &pidfd, &error) && pid) {
			kill(pid, SIGKILL);
			daemon_end(pidfd, 10, &error);
			close(pidfd);
		}
	}
	return chdir("/") || tree_remove(AT_FDCWD, top, &error);
}

static void a_whole_session(void **state)
{
	struct stat status;
	char *line;

	(void)state;
	RUN("--start --separate=kernel,thread --callgraph=5 --frequency=997 --no-vmlinux "
	    "--buffer-size=65536 -Vsfile",
	    0, "Profiling");
	assert_string_equal(get("fs/enable"), "1");
	assert_string_equal(get("fs/buffer_size"), "65536");
	assert_string_equal(get("fs/buffer_watershed"), "16384");
	assert_string_equal(get("fs/cpu_buffer_size"), "8192");
	assert_string_equal(get("fs/backtrace_depth"), "5");
	assert_string_equal(get("fs/frequency"), "997");
	line = text_of("--session-dir=%s/s");
	assert_true(journal_has(line));
	free(line);
	assert_true(journal_has("--no-vmlinux"));
	assert_true(journal_has("--separate-lib=1"));
	assert_true(journal_has("--separate-kernel=1"));
	assert_true(journal_has("--separate-thread=1"));
	assert_true(journal_has("--separate-cpu=0"));
	assert_true(journal_has("--verbose=sfile"));

	RUN("--status", 0, "Daemon running: pid ");
	assert_non_null(strstr(output, "Separate options: library, kernel, thread\n"));
	assert_non_null(strstr(output, "vmlinux file: none"));
	assert_non_null(strstr(output, "CPU type: timer\n"));
	assert_non_null(strstr(output, "Backend: timer\n"));
	assert_non_null(strstr(output, "TIMER at 997 Hz\n"));
	assert_non_null(strstr(output, "Call-graph depth: 5\n"));
	assert_non_null(strstr(output, "Buffer size: 65536 words\n"));
	assert_null(strstr(output, "CPU buffer size"));
	assert_non_null(strstr(output, "Samples received: 123\n"));
	assert_non_null(strstr(output, "Samples lost by the driver: 18\n"));
	assert_non_null(strstr(output, "the buffer of a CPU was full: 11\n"));
	assert_non_null(strstr(output, "the task had no address space: 7\n"));
	assert_null(strstr(output, "call chains"));

	RUN("--dump", 0, "");
	assert_true(journal_has("dump enable=1"));
	assert_false(journal_has("dump enable=0"));
	/* Disabled first, then dumped: else what is sampled in between is lost. */
	RUN("--stop", 0, "stopped");
	assert_true(journal_has("dump enable=0"));
	RUN("--status", 0, "Daemon paused: pid ");
	RUN("--start", 0, "runs already");
	assert_string_equal(get("fs/enable"), "1");

	put("s/samples/current/a", "");
	RUN("--save=monday", 0, "Saved as monday");
	assert_true(journal_has("reopen enable=1"));
	assert_int_equal(stat("s/samples/monday/a", &status), 0);
	put("s/samples/current/b", "");
	RUN("--save monday", 1, "there is a session \"monday\"");
	assert_int_equal(stat("s/samples/current/b", &status), 0);
	RUN("--reset", 0, "");
	assert_int_equal(stat("s/samples/current/b", &status), -1);
	assert_int_equal(stat("s/samples/monday/a", &status), 0);

	RUN("--shutdown", 0, "has ended");
	assert_string_equal(get("fs/enable"), "0");
	RUN("--status", 0, "Daemon not running");
	RUN("--shutdown", 0, "No daemon runs");
}

static void defaults_are_written_too(void **state)
{
	(void)state;
	/* Left by another session. */
	put("fs/buffer_size", "9999\n");
	put("fs/frequency", "1\n");
	put("fs/backtrace_depth", "9\n");
	RUN("--start-daemon", 0, "The daemon runs");
	assert_string_equal(get("fs/enable"), "0");
	assert_string_equal(get("fs/buffer_size"), "131072");
	assert_string_equal(get("fs/buffer_watershed"), "32768");
	assert_string_equal(get("fs/cpu_buffer_size"), "8192");
	assert_string_equal(get("fs/backtrace_depth"), "0");
	assert_string_equal(get("fs/frequency"), "1000");
	/* Kernel symbols from the running kernel: neither image nor none. */
	assert_false(journal_has("--no-vmlinux"));
	RUN("--start-daemon", 0, "runs already");
	RUN("--deinit", 0, "unloaded");
}

static void without_a_daemon(void **state)
{
	struct stat status;

	(void)state;
	RUN("--dump", 1, "\"opcontrol --start\" starts one");
	RUN("--stop", 1, "no daemon runs");
	RUN("--shutdown", 0, "No daemon runs");
	RUN("--save=x", 0, "nothing to save");
	RUN("--reset", 0, "");
	put("s/samples/current/a", "");
	RUN("--save=x", 0, "Saved as x");
	assert_int_equal(stat("s/samples/x/a", &status), 0);
	put("s/samples/current/a", "");
	RUN("--reset", 0, "");
	assert_int_equal(stat("s/samples/current/a", &status), -1);
	/* Locks that are not, or no longer, those of a daemon. */
	put("s/lock", "");
	RUN("--stop", 1, "no daemon runs");
	put("s/lock", "nonsense");
	RUN("--stop", 1, "no daemon runs");
	put("s/lock", "1");
	RUN("--shutdown", 0, "No daemon runs");
	put("s/lock", "2147483647");
	RUN("--stop", 1, "no daemon runs");
	put("s/lock", "99999999999999999999");
	RUN("--stop", 1, "no daemon runs");
}

static void a_daemon_that_does_not_start(void **state)
{
	(void)state;
	setenv("FAKE_MODE", "refuse", 1);
	RUN("--start", 1, "there is something wrong");
	assert_non_null(strstr(output, "did not start (exit status 1)"));
	assert_string_equal(get("fs/enable"), "0");
	setenv("FAKE_MODE", "crash", 1);
	RUN("--start", 1, "signal 9");
	assert_string_equal(get("fs/enable"), "0");
	setenv("OPROFILE_DAEMON", "/no/such/daemon", 1);
	RUN("--start", 1, "/no/such/daemon: No such file");
}

static void a_dump_that_fails_is_told(void **state)
{
	(void)state;
	setenv("FAKE_MODE", "fail", 1);
	RUN("--start", 0, "");
	put("s/samples/current/a", "");
	RUN("--dump", 1, "the disk is full");
	RUN("--stop", 1, "the disk is full");
	RUN("--save=x", 1, "the disk is full");
	RUN("--reset", 1, "the disk is full");
	assert_int_equal(access("s/samples/current/a", F_OK), 0);
	/* It ends nevertheless. */
	RUN("--shutdown", 1, "the last samples may be lost: the disk is full");
	RUN("--status", 0, "Daemon not running");
}

static void another_holder_of_the_buffer(void **state)
{
	char *line = text_of("--session-dir=%s/t --start"), text[64];
	struct op_error error;
	pid_t pid;

	(void)state;
	/* Of another session: the settings of this one are asked for first. */
	RUN("--start", 0, "");
	assert_int_equal(daemon_find("s", &pid, NULL, &error), 0);
	assert_true(pid);
	assert_int_equal(rename("s/lock", "s/away"), 0);
	snprintf(text, sizeof(text), "process %d (%.15s) holds the event buffer", pid,
		 strrchr(fake_daemon, '/') + 1);
	RUN(line, 1, text);
	assert_int_equal(rename("s/away", "s/lock"), 0);
	free(line);
}

static void settings_wait_for_the_daemons_end(void **state)
{
	char *line = text_of("--session-dir=%s/t --setup"), *text;

	(void)state;
	RUN("--start", 0, "");
	RUN("--frequency=50", 0, "keeps the settings it runs with");
	RUN("--callgraph=2", 0, "keeps the settings");
	RUN(line, 0, "keeps the settings");
	RUN("--status", 0, "Other settings wait");
	assert_non_null(strstr(output, "Call-graph depth: 0\n"));
	/* Still found, though the session directory is to be another one. */
	RUN("--dump", 0, "");
	RUN("--shutdown", 0, "has ended");
	RUN("--status", 0, "Call-graph depth: 2\n");
	assert_null(strstr(output, "Other settings wait"));
	assert_non_null(strstr(output, "(from the next start of the daemon: 50 Hz)"));
	text = text_of("Session-dir: %s/t\n");
	assert_non_null(strstr(output, text));
	free(text);
	assert_int_equal(access(".oprofile/daemonrc_new", F_OK), -1);
	free(line);
}

static void settings_are_saved_at_once(void **state)
{
	(void)state;
	RUN("--frequency=50", 0, "");
	RUN("--callgraph 3", 0, "");
	RUN("--status", 0, "Call-graph depth: 3\n");
	RUN("--frequency=0", 0, "");
	RUN("--status", 0, "TIMER at 1000 Hz\n");
}

static void wrong_settings_change_nothing(void **state)
{
	static const struct {
		const char *line;
		int status;
		const char *text;
	} cases[] = {
		{"--frequency=20001", 2, "--frequency: "},
		{"--callgraph=7 --frequency=x", 2, "--frequency: "},
		{"--callgraph=7 --buffer-watershed=131072", 2, "smaller than the buffer size"},
		{"--start --callgraph=7 --vmlinux=/no/such", 2, "/no/such: No such file"},
		{"--callgraph=7 --event=CPU_CLK_UNHALTED:100000", 1, "samples by a timer"},
		{"--start --callgraph=7 --event=X:1", 1, "--event=default"},
		{"--dump --callgraph=7", 2, "takes no settings"},
		{"--callgraph=7 --nonsense", 2, "--nonsense"},
		{"--callgraph=7 nonsense", 2, "nonsense"},
	};
	struct op_error error;
	char *before, *after;

	(void)state;
	before = op_file_read(".oprofile/daemonrc", 1 << 16, NULL, &error);
	assert_non_null(before);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		RUN(cases[i].line, cases[i].status, cases[i].text);
		after = op_file_read(".oprofile/daemonrc", 1 << 16, NULL, &error);
		assert_non_null(after);
		assert_string_equal(before, after);
		free(after);
		assert_string_equal(get("fs/enable"), "0");
	}
	free(before);
	RUN("--event=default", 0, "");
}

static void a_broken_daemonrc_is_told_with_its_line(void **state)
{
	char *text;

	(void)state;
	put(".oprofile/daemonrc", "CALLGRAPH=1\nBUF_SIZE=many\n");
	text = text_of("%s/.oprofile/daemonrc:2: BUF_SIZE: ");
	RUN("--status", 1, text);
	RUN("--start", 1, text);
	RUN("--frequency=50", 1, text);
	free(text);
	assert_string_equal(get(".oprofile/daemonrc"), "CALLGRAPH=1");
	assert_string_equal(get("fs/enable"), "0");
}

static void what_the_driver_says_is_not_trusted(void **state)
{
	(void)state;
	put("fs/stats/cpu0/sample_received", "many\n");
	RUN("--status", 1, "sample_received");
	put("fs/cpu_type", "");
	RUN("--list-events", 1, "does not hold a CPU type");
	assert_int_equal(unlink("fs/cpu_type"), 0);
	RUN("--start", 1, "cpu_type: No such file");
}

static void events_of_the_cpu_type(void **state)
{
	(void)state;
	RUN("-l", 0, "there is one event, TIMER");
	put("fs/cpu_type", "nmi_timer");
	RUN("-l", 0, "CPU type nmi_timer");
	put("fs/cpu_type", "x86-64/family99h");
	RUN("-l", 1, "unknown CPU type \"x86-64/family99h\"");
	put("fs/cpu_type", CATALOGUE_CPU);
	RUN("-l", 0, "available events for CPU type \"AMD64 family10\"");
	assert_non_null(strstr(output, "\nLOW: (counter: 0, 1)\n\tOn the lower counters (min "));
	assert_non_null(strstr(output, "\t0x04: (name=starts) Beginnings of stalls\n"));
	assert_int_equal(unlink("fs/frequency"), 0);
	RUN("--frequency=10", 1, "has no frequency");
	RUN("--time-slice=10", 1, "has no time slice");
	put("events/" CATALOGUE_EVENTS_FILE, "event:0x76 counters:0 nonsense\n");
	RUN("-l", 1, "/events:1: ");
}

/* The driver of a CPU with counters, of which these are free. */
static void put_counters(const char *counters)
{
	static const char *const names[] = {"enabled", "event", "count", "unit_mask",
					    "kernel",  "user",	"extra"};
	char path[64];

	put("fs/cpu_type", CATALOGUE_CPU);
	unlink("fs/frequency");
	for (; *counters; counters++) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			snprintf(path, sizeof(path), "fs/%c/%s", *counters, names[i]);
			put(path, "9\n");
		}
	}
}

static void a_session_with_counters(void **state)
{
	(void)state;
	put_counters("0123");
	/* nothing chosen: the default */
	RUN("--status", 0,
	    "Event 0: CPU_CLK_UNHALTED:100000:0:1:1 (the default)\n"
	    "  period 100000, unit mask 0x00 (No unit mask), kernel and user code, "
	    "counter 0\n");
	assert_null(strstr(output, "Counters not free"));
	assert_null(strstr(output, "TIMER"));
	RUN("--start", 0, "Profiling");
	assert_true(journal_has("--events=CPU_CLK_UNHALTED:118:0:100000:0:1:1,"));
	assert_string_equal(get("fs/0/enabled"), "1");
	assert_string_equal(get("fs/1/enabled"), "0");
	RUN("--shutdown", 0, "has ended");

	RUN("--start -e RETIRED:6000 -e STALLS:1000:starts:1:0 -e ONLY0:500", 0, "Profiling");
	assert_true(journal_has("--events=RETIRED:192:1:6000:0:1:1,STALLS:80:2:1000:4:1:0,"
				"ONLY0:64:0:500:0:1:1,"));
	assert_string_equal(get("fs/0/event"), "64");
	assert_string_equal(get("fs/1/count"), "6000");
	assert_string_equal(get("fs/2/extra"), "17039360");
	assert_string_equal(get("fs/2/user"), "0");
	assert_string_equal(get("fs/3/enabled"), "0");
	RUN("--status", 0,
	    "Event 1: STALLS:1000:starts:1:0\n"
	    "  period 1000, unit mask 0x04 (Beginnings of stalls) with modifiers "
	    "0x1040000, kernel code, counter 2\n");
	/* for the next start, and the driver is not touched */
	RUN("--event=RETIRED:7000", 0, "keeps the settings it runs with");
	assert_string_equal(get("fs/1/count"), "6000");
	RUN("--shutdown", 0, "has ended");

	/* remembered; the first one of a call replaces all */
	RUN("--status", 0, "Event 0: RETIRED:7000\n");
	assert_null(strstr(output, "STALLS"));
	RUN("--start", 0, "Profiling");
	assert_string_equal(get("fs/0/count"), "7000");
	assert_string_equal(get("fs/2/enabled"), "0");
	RUN("--shutdown", 0, "has ended");
	RUN("-e LOW:500 -e RETIRED:6000", 0, "");
	RUN("--event=default", 0, "");
	RUN("--status", 0, "(the default)");
}

static void wrong_events_change_nothing(void **state)
{
	static const struct {
		const char *line;
		int status;
		const char *text;
	} cases[] = {
		{"--event=RETIRED", 2, "--event: \"RETIRED\" has no count"},
		{"--event=RETIRED:x", 2, "--event: event \"RETIRED:x\": "},
		{"--event=RETIRED:6000:0:0:0", 2, "neither kernel nor user"},
		{"-e RETIRED:6000 -e default", 2, "default goes with no other event"},
		{"--event=RETIRD:6000", 1, "has no event RETIRD (it has RETIRED)"},
		{"--start --event=RETIRED:10", 1, "the count 10 is below the least one, 3000"},
		{"--event=RETIRED:6000 --callgraph=4", 1, "45000 with call graphs"},
		{"-e STALLS:1000:nosuch", 1, "there are cycles, starts, idle"},
		{"-e ONLY0:500:0:1:0 -e ONLY0:501:0:0:1", 1, "not enough counters"},
	};
	struct op_error error;
	char *before, *after;

	(void)state;
	put_counters("0123");
	RUN("--event=LOW:600", 0, "");
	before = op_file_read(".oprofile/daemonrc", 1 << 16, NULL, &error);
	assert_non_null(before);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		RUN(cases[i].line, cases[i].status, cases[i].text);
		after = op_file_read(".oprofile/daemonrc", 1 << 16, NULL, &error);
		assert_non_null(after);
		assert_string_equal(before, after);
		free(after);
		assert_string_equal(get("fs/0/enabled"), "9");
	}
	free(before);
}

static void counters_that_are_not_free(void **state)
{
	(void)state;
	put_counters("23");
	RUN("--status", 0, "Counters not free: 0, 1 (");
	RUN("--event=LOW:500", 0, ""); /* the CPU could count it, at another time */
	RUN("--status", 0, "Event 0: LOW:500\n");
	assert_non_null(strstr(output, "  not to be counted: event \"LOW:500\": none of the "));
	RUN("--start", 1, "counters that are not free: 0, 1 (");
	assert_string_equal(get("fs/2/enabled"), "9");
	assert_string_equal(get("fs/enable"), "0");
	assert_false(journal_has("--separate-lib=0")); /* no daemon was started */
	RUN("--start --event=RETIRED:6000", 0, "Profiling");
	assert_string_equal(get("fs/2/enabled"), "1");
	RUN("--shutdown", 0, "");
	put("fs/cpu_type", "timer");
	RUN("--start", 1, "samples by a timer");
	RUN("--status", 1, "frequency"); /* which this driver has not */
}

static void no_free_counter_at_all(void **state)
{
	(void)state;
	put_counters("");
	RUN("--start", 1, "no counter can be used; counters that are not free: 0, 1, 2, 3 (");
	assert_non_null(strstr(output, "NMI watchdog"));
	RUN("--status", 0, "  not to be counted: no counter can be used");
}

static void calls_wait_for_each_other(void **state)
{
	enum { CALLS = 8 };
	char *argv[] = {(char *)opcontrol, "--start", NULL};
	unsigned int started = 0;
	pid_t pids[CALLS];
	char *text, *at;
	int status;

	(void)state;
	for (int i = 0; i < CALLS; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (!pids[i]) {
			int null = open("/dev/null", O_WRONLY);

			dup2(null, 1);
			execv(opcontrol, argv);
			_exit(127);
		}
	}
	for (int i = 0; i < CALLS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	text = op_file_read("journal", 1 << 16, NULL, NULL);
	assert_non_null(text);
	for (at = text; (at = strstr(at, "--session-dir=")); at++)
		started++;
	free(text);
	assert_int_equal(started, 1);
}

/* The parts of --shutdown against a daemon that hangs, with less patience. */
static void a_deaf_daemon_is_killed(void **state)
{
	struct op_error error;
	pid_t pid;
	int pidfd;

	(void)state;
	setenv("FAKE_MODE", "deaf", 1);
	RUN("--start-daemon", 0, "The daemon runs");
	assert_int_equal(daemon_find("s", &pid, &pidfd, &error), 0);
	assert_true(pid);
	assert_int_equal(daemon_dump("s", 1, &error), -1);
	assert_int_equal(error.code, ETIMEDOUT);
	assert_int_equal(daemon_end(pidfd, 1, &error), 1);
	close(pidfd);
	/* Its lock is still there, but counts for nothing. */
	assert_int_equal(daemon_find("s", &pid, NULL, &error), 0);
	assert_int_equal(pid, 0);
	setenv("FAKE_MODE", "", 1);
	RUN("--start-daemon", 0, "The daemon runs");
}

static void only_root_controls(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid()) {
		print_message("skipped: to be another user, the test must be root\n");
		skip();
	}
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		/* Opened before, as another user may not reach the folder it is in. */
		int null = open("/dev/null", O_WRONLY), program = open(opcontrol, O_RDONLY);
		char *arguments[] = {"opcontrol", "--start", NULL};

		unsetenv("OPROFILE_FS_DIR");
		dup2(null, 2);
		if (setuid(65534))
			_exit(126);
		fexecve(program, arguments, environ);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 1);
}

static void help_and_version(void **state)
{
	(void)state;
	RUN("", 0, "--start-daemon");
	RUN("--help", 0, "--cpu-buffer-size");
	RUN("--version", 0, "oprofile ");
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(a_whole_session),
		TEST(defaults_are_written_too),
		TEST(without_a_daemon),
		TEST(a_daemon_that_does_not_start),
		TEST(a_dump_that_fails_is_told),
		TEST(another_holder_of_the_buffer),
		TEST(settings_wait_for_the_daemons_end),
		TEST(settings_are_saved_at_once),
		TEST(wrong_settings_change_nothing),
		TEST(a_broken_daemonrc_is_told_with_its_line),
		TEST(what_the_driver_says_is_not_trusted),
		TEST(events_of_the_cpu_type),
		TEST(a_session_with_counters),
		TEST(wrong_events_change_nothing),
		TEST(counters_that_are_not_free),
		TEST(no_free_counter_at_all),
		TEST(calls_wait_for_each_other),
		TEST(a_deaf_daemon_is_killed),
		TEST(only_root_controls),
		TEST(help_and_version),
	};

	if (argc != 3)
		return 2;
	opcontrol = realpath(argv[1], NULL);
	fake_daemon = realpath(argv[2], NULL);
	return !opcontrol || !fake_daemon || cmocka_run_group_tests(tests, NULL, NULL);
}
