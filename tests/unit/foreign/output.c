// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that root writes where another user has links, FIFOs and directories:
 *
 *	mine/		of root, 0711, with "secret", 0600, and the directory "private", 0700
 *	theirs/		of user 65534
 *	shared/		of root, anybody may write to it, as to /tmp
 */
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "libop/foreign/output.h"

#define NOBODY 65534
#define SECRET "the secret of root\n"

static char top[64];
static bool has_users;

static void own(const char *path, uid_t user)
{
	assert_int_equal(lchown(path, user, user), 0);
}

static int make_top(void **state)
{
	(void)state;
	strcpy(top, "/tmp/op-output-XXXXXX");
	if (!mkdtemp(top) || chdir(top) || chmod(".", 0755))
		return -1;
	has_users = !geteuid() && !chown(".", NOBODY, NOBODY) && !chown(".", 0, 0);
	if (mkdir("mine", 0711) || mkdir("mine/private", 0700) || mkdir("theirs", 0755) ||
	    mkdir("shared", 0) || chmod("shared", 01777) ||
	    op_file_replace("mine/secret", SECRET, strlen(SECRET), 0600, NULL))
		return -1;
	return has_users ? chown("theirs", NOBODY, NOBODY) : 0;
}

static int remove_top(void **state)
{
	(void)state;
	return chdir("/") || op_tree_remove(AT_FDCWD, top, NULL);
}

static int create(const char *path, enum foreign_existing existing, struct op_error *error)
{
	return foreign_create(path, FOREIGN_PARENTS_MAKE, existing, 0644, error);
}

static void assert_refused(const char *path, enum foreign_existing existing)
{
	struct op_error error = {0};
	char *text;

	int fd = create(path, existing, &error);

	if (fd >= 0)
		fail_msg("%s was opened", path);
	assert_non_null(strstr(error.text, path));
	text = op_file_read("mine/secret", 4096, NULL, NULL);
	assert_string_equal(text, SECRET);
	free(text);
}

static void assert_written(const char *path, uid_t owner)
{
	struct stat status;
	int fd = create(path, FOREIGN_REPLACE, NULL);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "new", 3), 3);
	close(fd);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 3);
	if (has_users)
		assert_int_equal(status.st_uid, owner);
}

TEST_WITH(files_are_made_and_replaced, make_top, remove_top)
{
	char absolute[128];

	assert_written("file", geteuid());
	assert_written("file", geteuid());
	assert_written("mine/a/b/file", geteuid());
	snprintf(absolute, sizeof(absolute), "%s/./mine/../mine//file", top);
	assert_written(absolute, geteuid());
	assert_int_equal(create("file", FOREIGN_REFUSE, NULL), -1);
	assert_int_equal(create("file/", FOREIGN_REPLACE, NULL), -1);
	assert_int_equal(create("mine", FOREIGN_REPLACE, NULL), -1);
	assert_int_equal(create("mine/..", FOREIGN_REPLACE, NULL), -1);
	assert_int_equal(create("", FOREIGN_REPLACE, NULL), -1);
}

TEST_WITH(ways_that_others_can_exchange_are_not_own, make_top, remove_top)
{
	static const struct {
		const char *path;
		bool is_own;
	} ways[] = {
		{"mine", true},		{"mine/missing/deep", true},
		{"theirs", false},	{"theirs/mine", false},
		{"theirs/link", false}, {"link", true},
		{"theirs/none", false}, {"shared", true},
		{"shared/mine", true},	{"open", false},
		{"open/mine", false},	{"mine/secret", false},
	};

	if (!has_users)
		skip();
	assert_int_equal(mkdir("theirs/mine", 0700) || mkdir("shared/mine", 0700) ||
				 mkdir("open", 0700) || chmod("open", 0777) ||
				 mkdir("open/mine", 0700) || symlink("../mine", "theirs/link") ||
				 symlink("mine", "link"),
			 0);
	own("theirs/link", NOBODY);
	for (size_t i = 0; i < OP_ARRAY_SIZE(ways); i++)
		if (foreign_is_own_way(ways[i].path) != ways[i].is_own)
			fail_msg("%s", ways[i].path);
	setenv("TMPDIR", "/nowhere/at/all", 1);
	assert_string_equal(foreign_temporary_top(), "/nowhere/at/all");
	setenv("TMPDIR", "relative", 1);
	assert_string_equal(foreign_temporary_top(), "/tmp");
	unsetenv("TMPDIR");
}

TEST_WITH(links_of_ones_own_are_followed, make_top, remove_top)
{
	assert_int_equal(symlink("mine", "link") || symlink("link/a", "deep") ||
				 symlink("mine/file", "named") || symlink("loop", "loop"),
			 0);
	assert_written("link/file", geteuid());
	assert_written("deep/file", geteuid());
	assert_written("named", geteuid());
	assert_int_equal(access("mine/a/file", F_OK), 0);
	assert_int_equal(create("loop", FOREIGN_REPLACE, NULL), -1);
	/* but what must not be there is not made where a link leads */
	assert_int_equal(symlink("nothing", "dangling"), 0);
	assert_int_equal(create("dangling", FOREIGN_REFUSE, NULL), -1);
	assert_int_equal(access("nothing", F_OK), -1);
}

static void write_by_proc(void)
{
	int fd = open("file", O_WRONLY | O_CREAT, 0644), again;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = create(path, FOREIGN_REPLACE, NULL);
	assert_true(again >= 0);
	assert_int_equal(write(again, "new", 3), 3);
	close(again);
	close(fd);
	assert_int_equal(mkdir("dir", 0755), 0);
	fd = open("dir", O_RDONLY | O_DIRECTORY);
	snprintf(path, sizeof(path), "/proc/self/fd/%d/below", fd);
	assert_written(path, geteuid());
	snprintf(path, sizeof(path), "/proc/self/fd/%d/deep/below", fd);
	assert_written(path, geteuid());
	close(fd);
	fd = create("/dev/null", FOREIGN_REPLACE, NULL);
	assert_true(fd >= 0);
	close(fd);
}

TEST_WITH(open_files_are_written_by_their_path_in_proc, make_top, remove_top)
{
	int status;
	pid_t pid;

	write_by_proc();
	if (!has_users)
		return;
	pid = fork();
	if (!pid) {
		if (chdir("theirs") || setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		    setresuid(NOBODY, NOBODY, NOBODY))
			_exit(1);
		has_users = false;
		write_by_proc();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

TEST_WITH(what_is_made_among_others_files_is_theirs, make_top, remove_top)
{
	if (!has_users)
		skip();
	assert_written("theirs/file", NOBODY);
	assert_written("theirs/a/b/file", NOBODY);
	/* a link of theirs to what is theirs */
	assert_int_equal(symlink("a/b", "theirs/link"), 0);
	own("theirs/link", NOBODY);
	assert_written("theirs/link/other", NOBODY);
	/* root's own directory and file there stay root's */
	assert_int_equal(mkdir("theirs/ours", 0755), 0);
	assert_written("theirs/ours/file", 0);
	assert_int_equal(op_file_replace("theirs/report", "old", 3, 0644, NULL), 0);
	assert_written("theirs/report", 0);
}

TEST_WITH(others_links_lead_to_nothing_of_roots, make_top, remove_top)
{
	static const char *const links[][2] = {
		{"../mine/secret", "theirs/file"},  {"../mine", "theirs/dir"},
		{"../mine/private", "theirs/priv"}, {"../mine/new", "theirs/dangling"},
		{"../mine/secret", "shared/file"},  {"../mine", "shared/dir"},
		{"/proc/self/fd", "theirs/fds"},
	};

	if (!has_users)
		skip();
	for (size_t i = 0; i < OP_ARRAY_SIZE(links); i++) {
		assert_int_equal(symlink(links[i][0], links[i][1]), 0);
		own(links[i][1], NOBODY);
	}
	assert_refused("theirs/file", FOREIGN_REPLACE);
	assert_refused("theirs/dir/secret", FOREIGN_REPLACE);
	assert_refused("theirs/dir/a/new", FOREIGN_REPLACE);
	assert_refused("theirs/priv/new", FOREIGN_REPLACE);
	assert_refused("theirs/dangling", FOREIGN_REPLACE);
	assert_refused("theirs/file", FOREIGN_REFUSE);
	assert_refused("shared/file", FOREIGN_REPLACE);
	assert_refused("shared/dir/secret", FOREIGN_REPLACE);
	assert_refused("theirs/fds/1", FOREIGN_REPLACE);
	assert_int_equal(access("mine/new", F_OK), -1);
	assert_int_equal(access("mine/a", F_OK), -1);
}

TEST_WITH(others_files_are_not_taken_where_all_may_write, make_top, remove_top)
{
	if (!has_users)
		skip();
	assert_written("shared/file", 0);
	assert_written("shared/file", 0);
	own("shared/file", NOBODY);
	assert_refused("shared/file", FOREIGN_REPLACE);
	assert_int_equal(link("mine/secret", "shared/named"), 0);
	assert_refused("shared/named", FOREIGN_REPLACE);
}

TEST_WITH(others_fifos_and_hard_links_are_no_files, make_top, remove_top)
{
	int fd;

	if (!has_users)
		skip();
	assert_int_equal(mkfifo("theirs/fifo", 0666), 0);
	own("theirs/fifo", NOBODY);
	assert_refused("theirs/fifo", FOREIGN_REPLACE);
	fd = open("theirs/fifo", O_RDWR | O_NONBLOCK); /* nor with a reader */
	assert_refused("theirs/fifo", FOREIGN_REPLACE);
	close(fd);
	assert_int_equal(link("mine/secret", "theirs/secret"), 0);
	assert_refused("theirs/secret", FOREIGN_REPLACE);
}

TEST_WITH(a_fresh_file_takes_the_place, make_top, remove_top)
{
	static const char *const dirs[] = {"mine", "theirs", "shared"};

	for (size_t i = 0; i < OP_ARRAY_SIZE(dirs); i++) {
		char *path = op_path("%s/file", dirs[i]), *name;
		struct foreign_place place;
		struct stat status;
		int fd;

		assert_int_equal(foreign_place_find(&place, path, FOREIGN_PARENTS_FIND,
						    FOREIGN_REPLACE, NULL),
				 0);
		fd = foreign_place_fresh(&place, &name, NULL);
		assert_true(fd >= 0);
		close(fd);
		assert_int_equal(access(path, F_OK), -1);
		assert_int_equal(foreign_place_replace(&place, name, NULL), 0);
		assert_int_equal(stat(path, &status), 0);
		if (has_users)
			assert_int_equal(status.st_uid, i == 1 ? NOBODY : 0);
		foreign_place_remove(&place, place.name);
		assert_int_equal(access(path, F_OK), -1);
		foreign_place_leave(&place);
		free(name);
		free(path);
	}
}

TEST_WITH(directories_are_made, make_top, remove_top)
{
	struct stat status;
	int fd = foreign_make_directory("mine/new/", FOREIGN_PARENTS_FIND, 0755, NULL);

	assert_true(fd >= 0);
	close(fd);
	fd = foreign_make_directory("mine/new", FOREIGN_PARENTS_FIND, 0755, NULL);
	assert_true(fd >= 0);
	close(fd);
	fd = foreign_make_directory(".", FOREIGN_PARENTS_FIND, 0755, NULL);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(foreign_make_own_directory("mine/new", 0755, NULL), -1);
	if (!has_users)
		return;
	fd = foreign_make_own_directory("theirs/new", 0755, NULL);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_uid, 0);
	close(fd);
	assert_int_equal(symlink("../mine", "theirs/link"), 0);
	own("theirs/link", NOBODY);
	assert_int_equal(foreign_make_own_directory("theirs/link/x", 0755, NULL), -1);
	assert_int_equal(foreign_make_directory("theirs/link/x", FOREIGN_PARENTS_FIND, 0755, NULL),
			 -1);
	assert_int_equal(access("mine/x", F_OK), -1);
}

TEST_PROGRAM(NULL, NULL)
