// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lock of a session: see lock.h.
 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "paths.h"
#include "trusted_dir.h"

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

/* is_held() shares a lock for a moment, which is no daemon.  Return: as of flock(). */
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

static int session_lock_take(const char *path, const char *session_dir, struct op_error *error)
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
	int fd = path ? session_lock_take(path, session_dir, error) : op_error_memory(error);

	free(path);
	return fd;
}

/* What an open lock says; 0: nothing. */
static pid_t read_pid(int fd)
{
	char text[32] = "";
	uint64_t pid;

	if (pread(fd, text, sizeof(text) - 1, 0) < 0)
		return 0;
	text[strcspn(text, "\n")] = '\0';
	return op_number_parse(text, "pid", 1, INT_MAX, &pid, NULL) ? 0 : (pid_t)pid;
}

static bool is_held(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB))
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

/* Whether nobody but this user and root can have made or locked it. */
static bool is_ours(const struct stat *status)
{
	return !status->st_uid || status->st_uid == geteuid();
}

/* "1: FLOCK  ADVISORY  WRITE 4711 fe:00:131 0 EOF", as proc_locks(5) says. */
#define LOCK_WORDS "%*s %*s %*s %*s %ld %*x:%*x:%" SCNu64

/*
 * Whether a process has locked a file: who may read the file can hold the lock in its stead, and a
 * pid that a dead daemon left may be another process's by now.
 */
static bool has_locked(pid_t pid, ino_t inode)
{
	FILE *locks = fopen("/proc/locks", "re");
	bool found = !locks; /* it can't be told */
	char line[256];
	uint64_t number;
	long holder;

	while (!found && fgets(line, sizeof(line), locks))
		found = sscanf(line, LOCK_WORDS, &holder, &number) == 2 && holder == (long)pid &&
			number == inode;
	if (locks)
		fclose(locks);
	return found;
}

/* Whether the process that is open as @pidfd runs, is this user's or root's, and has the lock. */
static bool is_daemon(pid_t pid, int pidfd, ino_t lock)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};
	char *path = op_path("/proc/%ld", (long)pid);
	struct stat status;
	bool is = path && !stat(path, &status) && is_ours(&status) && has_locked(pid, lock);

	free(path);
	/* one that has ended keeps its pid until its parent takes notice */
	return is && poll(&ended, 1, 0) <= 0;
}

/* Return: a descriptor of the daemon that holds an open lock, with *@pid set, or -1. */
static int open_daemon(int lock, pid_t *pid)
{
	struct stat status;
	int pidfd = -1;

	*pid = 0;
	if (!fstat(lock, &status) && S_ISREG(status.st_mode) && is_ours(&status) && is_held(lock))
		*pid = read_pid(lock);
	if (*pid)
		pidfd = pidfd_open(*pid, 0);
	if (pidfd >= 0 && !is_daemon(*pid, pidfd, status.st_ino)) {
		close(pidfd);
		pidfd = -1;
	}
	if (pidfd < 0)
		*pid = 0;
	return pidfd;
}

/* Opens the lock of a session.  Return: 0, with *@fd -1 if there is none, or -1 with @error set. */
static int open_lock(const char *session_dir, int *fd, struct op_error *error)
{
	struct op_error cause;
	int dir = trusted_dir_open(session_dir, TRUSTED_DIR_FIND, &cause), result = 0;

	*fd = dir < 0 ? -1
		      : openat(dir, OP_SESSION_LOCK,
			       O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 && cause.code != ENOENT && cause.code != ENOTDIR)
		result = op_error_set(error, cause.code, "%s", cause.text);
	else if (dir >= 0 && *fd < 0 && errno != ENOENT)
		result = op_error_errno(error, "cannot open %s/" OP_SESSION_LOCK, session_dir);
	if (dir >= 0)
		close(dir);
	return result;
}

int lock_find_daemon(const char *session_dir, pid_t *pid, int *pidfd, struct op_error *error)
{
	int lock, daemon;

	*pid = 0;
	if (pidfd)
		*pidfd = -1;
	if (open_lock(session_dir, &lock, error))
		return -1;
	if (lock < 0)
		return 0;
	daemon = open_daemon(lock, pid);
	close(lock);
	if (pidfd)
		*pidfd = daemon;
	else if (daemon >= 0)
		close(daemon);
	return 0;
}

pid_t lock_find_killed(const char *session_dir)
{
	pid_t pid = 0;
	int lock;

	if (open_lock(session_dir, &lock, NULL) || lock < 0)
		return 0;
	/* a daemon that ends removes it */
	if (!is_held(lock))
		pid = read_pid(lock);
	close(lock);
	return pid;
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
	int daemon = -1;
	pid_t pid;

	if (fd >= 0) {
		daemon = open_daemon(fd, &pid);
		close(fd);
	}
	if (daemon >= 0)
		close(daemon);
	free(path);
	return daemon >= 0;
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
