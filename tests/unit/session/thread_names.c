// SPDX-License-Identifier: GPL-2.0-or-later
/* The names of the threads of a session. */
#include "tests/unit/test.h"

#include <sys/prctl.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "libop/session/thread_names.h"

static char *dir;

TEST_HOOK(enter)
{
	dir = test_enter("thread_names");
	return dir ? 0 : -1;
}

TEST_HOOK(leave)
{
	return test_leave(dir);
}

TEST_PROGRAM(enter, leave)

TEST(thread_has_the_name_that_it_was_given_last)
{
	struct op_thread_names names = {0};

	assert_int_equal(op_thread_names_set(&names, 7, 8, ""), 1);
	assert_null(op_thread_names_find(&names, 7, 8));
	assert_int_equal(op_thread_names_set(&names, 7, 8, "one"), 1);
	assert_int_equal(op_thread_names_set(&names, 7, 8, "one"), 0);
	assert_int_equal(op_thread_names_set(&names, 7, 8, "two"), 1);
	assert_int_equal(op_thread_names_set(&names, 8, 8, "other"), 1);
	assert_string_equal(op_thread_names_find(&names, 7, 8), "two");
	assert_null(op_thread_names_find(&names, 8, 7));
	assert_int_equal(names.n, 2);
	op_thread_names_free(&names);
}

TEST(list_is_read_as_it_was_saved)
{
	struct op_thread_names names = {0}, read = {0};
	char longer[OP_THREAD_NAME_MOST + 10];
	struct op_error error;

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	op_thread_names_set(&names, UINT32_MAX, UINT32_MAX, " a b ");
	op_thread_names_set(&names, 1, 2, "x\n3 4 y");
	op_thread_names_set(&names, 1, 3, "");
	op_thread_names_set(&names, 1, 4, longer);
	assert_int_equal(op_thread_names_save(&names, ".", &error), 0);
	op_thread_names_read(&read, ".");
	assert_int_equal(read.n, 3);
	assert_string_equal(op_thread_names_find(&read, UINT32_MAX, UINT32_MAX), " a b ");
	assert_string_equal(op_thread_names_find(&read, 1, 2), "x 3 4 y");
	assert_int_equal(strlen(op_thread_names_find(&read, 1, 4)), OP_THREAD_NAME_MOST);
	op_thread_names_free(&names);
	op_thread_names_free(&read);
}

TEST(malformed_lines_are_skipped)
{
	static const char text[] = "\n1\n1 2\n1 2 \n-1 2 x\n1 4294967296 x\n 1 2 x\n1\t2 x\n"
				   "5 6 good\n1 2 last";
	struct op_thread_names names = {0};
	struct op_error error;

	assert_int_equal(op_file_replace(OP_SAMPLES_THREADS, text, sizeof(text) - 1, 0600, &error),
			 0);
	op_thread_names_read(&names, ".");
	assert_int_equal(names.n, 2);
	assert_string_equal(op_thread_names_find(&names, 5, 6), "good");
	assert_string_equal(op_thread_names_find(&names, 1, 2), "last");
	op_thread_names_free(&names);
}

TEST(list_has_an_end)
{
	struct op_thread_names names = {0};

	for (uint32_t tid = 0; tid < OP_THREAD_NAMES_MOST; tid++)
		assert_int_equal(op_thread_names_set(&names, 1, tid, "x"), 1);
	assert_int_equal(op_thread_names_set(&names, 2, 1, "x"), -1);
	assert_int_equal(op_thread_names_set(&names, 1, 1, "y"), 1);
	op_thread_names_free(&names);
}

TEST(running_thread_has_its_own_name)
{
	uint32_t pid = (uint32_t)getpid();
	char *name;

	assert_int_equal(prctl(PR_SET_NAME, "a\nb\n"), 0);
	name = op_thread_name_of(pid, pid);
	assert_string_equal(name, "a\nb\n");
	free(name);
	assert_null(op_thread_name_of(pid, 0));
}
