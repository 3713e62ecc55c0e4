// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lock of a session: see lock.h.
 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "paths.h"

/* How long a lock that others only look at is waited for. */
#define LOOK_NANOSECONDS 1000000L
#define LOOKS		 5000

static int busy(int fd, const char *session_dir, struct op_error *error)
{
	char pid[32] = "";
	ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

	pid[n > 0 ? strspn(pid, "0123456789") : 0] = '\0';
	return op_error_set(error, EBUSY, "the session %s has a daemon already%s%s", session_dir,
			    *pid ? ": process " : "", pid);
}

/* Return: 1 if @path still names the file that is open as @fd, 0 if not, -1 and errno. */
static int is_at(int fd, const char *path)
{
	struct stat opened, named;

	if (fstat(fd, &opened))
		return -1;
	if (stat(path, &named))
		return errno == ENOENT ? 0 : -1;
	return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

static int write_pid(int fd)
{
	char pid[32];
	int length = snprintf(pid, sizeof(pid), "%ld", (long)getpid());

	return ftruncate(fd, 0) || pwrite(fd, pid, (size_t)length, 0) != length;
}

/* lock_holder() shares a lock for a moment, which is no daemon.  Return: as of flock(). */
static int lock_exclusively(int fd)
{
	const struct timespec moment = {.tv_nsec = LOOK_NANOSECONDS};

	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK || i == LOOKS || flock(fd, LOCK_SH | LOCK_NB))
			return -1;
		flock(fd, LOCK_UN);
		nanosleep(&moment, NULL);
	}
	return 0;
}

static int take(const char *path, const char *session_dir, struct op_error *error)
{
	for (;;) {
		int fd =
			open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, OP_SESSION_FILE_MODE);
		int at;

		if (fd < 0)
			return op_error_errno(error, "cannot open %s", path);
		if (lock_exclusively(fd)) {
			busy(fd, session_dir, error);
		} else if ((at = is_at(fd, path)) < 0) {
			op_error_errno(error, "cannot examine %s", path);
		} else if (!at) {
			/* the daemon before removed it in this very moment */
			close(fd);
			continue;
		} else if (write_pid(fd)) {
			op_error_errno(error, "cannot write %s", path);
		} else {
			return fd;
		}
		close(fd);
		return -1;
	}
}

int lock_take(const char *session_dir, struct op_error *error)
{
	char *path = op_path("%s/" OP_SESSION_LOCK, session_dir);
	int fd = path ? take(path, session_dir, error) : op_error_memory(error);

	free(path);
	return fd;
}

pid_t lock_holder(int fd)
{
	char text[32] = "";
	uint64_t pid;

	if (!flock(fd, LOCK_SH | LOCK_NB)) {
		flock(fd, LOCK_UN);
		return 0;
	}
	if (errno != EWOULDBLOCK || pread(fd, text, sizeof(text) - 1, 0) < 0)
		return 0;
	text[strcspn(text, "\n")] = '\0';
	return op_number_parse(text, "pid", 1, INT_MAX, &pid, NULL) ? 0 : (pid_t)pid;
}

/* Whether nobody but this user and root can have made or locked it. */
static bool is_ours(const struct stat *status)
{
	return !status->st_uid || status->st_uid == geteuid();
}

/* Others than the current samples of a session are not written. */
static bool is_current(const char *samples_dir)
{
	char *path = op_path("%s/../../" OP_SESSION_CURRENT, samples_dir);
	struct stat status, current;
	bool same = path && !stat(samples_dir, &status) && !stat(path, &current) &&
		    status.st_dev == current.st_dev && status.st_ino == current.st_ino;

	free(path);
	return same && is_ours(&status);
}

bool lock_is_in_use(const char *samples_dir)
{
	char *path = op_path("%s/../../" OP_SESSION_LOCK, samples_dir);
	int fd = path && is_current(samples_dir)
			 ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
			 : -1;
	struct stat status;
	pid_t pid = 0;

	if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode) && is_ours(&status))
		pid = lock_holder(fd);
	if (fd >= 0)
		close(fd);
	free(path);
	return pid && (!kill(pid, 0) || errno == EPERM);
}

void lock_release(const char *session_dir, int lock)
{
	char *path = op_path("%s/" OP_SESSION_LOCK, session_dir);

	/* it may be that of a successor, if ours was removed meanwhile */
	if (path && is_at(lock, path) > 0)
		unlink(path);
	free(path);
	close(lock);
}
