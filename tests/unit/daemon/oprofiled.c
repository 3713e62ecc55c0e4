// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program oprofiled: command line, going to the background, the control socket, signals,
 * one daemon a session.  The kernel's side is a directory with a pipe for a buffer (live.h).
 */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/session/number_file.h"
#include "daemon/sources/module.h"
#include "libop/session/control_socket.h"
#include "libop/cpu/detect.h"
#include "libop/cpu/type_names.h"
#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "live.h"
#include "program.h"
#include "recording.h"

#define NOVM	       "{kern}/no-vmlinux/"
#define FILE_OF_KERNEL NOVM "{dep}/" NOVM "TIMER.0.0.all.all.all"
#define START	       CPU(0), CTX(501, 500, 0x10)

/* ---- the command line ---- */

static void senseless_command_lines(void **state)
{
	static const struct {
		const char *arguments[4];
		const char *cause;
	} lines[] = {
		{{"--nonsense"}, "--nonsense: unknown option"},
		{{"argument"}, "unexpected argument: argument"},
		{{"--vmlinux=/a", "--no-vmlinux"}, "contradict"},
		{{"--kernel-range=1,2", "--no-vmlinux"}, "contradict"},
		{{"--kernel-range=1"}, "--kernel-range"},
		{{"--kernel-range=2,1"}, "--kernel-range"},
		{{"--kernel-range=1,2x"}, "--kernel-range"},
		{{"--record=/a", "--replay=/b"}, "contradict"},
		{{"--freq=99"}, "go with --perf only"},
		{{"--callgraph=9"}, "go with --perf only"},
		{{"--perf", "--freq=0"}, "--freq: 0 is out of range"},
		{{"--perf", "--replay=/b"}, "--perf and --replay contradict"},
		{{"--separate-lib=2"}, "--separate-lib: 2 is out of range"},
		{{"--separate-cpu=yes"}, "--separate-cpu: \"yes\" is no number"},
		{{"--events=A:1"}, "not NAME:code"},
		{{"--events="}, "no events given"},
		{{"--verbose=loud"}, "\"loud\" is none of"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct program program;

		assert_int_equal(program_run(&program, lines[i].arguments), OP_EXIT_USAGE);
		if (!strstr(program.text, lines[i].cause) ||
		    strncmp(program.text, "oprofiled error: ", 17) != 0)
			fail_msg("case %zu: unclear: %s", i, program.text);
	}
}

static void help_and_version(void **state)
{
	struct program program;

	(void)state;
	assert_int_equal(program_run(&program, (const char *const[]){"--help", NULL}), 0);
	assert_non_null(strstr(program.text, "--session-dir=DIR"));
	assert_int_equal(program_run(&program, (const char *const[]){"--version", NULL}), 0);
	assert_string_equal(program.text, "oprofiled: oprofile " OP_VERSION "\n");
}

static void a_daemon_lives_and_ends(void **state)
{
	struct live live;
	char *reply;
	int daemon;

	(void)state;
	live_open(&live);
	daemon = live_start(&live, "--verbose=misc");
	reply = live_call(&live, "status");
	assert_non_null(strstr(reply, "\nstate running\n"));
	assert_non_null(strstr(reply, "\nsamples 0\n"));
	free(reply);

	live_write(&live, BUFFER(START, KERNEL, 7, 0, 8, 0));
	reply = live_call(&live, "dump");
	assert_string_equal(reply, "buffers 1\nsamples 2\n");
	free(reply);
	live_expect_samples(&live, FILE_OF_KERNEL " 7:1 8:1\n");
	live_expect_file(&live, "complete_dump", "1\n");
	live_expect_file(&live, "samples/current/stats/total_samples", "2\n");
	live_expect_file(&live, "samples/current/stats/cpu0/sample_received", "42\n");
	live_expect_in_file(&live, "abi", "sizeof_struct_opd_header 72\n");
	{
		char *asked = op_path("%s/dump", live.oprofilefs);
		char *text = op_file_read(asked, 10, NULL, NULL);

		assert_string_equal(text, "1");
		free(text);
		free(asked);
	}

	/* what comes between the last dump and the end is counted as well */
	live_write(&live, BUFFER(START, KERNEL, 9, 0));
	live_stop(daemon, SIGTERM);
	live_expect_samples(&live, FILE_OF_KERNEL " 7:1 8:1 9:1\n");
	live_expect_file(&live, "samples/current/stats/total_samples", "3\n");
	live_expect_in_file(&live, OP_SESSION_LOG, "-- OProfile Statistics --");
	live_expect_in_file(&live, OP_SESSION_LOG, "Nr. stored samples: 3\n");
	live_expect_none(&live, OP_SESSION_LOCK);
	live_expect_none(&live, OP_SESSION_CONTROL);
	live_close(&live);
}

/* Scripts of old: rm complete_dump; echo 1 > dump; wait for complete_dump. */
static void the_old_way_to_dump_works(void **state)
{
	struct live live;
	char *path;
	int daemon;

	(void)state;
	live_open(&live);
	daemon = live_start(&live, NULL);
	path = op_path("%s/complete_dump", live.session);
	unlink(path);
	live_write(&live, BUFFER(START, KERNEL, 7, 0));
	while (access(path, F_OK))
		sched_yield();
	live_expect_samples(&live, FILE_OF_KERNEL " 7:1\n");
	free(path);
	live_stop(daemon, SIGTERM);
	live_close(&live);
}

static void a_session_has_one_daemon(void **state)
{
	struct program program;
	struct live live;
	char *want;
	int daemon;

	(void)state;
	live_open(&live);
	daemon = live_start(&live, NULL);
	assert_int_equal(program_run(&program, (const char *const[]){live.oprofilefs_option,
								     live.session_option,
								     "--no-vmlinux", NULL}),
			 OP_EXIT_FAILURE);
	want = op_path("oprofiled error: the session %s has a daemon already: process ",
		       live.session);
	assert_non_null(strstr(program.text, want));
	/* and it is not disturbed */
	live_write(&live, BUFFER(START, KERNEL, 7, 0));
	live_call_and_forget(&live, "dump");
	live_expect_samples(&live, FILE_OF_KERNEL " 7:1\n");
	free(want);
	live_stop(daemon, SIGTERM);
	live_close(&live);
}

static void what_a_killed_daemon_left_is_no_hindrance(void **state)
{
	struct live live;
	char pid[32];
	int daemon;

	(void)state;
	live_open(&live);
	daemon = live_start(&live, NULL);
	live_write(&live, BUFFER(START, KERNEL, 7, 0));
	live_call_and_forget(&live, "dump");
	live_stop(daemon, SIGKILL);
	/* its pid belongs to a process that lives, but is no daemon: this one */
	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	live_put(live.session, OP_SESSION_LOCK, pid);
	live_put(live.session, "samples/current/.odb-0000000000000001", "");
	daemon = live_start(&live, NULL);
	live_write(&live, BUFFER(START, KERNEL, 7, 0));
	live_call_and_forget(&live, "dump");
	live_expect_samples(&live, FILE_OF_KERNEL " 7:2\n");
	live_expect_file(&live, "samples/current/stats/total_samples", "2\n");
	live_expect_none(&live, "samples/current/.odb-0000000000000001");
	live_stop(daemon, SIGTERM);
	live_close(&live);
}

static void a_daemon_that_cannot_start_says_so(void **state)
{
	const struct {
		const char *file, *text, *cause; /* text NULL: the file is missing */
	} cases[] = {
		{"buffer", NULL, "cannot open"},
		{"buffer_size", NULL, "buffer_size"},
		{"buffer_size", "many\n", "buffer_size: \"many\" is no number"},
		{"buffer_size", "0\n", "out of range"},
		{"pointer_size", "4\n", "pointer_size is 4"},
		{"cpu_type", "i386/nonesuch", "\"i386/nonesuch\" is unknown"},
		{"cpu_type", "i386/nehalem", "no events given"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program program;
		struct live live;
		char *path;

		live_open(&live);
		path = op_path("%s/%s", live.oprofilefs, cases[i].file);
		if (cases[i].text)
			live_put(live.oprofilefs, cases[i].file, cases[i].text);
		else
			unlink(path);
		assert_int_equal(program_run(&program, (const char *const[]){live.oprofilefs_option,
									     live.session_option,
									     "--no-vmlinux", NULL}),
				 OP_EXIT_FAILURE);
		if (!strstr(program.text, cases[i].cause) ||
		    strncmp(program.text, "oprofiled error: ", 17) != 0)
			fail_msg("case %zu: unclear: %s", i, program.text);
		live_expect_none(&live, OP_SESSION_LOCK);
		live_expect_none(&live, OP_SESSION_CONTROL);
		free(path);
		live_close(&live);
	}
}

/* The driver calls CPUs that are newer than it by a general name; sample files tell more. */
static void general_names_of_cpus_are_made_precise(void **state)
{
	static const struct {
		const char *said, *name; /* NULL: that of this CPU, if it has one */
	} cases[] = {
		{"timer", "timer"},
		{"nmi_timer", "nmi_timer"},
		{"i386/nehalem", "i386/nehalem"},
		{"i386/nonesuch", "i386/nonesuch"},
		{"i386/arch_perfmon", NULL},
		{"x86-64/generic", NULL},
	};
	struct op_cpu_id cpu;
	const char *local;

	(void)state;
	op_cpu_id_read(&cpu);
	local = op_cpu_type_name(op_cpu_id_type(&cpu));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = cases[i].name;
		struct source *source;
		struct op_error error;
		struct live live;

		live_open(&live);
		live_put(live.oprofilefs, "cpu_type", cases[i].said);
		source = source_kernel_open(live.oprofilefs, &error);
		if (!source)
			fail_msg("%s", error.text);
		if (!name)
			name = local ? local : cases[i].said;
		assert_string_equal(source->cpu_type, name);
		source_close(source);
		live_close(&live);
	}
}

static void without_a_module_there_is_a_hint(void **state)
{
	struct program program;
	char *dir = make_directory(), *session = op_path("--session-dir=%s/s", dir);
	char *missing = op_path("--oprofilefs=%s/missing", dir);

	(void)state;
	assert_int_equal(program_run(&program, (const char *const[]){session, missing, NULL}),
			 OP_EXIT_FAILURE);
	assert_non_null(strstr(program.text, "opcontrol --init"));
	remove_tree(dir);
	free(missing);
	free(session);
	free(dir);
}

/* opcontrol --save moves samples/current away and has the daemon begin anew. */
static void a_saved_session_is_not_touched_again(void **state)
{
	char *current, *saved, *log;
	struct live live;
	int daemon;

	(void)state;
	live_open(&live);
	daemon = live_start(&live, NULL);
	current = op_path("%s/" OP_SESSION_CURRENT, live.session);
	saved = op_path("%s/samples/saved", live.session);
	log = op_path("%s/" OP_SESSION_LOG, live.session);
	live_write(&live, BUFFER(START, KERNEL, 7, 0));
	live_call_and_forget(&live, "dump");
	assert_return_code(rename(current, saved), errno);
	assert_return_code(unlink(log), errno);
	live_call_and_forget(&live, "reopen");
	assert_return_code(access(log, F_OK), errno);
	live_write(&live, BUFFER(START, KERNEL, 8, 0));
	live_call_and_forget(&live, "dump");
	live_expect_samples(&live, FILE_OF_KERNEL " 8:1\n");
	live_expect_file(&live, "samples/current/stats/total_samples", "1\n");
	live_expect_file(&live, "samples/saved/stats/total_samples", "1\n");

	/* the same by signal: the new log is its last step */
	remove_tree(current);
	assert_return_code(unlink(log), errno);
	assert_return_code(pidfd_send_signal(daemon, SIGHUP, NULL, 0), errno);
	while (access(log, F_OK))
		sched_yield();
	live_write(&live, BUFFER(START, KERNEL, 9, 0));
	live_call_and_forget(&live, "dump");
	live_expect_samples(&live, FILE_OF_KERNEL " 9:1\n");
	free(current);
	free(saved);
	free(log);
	live_stop(daemon, SIGTERM);
	live_close(&live);
}

/* "reopen" alone does not end a session: its statistics are not forgotten. */
static void reopening_keeps_the_statistics(void **state)
{
	struct live live;
	int daemon;

	(void)state;
	live_open(&live);
	daemon = live_start(&live, NULL);
	live_write(&live, BUFFER(START, KERNEL, 7, 0));
	live_call_and_forget(&live, "dump");
	live_write(&live, BUFFER(START, KERNEL, 7, 0));
	live_wait_for_samples(&live, FILE_OF_KERNEL " 7:2\n");
	live_call_and_forget(&live, "reopen");
	live_write(&live, BUFFER(START, KERNEL, 8, 0));
	live_call_and_forget(&live, "dump");
	live_expect_samples(&live, FILE_OF_KERNEL " 7:2 8:1\n");
	live_expect_file(&live, "samples/current/stats/total_samples", "3\n");
	live_stop(daemon, SIGTERM);
	live_close(&live);
}

/* The number in a file of the session's statistics; 0 if there is none. */
static uint64_t statistic(const struct live *live, const char *name)
{
	char *path = op_path("%s/samples/current/stats/%s", live->session, name);
	uint64_t value = number_file_read(path);

	free(path);
	return value;
}

/* Dumps until more than @ms of profiling are told. */
static void profile_for_more_than(const struct live *live, uint64_t ms)
{
	do {
		live_call_and_forget(live, "dump");
	} while (statistic(live, "profiling_ms") <= ms);
}

/* How long it profiled adds up over stops and daemons; a mere status shows a start. */
static void the_time_of_profiling_is_told(void **state)
{
	uint64_t until_stop;
	struct live live;
	char *reply;
	int daemon;

	(void)state;
	live_open(&live);
	live_put(live.oprofilefs, "enable", "0\n");
	daemon = live_start(&live, NULL);
	live_call_and_forget(&live, "dump");
	live_expect_none(&live, "samples/current/stats/profiling_ms");
	live_expect_none(&live, "samples/current/stats/daemon_cpu_ms");

	live_put(live.oprofilefs, "enable", "1\n");
	reply = live_call(&live, "status");
	assert_non_null(strstr(reply, "\nstate running\n"));
	free(reply);
	profile_for_more_than(&live, 20);
	assert_true(statistic(&live, "daemon_cpu_ms") <= statistic(&live, "profiling_ms") + 1000);

	live_put(live.oprofilefs, "enable", "0\n");
	reply = live_call(&live, "status");
	assert_non_null(strstr(reply, "\nstate stopped\n"));
	free(reply);
	live_call_and_forget(&live, "dump");
	until_stop = statistic(&live, "profiling_ms");
	for (uint64_t begin = overhead_now().wall_ns; overhead_now().wall_ns < begin + 20000000;)
		live_call_and_forget(&live, "dump");
	assert_int_equal(statistic(&live, "profiling_ms"), until_stop);
	live_stop(daemon, SIGTERM);
	assert_int_equal(statistic(&live, "profiling_ms"), until_stop);

	live_put(live.oprofilefs, "enable", "1\n");
	daemon = live_start(&live, NULL);
	profile_for_more_than(&live, until_stop);
	live_stop(daemon, SIGTERM);
	live_close(&live);
}

/* What the kernel's numbers say before the first buffer is of an earlier start of profiling. */
static void losses_of_an_earlier_start_are_not_counted_again(void **state)
{
	static const char lost[] = "samples/current/stats/lost_records_by_kernel";
	struct live live;
	int daemon;

	(void)state;
	live_open(&live);
	live_put(live.oprofilefs, "stats/sample_lost_no_mm", "5\n");
	daemon = live_start(&live, NULL);
	live_call_and_forget(&live, "dump");
	live_expect_file(&live, lost, "0\n");
	live_put(live.oprofilefs, "stats/sample_lost_no_mm", "7\n");
	live_write(&live, BUFFER(START, KERNEL, 7, 0));
	live_call_and_forget(&live, "dump");
	live_expect_file(&live, lost, "7\n");
	live_put(live.oprofilefs, "stats/sample_lost_no_mm", "9\n");
	live_call_and_forget(&live, "reopen");
	live_call_and_forget(&live, "dump");
	live_expect_file(&live, lost, "9\n");
	live_stop(daemon, SIGTERM);
	live_close(&live);
}

static void commands_that_make_no_sense(void **state)
{
	struct op_error error;
	struct live live;
	char *line;
	int daemon;

	(void)state;
	live_open(&live);
	daemon = live_start(&live, NULL);
	assert_int_equal(op_control_call(live.session, "", NULL, &error), -1);
	assert_string_equal(error.text, "unknown command: ");
	assert_int_equal(op_control_call(live.session, "dance", NULL, &error), -1);
	assert_string_equal(error.text, "unknown command: dance");
	line = malloc(201);
	memset(line, 'x', 200);
	line[200] = '\0';
	assert_int_equal(op_control_call(live.session, line, NULL, &error), -1);
	free(line);
	live_call_and_forget(&live, "status");
	live_stop(daemon, SIGTERM);
	assert_int_equal(op_control_call(live.session, "status", NULL, &error), -1);
	assert_int_equal(error.code, ENOENT);
	live_close(&live);
}

static int connect_silently(const struct live *live)
{
	struct sockaddr_un address;
	struct op_error error;
	int dir = op_control_address(live->session, &address, &error);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_return_code(connect(fd, (struct sockaddr *)&address, sizeof(address)), errno);
	close(dir);
	return fd;
}

/* Clients that say nothing, or go away, keep nobody waiting. */
static void silent_clients_are_no_hindrance(void **state)
{
	struct live live;
	int daemon, fds[40];

	(void)state;
	live_open(&live);
	daemon = live_start(&live, NULL);
	for (int i = 0; i < 40; i++) {
		fds[i] = connect_silently(&live);
		if (i % 3 == 0)
			assert_int_equal(send(fds[i], "dum", 3, MSG_NOSIGNAL), 3);
	}
	live_write(&live, BUFFER(START, KERNEL, 7, 0));
	live_call_and_forget(&live, "dump");
	live_expect_samples(&live, FILE_OF_KERNEL " 7:1\n");
	for (int i = 0; i < 40; i++)
		close(fds[i]);
	live_call_and_forget(&live, "status");
	live_stop(daemon, SIGTERM);
	live_close(&live);
}

/* ---- recordings ---- */

static void a_live_session_is_recorded_and_replayed(void **state)
{
	char *recording, *record_option, *replay_option, *live_text;
	struct program program;
	struct live live;
	int daemon;

	(void)state;
	live_open(&live);
	recording = op_path("%s/recording", live.dir);
	record_option = op_path("--record=%s", recording);
	replay_option = op_path("--replay=%s", recording);
	daemon = live_start(&live, record_option);
	live_write(&live, BUFFER(START, KERNEL, 7, 0, CTX(9, 9, 0x11), 8, 0));
	live_stop(daemon, SIGTERM);
	live_text = session_text(live.session);
	assert_string_equal(live_text, FILE_OF_KERNEL " 7:1 8:1\n");
	remove_tree(live.session);

	if (program_run(&program, (const char *const[]){replay_option, live.session_option,
							"--no-vmlinux", NULL}))
		fail_msg("%s", program.text);
	live_expect_samples(&live, live_text);
	live_expect_file(&live, "samples/current/stats/cpu0/sample_received", "42\n");
	remove_tree(live.session);

	if (program_run(&program,
			(const char *const[]){replay_option, live.session_option, "--no-vmlinux",
					      "--separate-thread=1", NULL}))
		fail_msg("%s", program.text);
	live_expect_samples(&live, NOVM "{dep}/" NOVM "TIMER.0.0.500.501.all 7:1\n" NOVM "{dep}/" NOVM
				   "TIMER.0.0.9.9.all 8:1\n");
	free(live_text);
	free(replay_option);
	free(record_option);
	free(recording);
	live_close(&live);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(senseless_command_lines),
		cmocka_unit_test(help_and_version),
		cmocka_unit_test(a_daemon_lives_and_ends),
		cmocka_unit_test(the_old_way_to_dump_works),
		cmocka_unit_test(a_session_has_one_daemon),
		cmocka_unit_test(what_a_killed_daemon_left_is_no_hindrance),
		cmocka_unit_test(a_daemon_that_cannot_start_says_so),
		cmocka_unit_test(general_names_of_cpus_are_made_precise),
		cmocka_unit_test(without_a_module_there_is_a_hint),
		cmocka_unit_test(a_saved_session_is_not_touched_again),
		cmocka_unit_test(reopening_keeps_the_statistics),
		cmocka_unit_test(the_time_of_profiling_is_told),
		cmocka_unit_test(losses_of_an_earlier_start_are_not_counted_again),
		cmocka_unit_test(commands_that_make_no_sense),
		cmocka_unit_test(silent_clients_are_no_hindrance),
		cmocka_unit_test(a_live_session_is_recorded_and_replayed),
	};

	if (argc < 2) {
		fprintf(stderr, "usage: %s OPROFILED\n", argv[0]);
		return 2;
	}
	program_path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
