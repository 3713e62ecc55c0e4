// SPDX-License-Identifier: GPL-2.0-or-later
/* What the door for files that others own lets in, and what not. */
#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>

#include "tests/unit/test.h"

#include "libop/base/file.h"
#include "libop/foreign/door.h"
#include "libop/foreign/limits.h"

static char *dir;

TEST_HOOK(enter)
{
	dir = test_enter("libop-door");
	return !dir;
}

TEST_HOOK(leave)
{
	return test_leave(dir);
}

TEST_PROGRAM(enter, leave)

static void make(const char *name, const char *text)
{
	assert_int_equal(op_file_replace(name, text, strlen(text), 0600, NULL), 0);
}

/* Return: 0 if the file can be opened and has @text, else errno. */
static int open_it(const char *path, enum foreign_links links, const char *text)
{
	int fd = foreign_open(path, FOREIGN_OBJECT, links);
	char found[64] = "";

	if (fd < 0)
		return errno;
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(read(fd, found, sizeof(found) - 1), strlen(text));
	assert_string_equal(found, text);
	close(fd);
	return 0;
}

TEST(regular_files_are_opened)
{
	make("plain", "plain");
	assert_int_equal(open_it("plain", FOREIGN_NONE, "plain"), 0);
	assert_int_equal(open_it("missing", FOREIGN_FOLLOW, ""), ENOENT);
}

TEST(what_is_no_regular_file_is_refused_without_opening_it)
{
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(symlink("fifo", "to_fifo"), 0);
	assert_int_equal(open_it("fifo", FOREIGN_FOLLOW, ""), EINVAL);
	assert_int_equal(open_it("to_fifo", FOREIGN_FOLLOW, ""), EINVAL);
	assert_int_equal(open_it(".", FOREIGN_FOLLOW, ""), EINVAL);
	/* opening a terminal that is not there fails otherwise */
	assert_int_equal(open_it("/dev/tty", FOREIGN_FOLLOW, ""), EINVAL);
	assert_int_equal(open_it("/dev/null", FOREIGN_FOLLOW, ""), EINVAL);
	assert_string_equal(foreign_reason(EINVAL), "not a regular file");
}

TEST(links_are_followed_only_where_they_may_be)
{
	make("target", "target");
	assert_int_equal(mkdir("deep", 0700), 0);
	make("deep/file", "deep");
	assert_int_equal(symlink("target", "link"), 0);
	assert_int_equal(symlink("deep", "to_deep"), 0);
	assert_int_equal(open_it("link", FOREIGN_FOLLOW, "target"), 0);
	assert_int_equal(open_it("link", FOREIGN_NOT_LAST, ""), ELOOP);
	assert_int_equal(open_it("link", FOREIGN_NONE, ""), ELOOP);
	assert_int_equal(open_it("to_deep/file", FOREIGN_NOT_LAST, "deep"), 0);
	assert_int_equal(open_it("to_deep/file", FOREIGN_NONE, ""), ELOOP);
}

TEST(paths_are_found_as_the_kernel_finds_them)
{
	char name[NAME_MAX + 2];

	make("here", "here");
	assert_int_equal(mkdir("way", 0700), 0);
	make("way/end", "end");
	assert_int_equal(symlink("turn", "round"), 0);
	assert_int_equal(symlink("round", "turn"), 0);
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(symlink("way/", "to_way"), 0);
	assert_int_equal(open_it("./way//end", FOREIGN_NONE, "end"), 0);
	assert_int_equal(open_it("way/../here", FOREIGN_NONE, "here"), 0);
	assert_int_equal(open_it("to_way/../here", FOREIGN_FOLLOW, "here"), 0);
	assert_int_equal(open_it("to_way/end", FOREIGN_FOLLOW, "end"), 0);
	assert_int_equal(open_it("/proc/mounts", FOREIGN_NONE, ""), ELOOP);
	assert_int_equal(open_it("here/", FOREIGN_FOLLOW, ""), ENOTDIR);
	assert_int_equal(open_it("here/end", FOREIGN_FOLLOW, ""), ENOTDIR);
	assert_int_equal(open_it("here/..", FOREIGN_FOLLOW, ""), ENOTDIR);
	assert_int_equal(open_it("dangling", FOREIGN_FOLLOW, ""), ENOENT);
	assert_int_equal(open_it("", FOREIGN_FOLLOW, ""), ENOENT);
	assert_int_equal(open_it("round", FOREIGN_FOLLOW, ""), ELOOP);
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(open_it(name, FOREIGN_FOLLOW, ""), ENAMETOOLONG);
}

TEST(links_that_are_open_files_are_not_followed)
{
	char *path;
	int fd;

	make("open", "open");
	fd = open("open", O_RDONLY);
	assert_true(fd >= 0);
	path = op_path("/proc/self/fd/%d", fd);
	assert_int_equal(symlink(path, "magic"), 0);
	assert_int_equal(open_it("magic", FOREIGN_FOLLOW, ""), ELOOP);
	assert_int_equal(symlink("/proc/self/cwd/open", "through"), 0);
	assert_int_equal(open_it("through", FOREIGN_FOLLOW, ""), ELOOP);
	/* but a path may begin with one */
	assert_int_equal(open_it(path, FOREIGN_NONE, "open"), 0);
	free(path);
	close(fd);
}

TEST(a_path_below_an_open_directory_is_found_there)
{
	int fd;
	char *path;

	assert_int_equal(mkdir("pinned", 0700), 0);
	make("pinned/file", "pinned");
	fd = open("pinned", O_PATH);
	path = op_path("/proc/self/fd/%d/file", fd);
	assert_int_equal(rename("pinned", "moved"), 0);
	assert_int_equal(open_it(path, FOREIGN_NONE, "pinned"), 0);
	free(path);
	close(fd);
}

static bool may_change_root(void)
{
	return !geteuid();
}

/* Each size is refused only above the limit. */
TEST(files_of_holes_are_refused)
{
	int fd = open("sparse", O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, FOREIGN_RATIO_FREE), 0);
	close(foreign_open("sparse", FOREIGN_OBJECT, FOREIGN_NONE));
	assert_int_equal(ftruncate(fd, FOREIGN_RATIO_FREE + 1), 0);
	assert_int_equal(open_it("sparse", FOREIGN_NONE, ""), EFBIG);
	assert_int_equal(foreign_open("sparse", FOREIGN_JIT_MAP, FOREIGN_NONE), -1);
	close(fd);
}

TEST(the_ratio_ends_at_the_most)
{
	assert_int_equal(foreign_expansion(0, FOREIGN_DEBUG_MOST), FOREIGN_RATIO_FREE);
	assert_int_equal(foreign_expansion(1, FOREIGN_DEBUG_MOST),
			 FOREIGN_RATIO_FREE + FOREIGN_RATIO_MOST);
	assert_int_equal(foreign_expansion(FOREIGN_DEBUG_MOST, FOREIGN_DEBUG_MOST),
			 FOREIGN_DEBUG_MOST);
	assert_int_equal(foreign_expansion(UINT64_MAX, FOREIGN_DEBUG_MOST), FOREIGN_DEBUG_MOST);
}

TEST(small_files_are_read_whole)
{
	struct op_error error;
	size_t length;
	char *text;

	make("small", "a text");
	text = foreign_read("small", 6, &length, &error);
	assert_string_equal(text, "a text");
	assert_int_equal(length, 6);
	free(text);
	assert_null(foreign_read("small", 5, NULL, &error));
	assert_int_equal(error.code, EFBIG);
	assert_int_equal(mkfifo("waits", 0600), 0);
	assert_null(foreign_read("waits", 5, NULL, &error));
	assert_string_equal(error.text, "cannot open waits: not a regular file");
}

TEST_NEEDS(may_change_root, "only root may change its root directory")

/* A process whose root directory is @root, until it is killed. */
static pid_t process_in(const char *root)
{
	int ready[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (chroot(root) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return child;
}

TEST(links_below_a_root_stay_there)
{
	pid_t child;
	char *path;

	make("outside", "outside");
	assert_int_equal(mkdir("jail", 0700), 0);
	make("jail/outside", "inside");
	assert_int_equal(symlink("/outside", "jail/absolute"), 0);
	assert_int_equal(symlink("../../../../../../outside", "jail/above"), 0);
	child = process_in("jail");
	path = op_path("/proc/%ld/root/absolute", (long)child);
	assert_int_equal(open_it(path, FOREIGN_FOLLOW, "inside"), 0);
	free(path);
	path = op_path("/proc/%ld/root/above", (long)child);
	assert_int_equal(open_it(path, FOREIGN_FOLLOW, "inside"), 0);
	free(path);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static bool has_openat2(void)
{
	return syscall(SYS_openat2, -1, "", NULL, 0) != -1 || errno != ENOSYS;
}

/* fs.protected_symlinks, which the kernel may be told not to heed; the walk always does. */
TEST(links_of_others_in_shared_directories_are_not_followed)
{
	char *value = op_file_read("/proc/sys/fs/protected_symlinks", 16, NULL, NULL);
	bool is_protected = value && *value == '1';

	free(value);
	if (!is_protected && has_openat2())
		skip();
	make("wanted", "wanted");
	assert_int_equal(mkdir("shared", 0700), 0);
	assert_int_equal(chmod("shared", 01777), 0);
	assert_int_equal(symlink("../wanted", "shared/own"), 0);
	assert_int_equal(symlink("../wanted", "shared/of_other"), 0);
	assert_int_equal(lchown("shared/of_other", 54321, 54321), 0);
	assert_int_equal(open_it("shared/own", FOREIGN_FOLLOW, "wanted"), 0);
	assert_int_equal(open_it("shared/of_other", FOREIGN_FOLLOW, ""), EACCES);
}

TEST(a_file_for_another_user_is_one_that_this_user_may_read)
{
	const uid_t user = 54321;
	struct stat before, status;
	int fd;

	assert_int_equal(chmod(dir, 0711), 0);
	make("public", "public");
	make("private", "private");
	make("theirs", "theirs");
	assert_int_equal(chmod("public", 0644), 0);
	assert_int_equal(chmod("private", 0640), 0);
	assert_int_equal(chown("theirs", user, 0), 0);
	assert_int_equal(stat("private", &before), 0);

	fd = foreign_open_for(user, "public", FOREIGN_ANY, FOREIGN_FOLLOW);
	assert_true(fd >= 0);
	close(fd);
	fd = foreign_open_for(user, "theirs", FOREIGN_ANY, FOREIGN_FOLLOW);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(foreign_open_for(user, "private", FOREIGN_ANY, FOREIGN_FOLLOW), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(foreign_open_for(user, "missing", FOREIGN_ANY, FOREIGN_FOLLOW), -1);
	assert_int_equal(errno, ENOENT);
	/* and root is root again */
	assert_int_equal(open_it("private", FOREIGN_FOLLOW, "private"), 0);
	assert_int_equal(op_file_replace("made", "", 0, 0600, NULL), 0);
	assert_int_equal(stat("made", &status), 0);
	assert_int_equal(status.st_uid, before.st_uid);
	assert_int_equal(status.st_gid, before.st_gid);
}
