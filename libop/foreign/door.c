// SPDX-License-Identifier: GPL-2.0-or-later
/* The door for files that others own: see door.h. */
#include "door.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/hash.h"
#include "limits.h"
#include "walk.h"

/* st_blocks counts these, whatever the file system's blocks are. */
#define STORED_UNIT 512

/* ---- paths ---- */

/* struct way - how to get to a file: links of /proc that are followed, then the rest */
struct way {
	size_t head; /* bytes of the path; 0: there are none */
	bool is_root;
};

/* Skips "/NAME" of @at, or any name if @name is NULL.  Return: what follows, or NULL. */
static const char *skip_name(const char *at, const char *name)
{
	size_t length;

	if (!at || *at != '/')
		return NULL;
	length = strcspn(at + 1, "/");
	if (!length || (name && (strlen(name) != length || strncmp(at + 1, name, length) != 0)))
		return NULL;
	return at + 1 + length;
}

static bool is_process(const char *at)
{
	size_t length = strcspn(at, "/");

	return length &&
	       (strspn(at, "0123456789") == length || (length == 4 && !strncmp(at, "self", 4)));
}

static struct way find_way(const char *path)
{
	static const struct {
		const char *name;
		bool has_entries;
	} links[] = {{"exe", false}, {"root", false}, {"fd", true}, {"map_files", true}};
	const char *process = skip_name(path, "proc"), *at;

	if (!process || !*process || !is_process(process + 1))
		return (struct way){0};
	process = skip_name(process, NULL);
	for (size_t i = 0; i < OP_ARRAY_SIZE(links); i++) {
		at = skip_name(process, links[i].name);
		if (at && links[i].has_entries)
			at = skip_name(at, NULL);
		if (at)
			return (struct way){.head = (size_t)(at - path), .is_root = i == 1};
	}
	return (struct way){0};
}

static atomic_bool is_missing; /* openat2(2) */

static int open_from(int from, const char *path, enum foreign_links links, bool is_root)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
	int fd;

	if (links == FOREIGN_NOT_LAST)
		how.flags |= O_NOFOLLOW;
	if (links == FOREIGN_NONE)
		how.resolve |= RESOLVE_NO_SYMLINKS;
	if (is_root)
		how.resolve |= RESOLVE_IN_ROOT;
	fd = is_missing ? -1 : (int)syscall(SYS_openat2, from, path, &how, sizeof(how));
	/* filters of system calls that are older than it may say EPERM, which it never does here */
	if (fd < 0 && !is_missing && (errno == ENOSYS || errno == EPERM))
		is_missing = true;
	return fd < 0 && is_missing ? foreign_walk(from, path, links, is_root) : fd;
}

/* Return: a descriptor that only tells what @path is, or -1 and errno. */
static int door_find(const char *path, enum foreign_links links)
{
	const struct way way = find_way(path);
	const char *rest = path + way.head;
	int from, fd, code;
	char *head;

	if (!way.head)
		return open_from(AT_FDCWD, path, links, false);
	head = strndup(path, way.head);
	if (!head)
		return -1;
	from = open(head, O_PATH | O_CLOEXEC);
	free(head);
	rest += strspn(rest, "/");
	if (from < 0 || !*rest)
		return from;
	fd = open_from(from, rest, links, way.is_root);
	code = errno;
	close(from);
	errno = code;
	return fd;
}

int foreign_memory(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd >= 0)
		fchmod(fd, 0600);
	return fd;
}

/* ---- what is let in ---- */

uid_t foreign_owner(const struct stat *status)
{
	bool is_shared = status->st_mode & S_IWOTH || (status->st_mode & S_IWGRP && status->st_gid);

	return !status->st_uid && is_shared ? FOREIGN_NOBODY : status->st_uid;
}

bool foreign_is_trusted(const struct stat *status)
{
	bool is_shared = status->st_mode & S_IWOTH ||
			 (status->st_mode & S_IWGRP && status->st_gid != getegid());

	if (!status->st_uid)
		return !foreign_owner(status);
	return status->st_uid == geteuid() && !is_shared;
}

/* Files in memory of other owners, by the hash of their inode. */
static struct {
	pthread_mutex_t lock;
	struct op_hash_map owners; /* each as a number + 1 */
} marks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t mark_key(const struct stat *status)
{
	return op_hash_mix(status->st_dev, status->st_ino);
}

bool foreign_mark(int fd, uid_t owner)
{
	struct stat status;
	bool good;

	if (!geteuid())
		return !owner || !fchown(fd, owner, (gid_t)-1);
	if (fstat(fd, &status))
		return false;
	pthread_mutex_lock(&marks.lock);
	good = !op_hash_map_set(&marks.owners, mark_key(&status), (void *)((uintptr_t)owner + 1));
	pthread_mutex_unlock(&marks.lock);
	return good;
}

int foreign_status(int fd, struct stat *status)
{
	uintptr_t owner;

	if (fstat(fd, status))
		return -1;
	pthread_mutex_lock(&marks.lock);
	owner = (uintptr_t)op_hash_map_find(&marks.owners, mark_key(status));
	pthread_mutex_unlock(&marks.lock);
	if (owner)
		status->st_uid = (uid_t)(owner - 1);
	return 0;
}

uint64_t foreign_expansion(uint64_t stored, uint64_t most)
{
	uint64_t bytes = most;

	if (stored < (most - FOREIGN_RATIO_FREE) / FOREIGN_RATIO_MOST)
		bytes = FOREIGN_RATIO_FREE + stored * FOREIGN_RATIO_MOST;
	return bytes;
}

uint64_t foreign_stored(const struct stat *status, uint64_t most)
{
	return foreign_expansion((uint64_t)status->st_blocks * STORED_UNIT, most);
}

static uint64_t limit_of(enum foreign_kind kind, const struct stat *status)
{
	switch (kind) {
	case FOREIGN_OBJECT:
		return foreign_stored(status, FOREIGN_OBJECT_MOST);
	case FOREIGN_JIT_MAP:
		return FOREIGN_JIT_MAP_MOST;
	case FOREIGN_JIT_DUMP:
		return FOREIGN_JIT_DUMP_MOST;
	case FOREIGN_ANY:
		break;
	}
	return UINT64_MAX;
}

/* Return: 0, or an errno. */
static int door_judge(int fd, enum foreign_kind kind)
{
	struct stat status;

	if (fstat(fd, &status))
		return errno;
	if (S_ISLNK(status.st_mode))
		return ELOOP;
	if (!S_ISREG(status.st_mode))
		return EINVAL;
	return (uint64_t)status.st_size > limit_of(kind, &status) ? EFBIG : 0;
}

/* Of foreign_lend(). */
static const char *lent_path;
static int lent_fd;

void foreign_lend(const char *path, int fd)
{
	lent_path = path;
	lent_fd = fd;
}

static int borrow(void)
{
	lseek(lent_fd, 0, SEEK_SET);
	return fcntl(lent_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

int foreign_open_now(const char *path, enum foreign_kind kind, enum foreign_links links)
{
	int found, fd = -1, code;
	char again[64];

	if (lent_path && !strcmp(path, lent_path))
		return borrow();
	found = door_find(path, links);
	if (found < 0)
		return -1;
	code = door_judge(found, kind);
	if (!code) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", found);
		fd = open(again, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		code = errno;
	}
	close(found);
	errno = code;
	return fd;
}

const char *foreign_reason(int code)
{
	return code == EINVAL ? "not a regular file" : strerror(code);
}

char *foreign_read_for(uid_t user, const char *path, size_t limit, size_t *length,
		       struct op_error *error)
{
	bool drop = user != FOREIGN_OURSELVES && user != geteuid() && !foreign_is_restricted();
	int fd = drop ? foreign_open_for(user, path, FOREIGN_ANY, FOREIGN_FOLLOW)
		      : foreign_open(path, FOREIGN_ANY, FOREIGN_FOLLOW);
	size_t ignored;
	char *text;

	if (fd < 0) {
		op_error_set(error, errno, "cannot open %s: %s", path, foreign_reason(errno));
		return NULL;
	}
	text = op_file_read_open(fd, limit, length ? length : &ignored);
	if (!text)
		op_error_errno(error, "cannot read %s", path);
	close(fd);
	return text;
}

char *foreign_read(const char *path, size_t limit, size_t *length, struct op_error *error)
{
	return foreign_read_for(FOREIGN_OURSELVES, path, limit, length, error);
}
