// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names are exchanged between check and use, by a thread, all the time: what the door and
 * sessions open is what they have checked.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/unit/test.h"

#include "libop/base/file.h"
#include "libop/foreign/door.h"
#include "libop/session/trusted_dir.h"

#define TRIES	     100000
#define SEEN_LEAST   50 /* of each outcome, or it was no race */
#define SECONDS_MOST 30

#define NOBODY 65534

static char *dir;

TEST_HOOK(enter)
{
	dir = test_enter("hostile-race");
	return !dir || chmod(dir, 0711);
}

TEST_HOOK(leave)
{
	return test_leave(dir);
}

TEST_PROGRAM(enter, leave)

/* ---- the other user ---- */

#define BAITS_MOST 8

static struct {
	const char *bait[BAITS_MOST]; /* exchanged with @name in turn */
	size_t count;
	const char *name;
	atomic_bool stop;
	pthread_t thread;
} other;

/* Each bait twice, so that all have their own names before the next one. */
static void *exchange(void *unused)
{
	for (size_t turn = 0; !atomic_load(&other.stop); turn++) {
		if (renameat2(AT_FDCWD, other.bait[turn / 2 % other.count], AT_FDCWD, other.name,
			      RENAME_EXCHANGE))
			return &other;
	}
	return unused;
}

static void begin_exchanging(const char *name)
{
	other.name = name;
	atomic_store(&other.stop, false);
	assert_int_equal(pthread_create(&other.thread, NULL, exchange, NULL), 0);
}

static void end_exchanging(void)
{
	void *failed;

	atomic_store(&other.stop, true);
	assert_int_equal(pthread_join(other.thread, &failed), 0);
	assert_null(failed);
	other.count = 0;
}

static void add_bait(const char *name)
{
	assert_true(other.count < BAITS_MOST);
	other.bait[other.count++] = name;
}

/* ---- those who look ---- */

struct outcome {
	unsigned long opened, refused;
};

/* Opens the name until there were TRIES, and enough of both outcomes. */
static struct outcome race(const char *name, const struct stat *allowed, int (*open_it)(void))
{
	struct outcome outcome = {0};
	time_t end = time(NULL) + SECONDS_MOST;
	struct stat status;

	begin_exchanging(name);
	while ((outcome.opened + outcome.refused < TRIES || outcome.opened < SEEN_LEAST ||
		outcome.refused < SEEN_LEAST) &&
	       time(NULL) < end) {
		int fd = open_it();

		if (fd < 0) {
			outcome.refused++;
			continue;
		}
		outcome.opened++;
		assert_int_equal(fstat(fd, &status), 0);
		close(fd);
		if (status.st_ino != allowed->st_ino || status.st_dev != allowed->st_dev)
			fail_msg("after %lu tries, another file was opened: mode %o",
				 outcome.opened + outcome.refused, status.st_mode);
	}
	end_exchanging();
	print_message("           %lu opened, %lu refused\n", outcome.opened, outcome.refused);
	assert_true(outcome.opened >= SEEN_LEAST && outcome.refused >= SEEN_LEAST);
	assert_true(outcome.opened + outcome.refused >= TRIES);
	return outcome;
}

static void make_file(const char *name, mode_t mode)
{
	assert_int_equal(op_file_replace(name, "text", 4, mode, NULL), 0);
	assert_int_equal(chmod(name, mode), 0);
}

static int open_by_door(void)
{
	return foreign_open("file", FOREIGN_OBJECT, FOREIGN_NOT_LAST);
}

TEST(the_door_opens_no_link_fifo_device_or_sparse_file_that_is_exchanged_for_a_file)
{
	struct stat allowed;
	int fd;

	make_file("file", 0644);
	assert_int_equal(stat("file", &allowed), 0);
	make_file("secret", 0600);
	assert_int_equal(symlink("secret", "link"), 0);
	assert_int_equal(mkfifo("fifo", 0666), 0);
	assert_int_equal(mkdir("folder", 0755), 0);
	fd = open("sparse", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(ftruncate(fd, (off_t)40 << 30), 0);
	close(fd);
	add_bait("link");
	add_bait("fifo");
	add_bait("folder");
	add_bait("sparse");
	if (!geteuid() && !mknod("device", S_IFCHR | 0666, makedev(1, 3)))
		add_bait("device");
	race("file", &allowed, open_by_door);
}

static bool is_root(void)
{
	return !geteuid();
}

static char *way_out; /* from a directory that is moved out of the root of another process */

static int open_below_root(void)
{
	return foreign_open(way_out, FOREIGN_OBJECT, FOREIGN_FOLLOW);
}

TEST(no_way_leads_out_of_a_root_while_directories_are_moved_out_of_it)
{
	struct stat allowed;
	pid_t child;

	if (!is_root())
		skip();
	assert_int_equal(mkdir("jail", 0755), 0);
	assert_int_equal(mkdir("jail/room", 0755), 0);
	assert_int_equal(mkdir("outer", 0755), 0);
	assert_int_equal(mkdir("outer/room", 0755), 0);
	make_file("jail/wanted", 0644);
	make_file("outer/wanted", 0600);
	make_file("outer/no_room", 0600);
	assert_int_equal(stat("jail/wanted", &allowed), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (!prctl(PR_SET_PDEATHSIG, SIGKILL) && !chroot("jail"))
			for (;;)
				pause();
		_exit(1);
	}
	way_out = op_path("/proc/%ld/root/room/../wanted", (long)child);
	for (int i = 0; i < 1000 && foreign_open(way_out, FOREIGN_OBJECT, FOREIGN_FOLLOW) < 0; i++)
		usleep(10000);
	add_bait("outer/room");
	add_bait("outer/no_room");
	race("jail/room", &allowed, open_below_root);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	free(way_out);
}

static int open_for_nobody(void)
{
	return foreign_open_for(NOBODY, "public", FOREIGN_ANY, FOREIGN_FOLLOW);
}

TEST(what_a_user_may_not_read_is_not_opened_for_that_user_whatever_is_exchanged)
{
	struct stat allowed;

	make_file("public", 0644);
	assert_int_equal(stat("public", &allowed), 0);
	make_file("private", 0600);
	assert_int_equal(symlink("private", "to_private"), 0);
	add_bait("private");
	add_bait("to_private");
	race("public", &allowed, open_for_nobody);
}

static int open_session(void)
{
	return trusted_dir_open("session", TRUSTED_DIR_FIND, &(struct op_error){0});
}

TEST(a_session_is_opened_only_where_it_is_trusted_while_names_are_exchanged)
{
	struct stat allowed;

	assert_int_equal(mkdir("session", 0750), 0);
	assert_int_equal(stat("session", &allowed), 0);
	assert_int_equal(mkdir("victim", 0750), 0);
	assert_int_equal(mkdir("writable", 0750), 0);
	assert_int_equal(chmod("writable", 0777), 0);
	add_bait("writable");
	if (!geteuid()) {
		assert_int_equal(symlink("victim", "link_of_other"), 0);
		assert_int_equal(lchown("link_of_other", NOBODY, NOBODY), 0);
		add_bait("link_of_other");
		assert_int_equal(mkdir("of_other", 0755), 0);
		assert_int_equal(chown("of_other", NOBODY, NOBODY), 0);
		add_bait("of_other");
	}
	race("session", &allowed, open_session);
}
