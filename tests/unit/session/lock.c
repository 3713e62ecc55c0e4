// SPDX-License-Identifier: GPL-2.0-or-later
/* The lock of a session. */
#include "tests/unit/test.h"

#include "libop/base/file.h"
#include "libop/session/lock.h"
#include "libop/session/paths.h"

static char *dir, *file;

TEST_HOOK(enter)
{
	const char *base = getenv("TMPDIR");

	dir = op_path("%s/libop-lock-XXXXXX", base ? base : "/tmp");
	if (!dir || !mkdtemp(dir))
		return 1;
	file = op_path("%s/" OP_SESSION_LOCK, dir);
	return !file;
}

TEST_HOOK(leave)
{
	int result;

	unlink(file);
	result = rmdir(dir);
	free(file);
	free(dir);
	return result;
}

TEST_PROGRAM(enter, leave)

TEST(a_session_has_one_daemon)
{
	struct op_error error;
	int lock = lock_take(dir, &error);

	assert_true(lock >= 0);
	assert_int_equal(lock_take(dir, &error), -1);
	assert_int_equal(error.code, EBUSY);
	lock_release(dir, lock);
	assert_int_equal(access(file, F_OK), -1);
	lock = lock_take(dir, &error);
	assert_true(lock >= 0);
	lock_release(dir, lock);
}

TEST(the_lock_of_a_successor_is_not_removed)
{
	struct op_error error;
	int lock = lock_take(dir, &error), next;

	assert_true(lock >= 0);
	assert_int_equal(unlink(file), 0);
	next = lock_take(dir, &error);
	assert_true(next >= 0);
	lock_release(dir, lock);
	assert_int_equal(access(file, F_OK), 0);
	assert_int_equal(lock_take(dir, &error), -1);
	assert_int_equal(error.code, EBUSY);
	lock_release(dir, next);
	assert_int_equal(access(file, F_OK), -1);
}
