// SPDX-License-Identifier: GPL-2.0-or-later
/* Several runs of a command by operf: their sessions, signals and exit statuses. */
#include "tests/unit/test.h"

#include <signal.h>

#include "daemon/operf/collect.h"
#include "daemon/operf/runs.h"
#include "daemon/operf/session.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/session/paths.h"

static char *dir;

TEST_HOOK(enter)
{
	dir = test_enter("operf-runs");
	return !dir || mkdir(OP_SESSION_SAMPLES, 0700);
}

TEST_HOOK(leave)
{
	return test_leave(dir);
}

/* Makes samples/@name, a session with a file @name in it. */
static void make_samples(const char *name)
{
	char *stats = op_path(OP_SESSION_SAMPLES "/%s/" OP_SAMPLES_STATS "/", name);
	char *file = op_path("%s%s", stats, name);
	int fd;

	assert_int_equal(op_mkdir_parents(stats, 0700, NULL), 0);
	fd = open(file, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	free(file);
	free(stats);
}

static bool is_there(const char *name)
{
	char *path = op_path(OP_SESSION_SAMPLES "/%s", name);
	struct stat status;
	bool there = !lstat(path, &status);

	free(path);
	return there;
}

/* ---- sessions ---- */

TEST_WITH(the_live_session_becomes_that_of_the_run, enter, leave)
{
	struct op_error error;

	make_samples("current");
	assert_int_equal(session_keep_run(dir, 12, &error), 0);
	assert_false(is_there("current"));
	assert_true(is_there("run-12/" OP_SAMPLES_STATS "/current"));
}

TEST_WITH(a_session_of_a_run_is_not_replaced, enter, leave)
{
	struct op_error error;

	make_samples("current");
	assert_int_equal(mkdir(OP_SESSION_SAMPLES "/run-1", 0700), 0);
	assert_int_equal(session_keep_run(dir, 1, &error), -1);
	assert_int_equal(error.code, EEXIST);
	assert_true(is_there("current"));
}

TEST_WITH(sessions_of_an_earlier_series_are_dropped_and_no_others, enter, leave)
{
	static const char *const drops[] = {"run-1", "run-3", "run-99"};
	static const char *const stays[] = {"current", "previous", "run-0", "run-01",
					    "run-100", "run-1x",   "run-",  "run"};
	struct op_error error;

	for (size_t i = 0; i < OP_ARRAY_SIZE(drops); i++)
		make_samples(drops[i]);
	for (size_t i = 0; i < OP_ARRAY_SIZE(stays); i++)
		make_samples(stays[i]);
	assert_int_equal(session_drop_runs(dir, &error), 0);
	for (size_t i = 0; i < OP_ARRAY_SIZE(drops); i++)
		assert_false(is_there(drops[i]));
	for (size_t i = 0; i < OP_ARRAY_SIZE(stays); i++)
		assert_true(is_there(stays[i]));
}

/* OProfile's have statistics only. */
TEST_WITH(a_session_is_known_by_its_account, enter, leave)
{
	struct op_error error;

	assert_int_equal(op_mkdir_parents(OP_SESSION_SAMPLES "/run-1/x", 0700, NULL), 0);
	assert_int_equal(session_drop_runs(dir, &error), -1);
	assert_int_equal(mknod(OP_SESSION_SAMPLES "/run-1/" OP_SAMPLES_ACCOUNT, S_IFREG | 0600, 0),
			 0);
	assert_int_equal(session_drop_runs(dir, &error), 0);
	assert_false(is_there("run-1"));
}

/* A directory without samples, a file, and a symbolic link to a session. */
TEST_WITH(what_is_no_session_is_not_dropped, enter, leave)
{
	for (int kind = 0; kind < 3; kind++) {
		struct op_error error;

		make_samples("elsewhere");
		make_samples("run-1");
		if (kind == 0)
			assert_int_equal(mkdir(OP_SESSION_SAMPLES "/run-2", 0700), 0);
		else if (kind == 1)
			assert_int_equal(mknod(OP_SESSION_SAMPLES "/run-2", S_IFREG | 0600, 0), 0);
		else
			assert_int_equal(symlink("elsewhere", OP_SESSION_SAMPLES "/run-2"), 0);
		assert_int_equal(session_drop_runs(dir, &error), -1);
		assert_int_equal(error.code, EEXIST);
		assert_non_null(strstr(error.text, "samples/run-2 is no session"));
		assert_true(is_there("run-2"));
		assert_true(is_there("run-1"));
		assert_int_equal(remove(OP_SESSION_SAMPLES "/run-2"), 0);
	}
}

/* ---- runs ---- */

/* Each run leaves a file with its number and what it has of the first one's changes. */
static void note_run(const struct request *request)
{
	char *path = op_path("ran-%u", request->run);
	mode_t mask = umask(0077);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fprintf(file, "%o", mask);
	fclose(file);
	free(path);
}

static bool has_run(unsigned int run)
{
	char *path = op_path("%s/ran-%u", dir, run);
	bool has = !access(path, F_OK);

	free(path);
	return has;
}

static int succeed(const struct request *request)
{
	note_run(request);
	return 0;
}

static int fail_in_second(const struct request *request)
{
	note_run(request);
	return request->run == 2 ? 7 : 0;
}

/* Signals its parent and is told of it, as a program that handles the signal. */
static int handle_in_second(const struct request *request)
{
	sigset_t set;
	int number;

	note_run(request);
	if (request->run != 2)
		return 0;
	collect_block_signals();
	collect_signals(&set);
	kill(getppid(), SIGTERM);
	return sigwait(&set, &number) || number != SIGTERM ? 9 : 0;
}

static int die_in_second(const struct request *request)
{
	note_run(request);
	if (request->run == 2) {
		kill(getppid(), SIGINT);
		pause();
	}
	return 0;
}

static const struct request three = {.runs = 3, .session_dir = (char *)"/elsewhere"};

TEST_WITH(the_command_runs_as_often_as_asked, enter, leave)
{
	assert_int_equal(runs_do(&three, succeed), 0);
	assert_true(has_run(1) && has_run(2) && has_run(3));
	assert_false(has_run(4));
}

TEST_WITH(no_run_sees_what_another_one_has_changed, enter, leave)
{
	char *first, *second;

	umask(0022);
	assert_int_equal(runs_do(&three, succeed), 0);
	first = op_file_read("ran-1", 100, NULL, NULL);
	second = op_file_read("ran-2", 100, NULL, NULL);
	assert_string_equal(first, "22");
	assert_string_equal(second, first);
	free(first);
	free(second);
}

TEST_WITH(a_run_that_fails_ends_the_series_with_its_status, enter, leave)
{
	assert_int_equal(runs_do(&three, fail_in_second), 7);
	assert_true(has_run(2));
	assert_false(has_run(3));
}

TEST_WITH(a_signal_is_passed_on_and_ends_the_series, enter, leave)
{
	assert_int_equal(runs_do(&three, handle_in_second), 128 + SIGTERM);
	assert_true(has_run(2));
	assert_false(has_run(3));
	assert_int_equal(runs_do(&three, die_in_second), 128 + SIGINT);
	assert_false(has_run(3));
}
