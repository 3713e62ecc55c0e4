// SPDX-License-Identifier: GPL-2.0-or-later
/* The lock of a session. */
#include "tests/unit/test.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "libop/base/file.h"
#include "libop/session/lock.h"
#include "libop/session/paths.h"

#define OTHER 65534 /* another user */

static char *dir, *file, *samples, *current, *saved;

TEST_HOOK(enter)
{
	const char *base = getenv("TMPDIR");

	dir = op_path("%s/libop-lock-XXXXXX", base ? base : "/tmp");
	if (!dir || !mkdtemp(dir))
		return 1;
	file = op_path("%s/" OP_SESSION_LOCK, dir);
	samples = op_path("%s/" OP_SESSION_SAMPLES, dir);
	current = op_path("%s/" OP_SESSION_CURRENT, dir);
	saved = op_path("%s/saved", samples);
	return !file || mkdir(samples, 0700) || mkdir(current, 0700) || mkdir(saved, 0700);
}

TEST_HOOK(leave)
{
	int result;

	unlink(file);
	rmdir(current);
	rmdir(saved);
	rmdir(samples);
	result = rmdir(dir);
	free(current);
	free(saved);
	free(samples);
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

static int take(void)
{
	struct op_error error;
	int lock = lock_take(dir, &error);

	if (lock < 0)
		fail_msg("%s", error.text);
	return lock;
}

TEST(only_current_samples_of_a_living_daemon_are_in_use)
{
	int lock;

	assert_false(lock_is_in_use(current));
	lock = take();
	assert_true(lock_is_in_use(current));
	assert_false(lock_is_in_use(saved));
	lock_release(dir, lock);
	assert_false(lock_is_in_use(current));
}

TEST(the_lock_of_a_killed_daemon_is_not_in_use)
{
	int lock = take();

	close(lock); /* its pid is that of a living process */
	assert_false(lock_is_in_use(current));
}

/* Return: the pid of a process that has ended. */
static pid_t ended(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* Who may read a lock can hold it, but not write a pid. */
TEST(a_lock_that_another_process_holds_is_not_in_use)
{
	int lock = take();

	assert_return_code(ftruncate(lock, 0), errno);
	assert_true(dprintf(lock, "%ld", (long)ended()) > 0);
	assert_false(lock_is_in_use(current));
	assert_return_code(ftruncate(lock, 0), errno);
	assert_false(lock_is_in_use(current));
	lock_release(dir, lock);
}

TEST(the_daemon_is_the_process_that_took_the_lock)
{
	int lock = take(), pidfd;
	struct pollfd running;
	pid_t pid;

	assert_int_equal(lock_find_daemon(dir, &pid, &pidfd, NULL), 0);
	assert_int_equal(pid, getpid());
	running = (struct pollfd){.fd = pidfd, .events = POLLIN};
	assert_int_equal(poll(&running, 1, 0), 0);
	close(pidfd);
	/* a pid that is in use, but of another process than the one that holds it */
	assert_return_code(ftruncate(lock, 0), errno);
	assert_true(dprintf(lock, "%ld", (long)getppid()) > 0);
	assert_int_equal(lock_find_daemon(dir, &pid, &pidfd, NULL), 0);
	assert_int_equal(pid, 0);
	assert_int_equal(pidfd, -1);
	assert_int_equal(lock_find_killed(dir), 0);
	lock_release(dir, lock);
}

TEST(a_daemon_that_left_its_lock_was_killed)
{
	int lock = take();

	close(lock);
	assert_int_equal(lock_find_killed(dir), getpid());
	unlink(file);
	assert_int_equal(lock_find_killed(dir), 0);
}

TEST(the_lock_of_another_users_session_is_not_believed)
{
	struct op_error error;
	pid_t pid;
	int lock;

	if (geteuid())
		skip();
	lock = take();
	assert_true(lock_is_in_use(current));
	assert_return_code(chown(current, OTHER, OTHER), errno);
	assert_false(lock_is_in_use(current));
	assert_return_code(chown(current, 0, 0), errno);
	assert_return_code(chown(file, OTHER, OTHER), errno);
	assert_false(lock_is_in_use(current));
	assert_int_equal(lock_find_daemon(dir, &pid, NULL, &error), 0);
	assert_int_equal(pid, 0);
	assert_return_code(chown(file, 0, 0), errno);
	assert_return_code(chown(dir, OTHER, OTHER), errno);
	assert_int_equal(lock_find_daemon(dir, &pid, NULL, &error), -1);
	assert_int_equal(error.code, EPERM);
	assert_return_code(chown(dir, 0, 0), errno);
	lock_release(dir, lock);
}

/* Not even one that would be read for ever is in the way. */
TEST(what_is_no_lock_is_not_in_use)
{
	unlink(file);
	assert_return_code(mkfifo(file, 0600), errno);
	assert_false(lock_is_in_use(current));
	unlink(file);
	assert_return_code(symlink("/proc/self/exe", file), errno);
	assert_false(lock_is_in_use(current));
	unlink(file);
}

/* A report looks at the lock all the time, while daemons come and go. */
TEST(looking_at_a_lock_keeps_no_daemon_from_starting)
{
	atomic_bool *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t self = getpid(), pid = fork();

	assert_ptr_not_equal(done, MAP_FAILED);
	if (!pid) {
		while (!atomic_load(done) && getppid() == self)
			lock_is_in_use(current);
		_exit(0);
	}
	for (int i = 0; i < 300; i++)
		lock_release(dir, take());
	atomic_store(done, true);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	munmap(done, sizeof(*done));
}
