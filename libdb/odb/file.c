// SPDX-License-Identifier: GPL-2.0-or-later
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

int odb_file_open(const char *path, int flags, struct odb_error *error)
{
	/* O_NONBLOCK: a FIFO must not hold us up; it means nothing for a regular file. */
	int fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;

	if (fd < 0)
		return odb_fail_errno(error, path, "cannot open");
	if (fstat(fd, &status)) {
		odb_fail_errno(error, path, "cannot get its status");
		close(fd);
		return -1;
	}
	if (!S_ISREG(status.st_mode)) {
		odb_fail(error, S_ISDIR(status.st_mode) ? EISDIR : EINVAL, path,
			 "not a regular file");
		close(fd);
		return -1;
	}
	return fd;
}

int odb_file_lock(int fd, const char *path, struct odb_error *error)
{
	/* Of the open file, not of the process: two handles in one process exclude each other. */
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return 0;
	if (errno == EAGAIN || errno == EACCES)
		return odb_fail(error, EBUSY, path, "another process is writing to it");
	/* A file system without locks: the user must see to it. */
	return 0;
}

bool odb_file_is_locked(int fd)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

bool odb_file_is_at(int fd, const char *path)
{
	struct stat opened, named;

	return !fstat(fd, &opened) && !stat(path, &named) && opened.st_dev == named.st_dev &&
	       opened.st_ino == named.st_ino;
}

uint64_t odb_file_disk_bytes(int fd)
{
	struct stat status;

	return fstat(fd, &status) ? 0 : (uint64_t)status.st_blocks * 512;
}

bool odb_file_has(int fd, uint64_t length)
{
	struct stat status;

	/* What cannot be told is no sign of a loss. */
	return fstat(fd, &status) || (status.st_nlink && (uint64_t)status.st_size >= length);
}

ssize_t odb_file_read(int fd, void *buffer, size_t count, uint64_t offset)
{
	size_t done = 0;

	while (done < count) {
		ssize_t got =
			pread(fd, (char *)buffer + done, count - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int odb_file_write(int fd, const void *buffer, size_t count)
{
	struct rlimit limit;
	struct stat status;
	size_t done = 0;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	    !fstat(fd, &status) && (uint64_t)status.st_size + count > limit.rlim_cur) {
		errno = EFBIG;
		return -1;
	}
	while (done < count) {
		ssize_t put = write(fd, (const char *)buffer + done, count - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		done += (size_t)put;
	}
	return 0;
}

static char *temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int directory = slash ? (int)(slash - path) + 1 : 0;
	uint64_t number = 0;
	char *name;

	/* Without entropy it is 0 and O_EXCL tells a clash; the caller tries again. */
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
		number = (uint64_t)getpid();
	if (asprintf(&name, "%.*s" ODB_TEMPORARY "%016llx", directory, path,
		     (unsigned long long)number) < 0)
		return NULL;
	return name;
}

int odb_file_new(const char *path, char **temporary, struct odb_error *error)
{
	int fd = -1;

	for (int attempt = 0; attempt < 16; attempt++) {
		char *name = temporary_name(path);

		if (!name)
			return odb_fail(error, ENOMEM, path, "cannot create: out of memory");
		fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0644);
		if (fd >= 0 && !odb_file_lock(fd, path, error)) {
			*temporary = name;
			return fd;
		}
		if (fd >= 0)
			close(fd);
		free(name);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return odb_fail_errno(error, path, "cannot create");
}

int odb_file_publish(const char *temporary, const char *path, bool replace, struct odb_error *error)
{
	if (replace) {
		if (rename(temporary, path))
			return odb_fail_errno(error, path, "cannot replace");
		return 0;
	}
	if (!renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE))
		return 0;
	/* Some file systems cannot do that, but know hard links. */
	if (errno == EINVAL && !link(temporary, path)) {
		unlink(temporary);
		return 0;
	}
	return odb_fail_errno(error, path, "cannot create");
}

int odb_file_probe(int fd, uint8_t head[static ODB_HEAD_MAX], uint64_t *length,
		   struct odb_shape *shape, struct odb_problem *problem)
{
	memset(head, 0, ODB_HEAD_MAX);
	/* Between the two calls a writer may double the file, at most twice in practice. */
	for (int attempt = 0;; attempt++) {
		ssize_t got = odb_file_read(fd, head, ODB_HEAD_MAX, 0);
		struct stat status;

		if (got < 0 || fstat(fd, &status)) {
			odb_problem_set(problem, 0, "cannot read: %s", strerror(errno));
			return -1;
		}
		*length = (uint64_t)status.st_size;
		/* What is behind the end is not looked at: probing goes by the length. */
		if (got<ODB_HEAD_MAX && * length>(uint64_t) got)
			*length = (uint64_t)got;
		if (!odb_probe(head, *length, shape, problem))
			return 0;
		if (attempt >= 8 || !odb_file_is_locked(fd)) {
			errno = 0;
			return -1;
		}
	}
}

int odb_leftover(const char *path, bool remove)
{
	int fd = odb_file_open(path, O_RDONLY, NULL);
	int ret = 1;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (odb_file_is_locked(fd))
		ret = 0;
	else if (remove && unlink(path) && errno != ENOENT)
		ret = -1;
	close(fd);
	return ret;
}
