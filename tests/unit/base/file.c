// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Small files, directories, lists of strings, and which session is meant.
 */
#include <grp.h>

#include "tests/unit/test.h"

#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"
#include "libop/base/strings.h"

static char *dir;

TEST_HOOK(enter)
{
	dir = test_enter("libop-file");
	return !dir;
}

TEST_HOOK(leave)
{
	return test_leave(dir);
}

TEST(files_are_read_and_replaced)
{
	struct op_error error;
	struct stat status;
	size_t length;
	char *text;

	assert_null(op_file_read("missing", 10, NULL, &error));
	assert_int_equal(error.code, ENOENT);
	assert_string_equal(error.text, "cannot open missing: No such file or directory");
	assert_int_equal(op_file_replace("a", "one\0two", 7, 0640, &error), 0);
	text = op_file_read("a", 7, &length, &error);
	assert_int_equal(length, 7);
	assert_memory_equal(text, "one\0two", 8);
	free(text);
	assert_null(op_file_read("a", 6, NULL, &error));
	assert_int_equal(error.code, EFBIG);
	assert_return_code(stat("a", &status), errno);
	assert_int_equal(status.st_mode & 0777, 0640);
	assert_int_equal(op_file_replace("a", "", 0, 0640, &error), 0);
	text = op_file_read("a", 0, &length, &error);
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(op_file_replace("no/a", "", 0, 0640, &error), -1);
	assert_int_equal(error.code, ENOENT);
	assert_int_equal(access("a.new", F_OK), -1);
}

/* Also a file of /proc, which does not tell its size. */
TEST(large_files_are_read_whole)
{
	size_t length = 100001, read_length;
	char *bytes = malloc(length), *text;
	struct op_error error;

	memset(bytes, 'x', length);
	assert_int_equal(op_file_replace("large", bytes, length, 0600, &error), 0);
	text = op_file_read("large", length, &read_length, &error);
	assert_int_equal(read_length, length);
	assert_memory_equal(text, bytes, length);
	free(text);
	text = op_file_read("/proc/self/status", 1 << 20, NULL, &error);
	assert_memory_equal(text, "Name:", 5);
	free(text);
	free(bytes);
}

TEST(writing_does_not_make_files)
{
	struct op_error error;
	char *text;

	assert_int_equal(op_file_write("missing", "1", &error), -1);
	assert_int_equal(error.code, ENOENT);
	assert_int_equal(op_file_replace("b", "0\n", 2, 0600, &error), 0);
	assert_int_equal(op_file_write("b", "1", &error), 0);
	text = op_file_read("b", 10, NULL, &error);
	assert_string_equal(text, "1\n");
	free(text);
	assert_int_equal(op_file_write("/dev/full", "1", &error), -1);
	assert_int_equal(error.code, ENOSPC);
}

TEST(directories_on_the_way_are_made)
{
	struct op_error error;
	struct stat status;

	assert_int_equal(op_mkdir_parents("x/y//z/file", 0700, &error), 0);
	assert_return_code(stat("x/y/z", &status), errno);
	assert_true(S_ISDIR(status.st_mode));
	assert_int_equal(access("x/y/z/file", F_OK), -1);
	assert_int_equal(op_mkdir_parents("x/y/z/", 0700, &error), 0);
	assert_int_equal(op_file_replace("plain", "", 0, 0600, &error), 0);
	assert_int_equal(op_mkdir_parents("plain/below/file", 0700, &error), -1);
	assert_int_equal(error.code, ENOTDIR);
}

static int collect(const char *path, const struct stat *status, void *context)
{
	struct op_strings *seen = context;

	assert_false(S_ISDIR(status->st_mode));
	assert_int_equal(op_strings_add(seen, path), 0);
	return seen->count == 4 ? 99 : 0;
}

TEST(walks_visit_files_in_order)
{
	static const char *const paths[] = {"w/b", "w/a/2", "w/a/1", "w/c/d/e"};
	static const char *const order[] = {"w/a/1", "w/a/2", "w/b", "w/c/d/e"};
	struct op_strings seen = {0};
	struct op_error error;

	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(op_mkdir_parents(paths[i], 0700, &error), 0);
		assert_int_equal(op_file_replace(paths[i], "", 0, 0600, &error), 0);
	}
	assert_return_code(symlink("..", "w/zz"), errno); /* is not followed */
	assert_int_equal(op_walk("w", collect, &seen, &error), 99);
	assert_int_equal(seen.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(seen.item[i], order[i]);
	op_strings_free(&seen);
	assert_int_equal(op_walk("missing", collect, &seen, &error), -1);
	assert_int_equal(error.code, ENOENT);
}

TEST(lists_of_strings)
{
	struct op_strings list = {0};

	assert_int_equal(op_strings_split(&list, "a,,b", ','), 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.item[1], "");
	assert_string_equal(list.item[2], "b");
	assert_int_equal(op_strings_add(&list, "c,d"), 0);
	assert_true(op_strings_contain(&list, "c,d"));
	assert_false(op_strings_contain(&list, "c"));
	op_strings_free(&list);
	assert_int_equal(list.count, 0);
	assert_int_equal(op_strings_split(&list, "", ','), 0);
	assert_int_equal(list.count, 1);
	op_strings_free(&list);
}

static void expect_session(const char *option, const char *want)
{
	char *have = op_session_dir(option);
	char *path = *want == '/' ? strdup(want) : op_path("%s/%s", dir, want);

	assert_string_equal(have, path);
	free(path);
	free(have);
}

TEST(the_session_that_is_meant)
{
	expect_session(NULL, OP_SESSION_DEFAULT_DIR);
	expect_session("/x/y", "/x/y");
	expect_session("x", "x");
	assert_int_equal(op_file_replace("oprofile_data", "", 0, 0600, NULL), 0);
	expect_session(NULL, OP_SESSION_DEFAULT_DIR);
	assert_return_code(unlink("oprofile_data"), errno);
	assert_return_code(mkdir("oprofile_data", 0700), errno);
	expect_session(NULL, "oprofile_data");
	expect_session("x", "x");
}

TEST(sessions_are_made_once)
{
	static const char *const made[] = {"", "/samples", "/samples/current"};
	const struct group *group = getgrnam(OP_SESSION_GROUP);
	mode_t set_group = group && !geteuid() ? S_ISGID : 0;
	char *session = op_path("%s/deep/session", dir);
	struct op_error error;

	umask(022);
	assert_int_equal(op_session_make(session, &error), 0);
	for (size_t i = 0; i < 3; i++) {
		char *path = op_path("%s%s", session, made[i]);
		struct stat status;

		assert_return_code(stat(path, &status), errno);
		assert_int_equal(status.st_mode & 07777, OP_SESSION_DIR_MODE | set_group);
		if (set_group)
			assert_int_equal(status.st_gid, group->gr_gid);
		/* what is there stays as it is */
		assert_return_code(chmod(path, 0711), errno);
		assert_int_equal(op_session_make(session, &error), 0);
		assert_return_code(stat(path, &status), errno);
		assert_int_equal(status.st_mode & 07777, 0711);
		free(path);
	}
	free(session);
	assert_int_equal(op_file_replace("taken", "", 0, 0600, &error), 0);
	session = op_path("%s/taken", dir);
	assert_int_equal(op_session_make(session, &error), -1);
	assert_non_null(strstr(error.text, "cannot open session directory"));
	free(session);
}

TEST_PROGRAM(enter, leave)

TEST(only_directories_are_removed_as_trees)
{
	char top[] = "/tmp/op-tree-XXXXXX", path[64];
	struct op_error error;

	assert_non_null(mkdtemp(top));
	snprintf(path, sizeof(path), "%s/file", top);
	assert_int_equal(op_file_replace(path, "", 0, 0600, &error), 0);
	assert_int_equal(op_tree_remove(AT_FDCWD, path, &error), -1);
	snprintf(path, sizeof(path), "%s/link", top);
	assert_int_equal(symlink(".", path), 0);
	assert_int_equal(op_tree_remove(AT_FDCWD, path, &error), -1);
	assert_int_equal(faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(op_tree_remove(AT_FDCWD, top, &error), 0);
	assert_int_equal(op_tree_remove(AT_FDCWD, top, &error), -1);
}
