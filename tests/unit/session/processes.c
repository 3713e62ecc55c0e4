// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of the processes of a session. */
#include "tests/unit/test.h"

#include <signal.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "libop/session/processes.h"

#define SECOND UINT64_C(1000000000)

static char *dir;

TEST_HOOK(enter)
{
	dir = test_enter("processes");
	return dir ? 0 : -1;
}

TEST_HOOK(leave)
{
	return test_leave(dir);
}

TEST_PROGRAM(enter, leave)

static void write_list(const char *text)
{
	struct op_error error;

	assert_int_equal(op_file_write(OP_SAMPLES_PROCESSES, text, &error), 0);
}

TEST(processes_are_told_apart_by_owner_and_start)
{
	const struct op_process first = {.tgid = 77, .owner = 1000, .started = 100 * SECOND};
	struct op_process_list list = {0};
	struct op_process other = first, found;

	assert_int_equal(op_process_list_add(&list, &first), 1);
	other.started += SECOND; /* the clock was set meanwhile */
	assert_int_equal(op_process_list_add(&list, &other), 0);
	other.owner = 0;
	assert_int_equal(op_process_list_add(&list, &other), 1);
	other.started += 10 * SECOND;
	assert_int_equal(op_process_list_add(&list, &other), 1);
	assert_int_equal(op_process_list_find(&list, 77, &found), 3);
	assert_int_equal(op_process_list_find(&list, 78, &found), 0);
	op_process_list_free(&list);
}

TEST(list_is_read_as_it_was_saved)
{
	char path[] = "/tmp/a b/jit-1.dump";
	const struct op_process saved = {.tgid = UINT32_MAX,
					 .owner = UINT32_MAX,
					 .started = UINT64_MAX,
					 .inner = UINT32_MAX,
					 .dump = path};
	const struct op_process bare = {.tgid = 2, .owner = 3, .started = 4};
	struct op_process_list list = {0}, read = {0};
	struct op_process found;
	struct op_error error;

	assert_int_equal(op_process_list_add(&list, &saved), 1);
	assert_int_equal(op_process_list_add(&list, &bare), 1);
	op_process_list_set_dump(&list, 2, "/two\nlines");
	assert_int_equal(op_process_list_save(&list, ".", &error), 0);
	op_process_list_read(&read, ".");
	assert_int_equal(op_process_list_find(&read, UINT32_MAX, &found), 1);
	assert_true(found.owner == UINT32_MAX && found.started == UINT64_MAX);
	assert_int_equal(found.inner, UINT32_MAX);
	assert_string_equal(found.dump, path);
	assert_int_equal(op_process_list_find(&read, 2, &found), 1);
	assert_int_equal(found.inner, 0);
	assert_null(found.dump);
	op_process_list_free(&list);
	op_process_list_free(&read);
}

TEST(malformed_lines_are_skipped)
{
	struct op_process_list list = {0};
	struct op_process found;

	write_list("\n1\n1 2\n1 2 \n1 2 3\n1 2 3 4\n-1 2 3 4 \n1 4294967296 3 4 \n 1 2 3 4 \n"
		   "5 6 7 8 \n1 2 3 4 /x");
	op_process_list_read(&list, ".");
	assert_int_equal(list.n, 2);
	assert_int_equal(op_process_list_find(&list, 5, &found), 1);
	assert_int_equal(found.owner, 6);
	assert_int_equal(found.started, 7);
	op_process_list_free(&list);
}

TEST(list_has_an_end)
{
	struct op_process_list list = {0};
	struct op_process process = {0};

	for (process.tgid = 0; process.tgid < OP_PROCESSES_MOST; process.tgid++)
		assert_int_equal(op_process_list_add(&list, &process), 1);
	assert_int_equal(op_process_list_add(&list, &process), -1);
	op_process_list_free(&list);
}

TEST(running_process_has_owner_and_start)
{
	struct op_process own, child;
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(op_process_of((uint32_t)getpid(), &own), 0);
	assert_int_equal(own.owner, geteuid());
	assert_int_equal(op_process_of((uint32_t)pid, &child), 0);
	assert_true(child.started + SECOND >= own.started);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(op_process_of((uint32_t)pid, &child), -1);
}
