// SPDX-License-Identifier: GPL-2.0-or-later
/* A daemon that hangs: what --shutdown does, with less patience. */
#include "tests/unit/test.h"

#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "libop/session/lock.h"
#include "utils/opcontrol/daemon.h"

static char top[] = "/tmp/opcontrol-XXXXXX";

TEST(a_daemon_that_hangs_is_killed_and_its_lock_ignored)
{
	struct settings settings;
	struct patience patience;
	struct op_error error;
	pid_t pid;
	int pidfd;

	assert_non_null(mkdtemp(top));
	assert_int_equal(chdir(top), 0);
	setenv("OPROFILE_FS_DIR", top, 1);
	setenv("FAKE_DIR", top, 1);
	setenv("FAKE_PIDS", "/dev/null", 1);
	setenv("FAKE_MODE", "deaf", 1);
	assert_int_equal(op_file_replace("buffer", "", 0, 0600, NULL), 0);
	assert_int_equal(mkdir("s", 0700), 0);
	assert_int_equal(settings_init(&settings, &error), 0);
	assert_int_equal(settings_set(&settings, "SESSION_DIR", op_path("%s/s", top), &error), 0);

	assert_int_equal(daemon_start(&settings, NULL, NULL, &error), 0);
	assert_int_equal(lock_find_daemon("s", &pid, &pidfd, &error), 0);
	assert_true(pid);
	patience_begin(&patience, pid, 1, 60);
	assert_int_equal(daemon_dump("s", &patience, &error), -1);
	assert_int_equal(error.code, ETIMEDOUT);
	assert_int_equal(daemon_end(pidfd, &patience, &error), 1);
	close(pidfd);
	assert_int_equal(access("s/lock", F_OK), 0);
	assert_int_equal(lock_find_daemon("s", &pid, NULL, &error), 0);
	assert_int_equal(pid, 0);

	settings_free(&settings);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(op_tree_remove(AT_FDCWD, top, &error), 0);
}

TEST_ARGUMENTS(1, "FAKE_DAEMON")
{
	setenv(DAEMON_ENVIRONMENT, realpath(argv[1], NULL), 1);
}
