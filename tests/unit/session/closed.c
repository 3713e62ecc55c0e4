// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples that are kept under a name, and what stays if that fails. */
#include "tests/unit/test.h"

#include <sys/stat.h>

#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "libop/closed/samples.h"

static char dir[] = "/tmp/closed-XXXXXX";
static bool is_full; /* no directory can be made */

int __real_mkdirat(int parent, const char *name, mode_t mode);
int __wrap_mkdirat(int parent, const char *name, mode_t mode);
int __wrap_mkdirat(int parent, const char *name, mode_t mode)
{
	if (!is_full)
		return __real_mkdirat(parent, name, mode);
	errno = ENOSPC;
	return -1;
}

TEST_HOOK(enter)
{
	if (!mkdtemp(dir) || chdir(dir) || mkdir("samples", 0750) || mkdir("samples/current", 0750))
		return -1;
	return mkdir("samples/current/file", 0750);
}

TEST_HOOK(leave)
{
	return chdir("/") || op_tree_remove(AT_FDCWD, dir, NULL);
}

TEST_PROGRAM(enter, leave)

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

TEST(samples_stay_where_they_are_if_there_is_no_room_for_new_ones)
{
	struct op_error error;
	bool saved = true;

	is_full = true;
	assert_int_equal(samples_save(dir, "full", &saved, &error), -1);
	assert_int_equal(error.code, ENOSPC);
	assert_false(saved);
	assert_true(is_there("samples/current/file"));
	assert_false(is_there("samples/full"));
	is_full = false;
	assert_int_equal(samples_save(dir, "later", &saved, &error), 0);
	assert_true(saved);
	assert_true(is_there("samples/later/file"));
	assert_true(is_there("samples/current"));
	assert_false(is_there("samples/current/file"));
}
