// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lock of a session: see lock.h.
 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "paths.h"

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

static int take(const char *path, const char *session_dir, struct op_error *error)
{
	for (;;) {
		int fd =
			open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, OP_SESSION_FILE_MODE);
		int at;

		if (fd < 0)
			return op_error_errno(error, "cannot open %s", path);
		if (flock(fd, LOCK_EX | LOCK_NB)) {
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

void lock_release(const char *session_dir, int lock)
{
	char *path = op_path("%s/" OP_SESSION_LOCK, session_dir);

	/* it may be that of a successor, if ours was removed meanwhile */
	if (path && is_at(lock, path) > 0)
		unlink(path);
	free(path);
	close(lock);
}
