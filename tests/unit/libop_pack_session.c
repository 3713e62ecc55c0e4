// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packing and unpacking a session keeps every count, whatever is packed already, and whenever it is
 * killed or finds no room; what cannot be packed stays as it is.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "libop/base/file.h"
#include "libop/pack/session.h"
#include "libop_pack_fixture.h"

static void test_there_and_back(void **state)
{
	char *before;

	(void)state;
	fill();
	before = describe();
	assert_int_equal(pack().done, FILES);
	assert_int_equal(loose_files(), 1); /* the code of a JIT compiler */
	expect_same(before);
	assert_int_equal(pack().done, FILES); /* with nothing loose: nothing happens */
	assert_int_equal(unpack().done, FILES);
	assert_int_equal(loose_files(), FILES + 1);
	expect_same(before);
	free(before);
}

static void test_nothing(void **state)
{
	struct op_pack_result result;
	struct op_error error;

	(void)state;
	assert_int_equal(pack().done, 0);
	assert_int_not_equal(op_session_unpack(current, &result, &error), 0);
	assert_int_equal(error.code, ENOENT);
	assert_int_not_equal(op_session_pack("nowhere", NULL, NULL, &result, &error), 0);
	assert_non_null(strstr(error.text, "nowhere"));
}

/* What comes beside a pack becomes part of the next one. */
static void test_more(void **state)
{
	static const uint64_t offsets[] = {0x11, 0x20, 0x30};
	char *before;

	(void)state;
	fill();
	add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x11, 4);
	add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x10, 2);
	add("{root}/bin/new/{dep}/{root}/bin/new/" EVENT, 1, 1);
	add_stack("stacks/{root}/bin/a/" EVENT, kernel_and_program, offsets, 3, 10);
	before = describe();
	empty(NULL);
	for (int order = 0; order < 2; order++) {
		fill();
		pack();
		add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x11, 4);
		add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x10, 2);
		add("{root}/bin/new/{dep}/{root}/bin/new/" EVENT, 1, 1);
		add_stack("stacks/{root}/bin/a/" EVENT, kernel_and_program, offsets, 3, 10);
		if (order)
			assert_int_equal(unpack().done, FILES);
		else
			assert_int_equal(pack().done, FILES + 1);
		expect_same(before);
		empty(NULL);
	}
	free(before);
}

/* Damaged files, and files of other machines, stay as they are. */
static void test_left(void **state)
{
	static const char damaged[] = "{root}/bin/ab/{dep}/{root}/bin/ab/" EVENT;
	struct op_pack_result result;
	struct op_error error;
	char *path = path_of(damaged), *before, *text;

	(void)state;
	fill();
	assert_int_equal(op_file_replace(path, "rubbish", 7, 0640, NULL), 0);
	before = describe();
	assert_int_equal(op_session_pack(current, NULL, NULL, &result, &error), 0);
	assert_int_equal(result.left, 1);
	assert_int_equal(result.done, FILES - 1);
	text = op_file_read(path, 100, NULL, NULL);
	assert_string_equal(text, "rubbish");
	expect_same(before);
	free(text);
	free(before);
	free(path);
}

/* The same path, another file: its samples are not added to those of before. */
static void test_other_header(void **state)
{
	static const char name[] = "{root}/bin/a/{dep}/{root}/bin/a/" EVENT;
	struct odb_header newer = sample_header;
	struct op_pack_result result;
	char *path = path_of(name), *before;
	struct op_error error;
	struct odb_error cause;
	struct odb *db;

	(void)state;
	fill();
	pack();
	newer.mtime++;
	make_dirs(path);
	assert_int_equal(odb_open(&db, path, ODB_CREATE, &newer, &cause), 0);
	assert_int_equal(odb_add(db, 0x10, 2, &cause), 0);
	odb_close(db);
	before = describe();
	assert_int_equal(op_session_pack(current, NULL, NULL, &result, &error), 0);
	assert_int_equal(result.left, 1);
	expect_same(before);
	assert_int_not_equal(op_session_unpack(current, &result, &error), 0);
	assert_int_equal(error.code, EEXIST);
	assert_non_null(strstr(error.text, name));
	expect_same(before);
	free(before);
	free(path);
}

static void test_busy(void **state)
{
	char *path = path_of("{root}/bin/a/{dep}/{root}/bin/a/" EVENT), *before;
	struct op_pack_result result;
	struct odb_error cause;
	struct op_error error;
	struct odb *db;
	int status;
	pid_t child;

	(void)state;
	fill();
	before = describe();
	assert_int_equal(odb_open(&db, path, ODB_WRITE, NULL, &cause), 0);
	child = fork();
	if (!child) {
		bool right = op_session_pack(current, NULL, NULL, &result, &error) &&
			     error.code == EBUSY && strstr(error.text, path);

		_exit(right ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	odb_close(db);
	expect_same(before);
	free(before);
	free(path);
}

static void test_full(void **state)
{
	char *before;

	(void)state;
	fill();
	before = describe();
	/* from no room at all to nearly enough */
	for (rlim_t most = 0; most < 400; most += 16) {
		int status;
		pid_t child = fork();

		if (!child) {
			const struct rlimit limit = {most, most};
			struct op_pack_result result;
			struct op_error error;

			signal(SIGXFSZ, SIG_IGN);
			setrlimit(RLIMIT_FSIZE, &limit);
			_exit(op_session_pack(current, NULL, NULL, &result, &error) &&
					      error.code == EFBIG && strstr(error.text, "pack")
				      ? 0
				      : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		expect_same(before);
	}
	assert_int_equal(loose_files(), FILES + 1);
	free(before);
}

static int pack_or_unpack(void)
{
	struct op_pack_result result;
	struct op_error error;

	return loose_files() > 1 ? op_session_pack(current, NULL, NULL, &result, &error)
				 : op_session_unpack(current, &result, &error);
}

static useconds_t microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (useconds_t)((uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
}

/* Does it in a child that is killed after @delay, unless that is 0.  Return: whether it was. */
static bool is_killed(useconds_t delay)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(pack_or_unpack() ? 1 : 0);
	if (delay) {
		usleep(delay);
		kill(child, SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) || !WEXITSTATUS(status));
	return WIFSIGNALED(status);
}

/* How long it takes if nobody kills it, microseconds. */
static useconds_t whole_time(void)
{
	useconds_t begin = microseconds();

	is_killed(0);
	return microseconds() - begin;
}

/* Killed at any time, a session is as it was or as it is to be. */
static void test_killed(void **state)
{
	int changed = 0, killed = 0;
	useconds_t whole = 0;
	char *before;

	(void)state;
	fill();
	before = describe();
	for (int i = 0; i < 200; i++) {
		bool was_loose;

		if (i % 10 == 0)
			whole = whole_time(); /* it differs with what else the machine does */
		was_loose = loose_files() > 1;
		killed += is_killed(1 + (useconds_t)random_below(whole + whole / 2));
		changed += was_loose != (loose_files() > 1);
		expect_same(before);
	}
	print_message("killed %d of 200 times; packed or unpacked %d times\n", killed, changed);
	assert_true(killed > 30);
	assert_true(changed > 30);
	/* what the kills left goes with the next one */
	pack_or_unpack();
	expect_same(before);
	assert_int_equal(system("test \"$(ls -A samples)\" = current"), 0);
	free(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_there_and_back, empty),
		cmocka_unit_test_setup(test_nothing, empty),
		cmocka_unit_test_setup(test_more, empty),
		cmocka_unit_test_setup(test_left, empty),
		cmocka_unit_test_setup(test_other_header, empty),
		cmocka_unit_test_setup(test_busy, empty),
		cmocka_unit_test_setup(test_full, empty),
		cmocka_unit_test_setup(test_killed, empty),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
