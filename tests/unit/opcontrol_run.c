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

#include "libop/base/file.h"
#include "opcontrol_catalogue.h"
#include "opcontrol_fixture.h"
#include "utils/opcontrol/daemon.h"
#include "libop/base/remove_tree.h"

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
