// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions that are written: what is checked is what is written, whatever another user renames.
 *
 *	theirs/				of user 65534, who exchanges the first two all the time
 *		session/		of root
 *		trap -> victim
 *	victim/samples/current/		of root: nothing may appear or change here
 */
#include <signal.h>

#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/pinned_path.h"
#include "libop/base/remove_tree.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"

#define OTHER 65534
#define TRIES 4000

static char top[64];

static int make_top(void **state)
{
	(void)state;
	strcpy(top, "/tmp/op-tree-XXXXXX");
	return mkdtemp(top) && !chdir(top) ? 0 : -1;
}

static int remove_top(void **state)
{
	(void)state;
	return chdir("/") || op_tree_remove(AT_FDCWD, top, NULL);
}

static void expect_refusal(const char *session, const char *text)
{
	struct op_error error;
	char *path = op_session_open(session, &error);

	assert_null(path);
	assert_int_equal(error.code, EPERM);
	assert_non_null(strstr(error.text, text));
}

TEST_WITH(a_missing_session_is_made, make_top, remove_top)
{
	struct op_error error;
	char *path = op_session_open("a/b", &error);
	struct stat status;

	assert_non_null(path);
	assert_int_equal(stat("a/b/" OP_SESSION_CURRENT, &status), 0);
	assert_int_equal(status.st_mode & 07, 0);
	op_pinned_close(path);
}

TEST_WITH(each_component_must_be_a_directory_that_others_cannot_change, make_top, remove_top)
{
	static const char *const components[] = {"s", "s/samples", "s/samples/current",
						 "s/samples/current/stats"};

	assert_int_equal(op_session_make("s", NULL), 0);
	assert_int_equal(mkdir("s/samples/current/stats", 0750), 0);
	for (size_t i = 0; i < OP_ARRAY_SIZE(components); i++) {
		const char *path = components[i];

		assert_int_equal(chmod(path, 0770), 0);
		expect_refusal("s", "is writable by others (mode 0770)");
		assert_int_equal(chmod(path, 01777), 0);
		expect_refusal("s", path);
		assert_int_equal(chmod(path, 02750), 0);
		if (!geteuid()) {
			assert_int_equal(chown(path, OTHER, (gid_t)-1), 0);
			expect_refusal("s", "belongs to user 65534");
			assert_int_equal(chown(path, 0, (gid_t)-1), 0);
		}
		assert_int_equal(op_session_make("s", NULL), 0);
		if (!i)
			continue; /* the user's own link to a session is followed */
		assert_int_equal(rename(path, "moved"), 0);
		assert_int_equal(symlink("/nowhere", path), 0);
		expect_refusal("s", "is a symbolic link");
		assert_int_equal(unlink(path), 0);
		assert_int_equal(rename("moved", path), 0);
	}
}

TEST_WITH(links_to_a_session_are_followed_if_they_are_ours, make_top, remove_top)
{
	assert_int_equal(op_session_make("s", NULL), 0);
	assert_int_equal(symlink("s/", "one") || symlink("one", "two"), 0);
	assert_int_equal(op_session_make("two", NULL), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_not_equal(op_session_make("loop", NULL), 0);
	if (geteuid())
		return;
	assert_int_equal(lchown("one", OTHER, OTHER), 0);
	/* as that user, who may not look in here, and who would find nothing of its own */
	assert_int_not_equal(op_session_make("one", NULL), 0);
	assert_int_equal(chmod(".", 0755), 0);
	expect_refusal("one", "one is reached through a directory or link of user 65534");
	expect_refusal("two", "is reached through a directory or link of user 65534");
}

TEST_WITH(errors_show_the_name_of_a_session, make_top, remove_top)
{
	struct op_error error;
	char *path = op_session_open("s", &error);

	assert_non_null(path);
	op_error_set(&error, 0, "%s/lock, %s", path, path);
	assert_string_equal(error.text, "s/lock, s");
	op_error_set(&error, 0, "%s0/lock", path);
	assert_null(strstr(error.text, "s0"));
	op_pinned_close(path);
}

static pid_t exchange_all_the_time(void)
{
	pid_t child = fork();

	if (child)
		return child;
	if (setresgid(OTHER, OTHER, OTHER) || setresuid(OTHER, OTHER, OTHER))
		_exit(1);
	while (!renameat2(AT_FDCWD, "theirs/session", AT_FDCWD, "theirs/trap", RENAME_EXCHANGE))
		usleep((useconds_t)(rand() % 20));
	_exit(1);
}

/* The files that so many tries have left in a directory. */
static int count_files(const char *dir, int tries)
{
	int count = 0;

	for (int i = 0; i < tries; i++) {
		char *path = op_path("%s/%d", dir, i);

		count += !access(path, F_OK);
		free(path);
	}
	return count;
}

TEST_WITH(nothing_is_written_behind_a_link_that_is_exchanged, make_top, remove_top)
{
	int opened = 0, refused = 0, tries, written, strayed;
	struct op_error error;
	char target[16];
	pid_t child;

	if (geteuid())
		skip();
	assert_int_equal(chmod(top, 0711) || mkdir("theirs", 0755), 0);
	assert_int_equal(op_session_make("victim", NULL), 0);
	assert_int_equal(op_session_make("theirs/session", NULL), 0);
	assert_int_equal(symlink("../victim", "theirs/trap"), 0);
	assert_int_equal(lchown("theirs/trap", OTHER, OTHER) || chown("theirs", OTHER, OTHER), 0);
	child = exchange_all_the_time();
	/* until both were met, however rarely the other process gets a CPU */
	for (tries = 0; tries < TRIES || !opened || !refused; tries++) {
		char *path = op_session_open("theirs/session", &error);
		char *file;

		if (!path) {
			/* ENOTDIR: it was a link when it was opened, and none when asked */
			assert_true(error.code == EPERM || error.code == ENOTDIR);
			refused++;
			continue;
		}
		opened++;
		file = op_path("%s/" OP_SESSION_CURRENT "/%d", path, tries);
		assert_int_equal(op_file_replace(file, "x", 1, 0640, &error), 0);
		free(file);
		op_pinned_close(path);
	}
	assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	strayed = count_files("victim/" OP_SESSION_CURRENT, tries);
	written = count_files(readlink("theirs/trap", target, sizeof(target)) > 0
				      ? "theirs/session/" OP_SESSION_CURRENT
				      : "theirs/trap/" OP_SESSION_CURRENT,
			      tries);
	printf("%d times opened, %d times refused\n", opened, refused);
	assert_int_equal(strayed, 0);
	assert_int_equal(written, opened);
}
