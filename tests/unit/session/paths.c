// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which of two session directories has the newer session.
 */
#include "libop/session/paths.h"

#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "tests/unit/test.h"

static char dir[64], first[96], second[96];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/op-paths-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(first, sizeof(first), "%s/first", dir);
	snprintf(second, sizeof(second), "%s/second", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	return op_tree_remove(AT_FDCWD, dir, NULL);
}

/* Makes an account in @session that was written at @when. */
static void write_account(const char *session, time_t when)
{
	const struct timespec times[] = {{.tv_sec = when}, {.tv_sec = when}};
	char *path = op_path("%s/" OP_SESSION_CURRENT "/" OP_SAMPLES_ACCOUNT, session);

	assert_int_equal(op_mkdir_parents(path, 0755, NULL), 0);
	assert_int_equal(op_file_replace(path, "", 0, 0644, NULL), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	free(path);
}

TEST_WITH(session_is_newer_by_its_account, make_dir, remove_dir)
{
	assert_false(op_session_is_newer(first, second));
	write_account(first, 1000);
	assert_false(op_session_is_newer(first, second)); /* which has none */
	assert_false(op_session_is_newer(second, first));
	write_account(second, 1000);
	assert_false(op_session_is_newer(first, second));
	write_account(second, 999);
	assert_true(op_session_is_newer(first, second));
	assert_false(op_session_is_newer(second, first));
}
