// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Directories that only the effective user and root can change: see trusted_dir.h.
 */
#include "trusted_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <grp.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/pinned_path.h"
#include "libop/foreign/output.h"
#include "paths.h"

#define DIRECTORY  (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define MOST_LINKS 40

#define UNSAFE "the session is not safe to write: %s "
/* The commands that read sessions have that option. */
#define UNSAFE_TO_READ "the session is not safe to read without --trust-session: %s "
#define NOBODY	       65534

/* ---- checks ---- */

static bool is_ours(uid_t owner)
{
	return owner == 0 || owner == geteuid();
}

static int check_status(const struct stat *status, const char *path, mode_t allowed,
			struct op_error *error)
{
	if (!is_ours(status->st_uid))
		return op_error_set(error, EPERM, UNSAFE "belongs to user %u", path,
				    (unsigned int)status->st_uid);
	if (status->st_mode & (S_IWGRP | S_IWOTH) && !(status->st_mode & allowed))
		return op_error_set(error, EPERM, UNSAFE "is writable by others (mode %04o)", path,
				    status->st_mode & 07777);
	return 0;
}

static int trusted_dir_check(int fd, const char *path, mode_t allowed, struct op_error *error)
{
	struct stat status;

	if (fstat(fd, &status))
		return op_error_errno(error, "cannot examine %s", path);
	return check_status(&status, path, allowed, error);
}

int trusted_dir_check_holder(int fd, const char *path, struct op_error *error)
{
	return trusted_dir_check(fd, path, S_ISVTX, error);
}

int trusted_dir_check_read(const char *path, uid_t *owner, struct op_error *error)
{
	mode_t others = S_IWOTH | (geteuid() ? 0 : S_IWGRP);
	struct stat status;

	if (stat(path, &status))
		return 0;
	*owner = is_ours(status.st_uid) ? NOBODY : status.st_uid;
	if (!is_ours(status.st_uid))
		return op_error_set(error, EPERM, UNSAFE_TO_READ "belongs to user %u", path,
				    (unsigned int)status.st_uid);
	if (status.st_mode & others)
		return op_error_set(error, EPERM,
				    UNSAFE_TO_READ "is writable by others (mode %04o)", path,
				    status.st_mode & 07777);
	return 0;
}

int trusted_dir_check_tree(const char *path, struct op_error *error)
{
	char *top = strdup(path), *const tops[] = {top, NULL};
	FTS *tree = top ? fts_open(tops, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
	const FTSENT *entry;
	int result = 0;

	if (!tree)
		result = op_error_errno(error, "cannot examine %s", path);
	/* a directory comes before what is in it */
	while (!result && (entry = fts_read(tree))) {
		if (entry->fts_info == FTS_D)
			result = check_status(entry->fts_statp, entry->fts_path, 0, error);
	}
	if (tree)
		fts_close(tree);
	free(top);
	return result;
}

/* ---- making ---- */

#define NO_GROUP ((gid_t)-1)

static gid_t chosen_readers = NO_GROUP;

void trusted_dir_set_readers(gid_t group)
{
	chosen_readers = group;
}

/* Who may read what root makes; NO_GROUP: only root. */
static gid_t readers(void)
{
	const struct group *group;

	if (chosen_readers != NO_GROUP)
		return chosen_readers;
	group = getgrnam(OP_SESSION_GROUP);
	return group ? group->gr_gid : NO_GROUP;
}

/*
 * Whether a directory that was just made is the group's already, as below one that is.  The service
 * may neither give files away nor set these bits, so then it must not try.
 */
static bool is_of_group(int fd, gid_t group)
{
	struct stat status;

	return !fstat(fd, &status) && status.st_gid == group &&
	       (status.st_mode & 07777) == (OP_SESSION_DIR_MODE | S_ISGID);
}

/* Gives a directory that was just made to the group; sessions of users keep the users' group. */
static int give_to_group(int fd, const char *path, struct op_error *error)
{
	gid_t group = geteuid() ? NO_GROUP : readers();

	/* the owner of the parent may have put an older directory in its place */
	if (group == NO_GROUP || is_of_group(fd, group) || !op_directory_is_empty(fd))
		return 0;
	if (fchown(fd, (uid_t)-1, group) || fchmod(fd, OP_SESSION_DIR_MODE | S_ISGID))
		return op_error_errno(error, "cannot give %s to the group %u", path,
				      (unsigned int)group);
	return 0;
}

/* ---- opening ---- */

/* Return: a descriptor, or -1 and errno: ELOOP if it is a symbolic link. */
static int open_directory(int parent, const char *name)
{
	struct stat status;
	int fd = openat(parent, name, DIRECTORY | O_NOFOLLOW), code = errno;

	if (fd < 0 && code == ENOTDIR && !fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) &&
	    S_ISLNK(status.st_mode))
		code = ELOOP;
	errno = code;
	return fd;
}

/* As open_directory(), but makes it if it is missing; *@made says whether it did. */
static int open_or_make(int parent, const char *name, enum trusted_dir_missing missing, bool *made)
{
	int fd = open_directory(parent, name);

	*made = false;
	if (fd >= 0 || errno != ENOENT || missing == TRUSTED_DIR_FIND)
		return fd;
	*made = !mkdirat(parent, name, OP_SESSION_DIR_MODE);
	return *made || errno == EEXIST ? open_directory(parent, name) : -1;
}

static int fail_to_open(const char *path, struct op_error *error)
{
	if (errno == ELOOP)
		return op_error_set(error, EPERM, UNSAFE "is a symbolic link", path);
	return op_error_errno(error, "cannot open session directory %s", path);
}

static int close_unless(int result, int fd)
{
	if (!result)
		return fd;
	close(fd);
	return -1;
}

int trusted_dir_open_below(int parent, const char *name, const char *path,
			   enum trusted_dir_missing missing, struct op_error *error)
{
	bool made;
	int fd = open_or_make(parent, name, missing, &made), result;

	if (fd < 0)
		return fail_to_open(path, error);
	result = trusted_dir_check(fd, path, 0, error);
	if (!result && made)
		result = give_to_group(fd, path, error);
	return close_unless(result, fd);
}

/* ---- the way to the first one ---- */

/*
 * Cuts @path into the name of the directory, which is returned, and what is before it, which is
 * opened as *@parent, seen from @from.
 */
static char *open_parent(int from, char *path, int *parent)
{
	size_t n = strlen(path);
	char *slash;

	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	slash = strrchr(path, '/');
	if (!slash) {
		*parent = openat(from, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		return path;
	}
	*slash = '\0';
	*parent = openat(from, slash == path ? "/" : path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return slash[1] ? slash + 1 : memcpy(path, ".", sizeof("."));
}

static bool is_of_proc(int fd)
{
	struct statfs status;

	return !fstatfs(fd, &status) && status.f_type == PROC_SUPER_MAGIC;
}

/* Where a link leads that the effective user or root made; the caller frees it. */
static char *read_link(int parent, const char *name, const char *path, struct op_error *error)
{
	int fd = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char target[PATH_MAX], *copy = NULL;
	struct stat status;
	ssize_t n;

	if (fd < 0 || fstat(fd, &status)) {
		op_error_errno(error, "cannot open session directory %s", path);
	} else if (!S_ISLNK(status.st_mode)) {
		op_error_set(error, EPERM, UNSAFE "is being exchanged", path);
	} else if (!is_ours(status.st_uid)) {
		op_error_set(error, EPERM, UNSAFE "is a symbolic link of user %u", path,
			     (unsigned int)status.st_uid);
	} else {
		n = readlinkat(fd, "", target, sizeof(target));
		copy = n < 0 ? NULL : strndup(target, (size_t)n);
		if (!copy)
			op_error_errno(error, "cannot read symbolic link %s", path);
	}
	if (fd >= 0)
		close(fd);
	return copy;
}

/* Opens @name or where it leads, seen from @parent, which is closed. */
static int open_linked(int parent, const char *name, const char *path, unsigned int links,
		       enum trusted_dir_missing missing, struct op_error *error)
{
	struct stat status;
	char *target, *last;
	int next = -1, fd;

	/* not a name that could be exchanged, but an open directory */
	if (is_of_proc(parent)) {
		fd = openat(parent, name, DIRECTORY);
		return fd < 0 ? fail_to_open(path, error)
			      : close_unless(trusted_dir_check(fd, path, 0, error), fd);
	}
	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISLNK(status.st_mode))
		return trusted_dir_open_below(parent, name, path, missing, error);
	if (!links) {
		errno = ELOOP;
		return op_error_errno(error, "cannot open session directory %s", path);
	}
	target = read_link(parent, name, path, error);
	if (!target)
		return -1;
	last = open_parent(parent, target, &next);
	fd = next < 0 ? op_error_errno(error, "cannot open session directory %s", path)
		      : open_linked(next, last, path, links - 1, missing, error);
	if (next >= 0)
		close(next);
	free(target);
	return fd;
}

/*
 * Where another user's directories or links lead to is that user's: root neither makes nor takes a
 * session there that is beside that user's own files.
 */
static int check_place(const struct foreign_place *place, struct op_error *error)
{
	struct stat status;

	if (!place->is_others || (!fstat(place->dir, &status) && status.st_uid == place->user))
		return 0;
	return op_error_set(error, EPERM,
			    UNSAFE "is reached through a directory or link of user %u", place->path,
			    (unsigned int)place->user);
}

int trusted_dir_open(const char *path, enum trusted_dir_missing missing, struct op_error *error)
{
	enum foreign_parents parents =
		missing == TRUSTED_DIR_MAKE ? FOREIGN_PARENTS_MAKE : FOREIGN_PARENTS_FIND;
	struct foreign_place place;
	int fd = foreign_place_find_directory(&place, path, parents, error);

	if (!fd) {
		fd = check_place(&place, error)
			     ? -1
			     : open_linked(place.dir, place.name, path, MOST_LINKS, missing, error);
	}
	foreign_place_leave(&place);
	return fd;
}

/* Whether file @name, open directory @holder, may be replaced. */
static int check_file(int holder, const char *name, const char *path, struct op_error *error)
{
	struct stat status;

	if (trusted_dir_check_holder(holder, path, error))
		return -1;
	if (!fstatat(holder, name, &status, AT_SYMLINK_NOFOLLOW) && !is_ours(status.st_uid))
		return op_error_set(error, EPERM, UNSAFE "belongs to user %u", path,
				    (unsigned int)status.st_uid);
	return 0;
}

int trusted_dir_open_holder(const char *path, char **name, struct op_error *error)
{
	struct foreign_place place;
	int fd = foreign_place_find(&place, path, FOREIGN_PARENTS_FIND, FOREIGN_REPLACE, error);

	*name = NULL;
	if (!fd && !(fd = check_place(&place, error))) {
		fd = openat(place.dir, ".", DIRECTORY);
		if (fd < 0)
			op_error_errno(error, "cannot open %s", path);
		else
			fd = close_unless(check_file(fd, place.name, path, error), fd);
	}
	if (fd >= 0) {
		*name = place.name;
		place.name = NULL;
	}
	foreign_place_leave(&place);
	return fd;
}

char *trusted_dir_pin(int fd, const char *path, struct op_error *error)
{
	char *pinned = op_pinned_path(fd, path);

	if (!pinned)
		op_error_memory(error);
	return pinned;
}
