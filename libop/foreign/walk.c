// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths, component by component: see walk.h. */
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* As the kernel has it. */
#define LINKS_MOST 40

/* Of the directory of procfs whose links are paths; all others there are open files. */
#define PROC_ROOT_INODE 1

/* struct walk - a path on its way */
struct walk {
	int from; /* what "/" is, and where ".." ends, if @is_root */
	bool is_root;
	enum foreign_links links;
	int at;		    /* a descriptor */
	struct stat status; /* of it */
	char path[2 * PATH_MAX];
	size_t taken;	      /* bytes of it */
	char below[PATH_MAX]; /* of @from: where @at is, if @is_root; no component is a link */
	unsigned int n_links;
};

/* Return: 0, or -1 and errno. */
static int go_to(struct walk *walk, int fd)
{
	if (fd < 0)
		return -1;
	close(walk->at);
	walk->at = fd;
	return fstat(fd, &walk->status);
}

static int start_again(struct walk *walk)
{
	*walk->below = '\0';
	return go_to(walk, walk->is_root ? fcntl(walk->from, F_DUPFD_CLOEXEC, 0)
					 : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

static int step(struct walk *walk, const char *name)
{
	return go_to(walk, openat(walk->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

static int foreign_walk_refuse(int code)
{
	errno = code;
	return -1;
}

/* Cuts the first component off @path.  Return: it, or NULL. */
static char *cut(char **path)
{
	char *name = *path + strspn(*path, "/"), *end = name + strcspn(name, "/");

	*path = end;
	if (name == end)
		return NULL;
	if (*end) {
		*end = '\0';
		*path = end + 1;
	}
	return name;
}

/* A directory may be moved, also out of the root, so that its ".." is not where it was found:
 * goes to where this was, from the root, again. */
static int step_up_in_root(struct walk *walk)
{
	char path[PATH_MAX], *left = path, *slash = strrchr(walk->below, '/'), *name;

	memcpy(path, walk->below, sizeof(path));
	path[slash ? slash - walk->below : 0] = '\0';
	if (start_again(walk))
		return -1;
	memcpy(walk->below, path, sizeof(path));
	while ((name = cut(&left))) {
		if (step(walk, name))
			return -1;
		if (!S_ISDIR(walk->status.st_mode))
			return foreign_walk_refuse(EAGAIN);
	}
	return 0;
}

/* What fs.protected_symlinks says: a link in a directory like /tmp is only for who made it. */
static bool may_follow(const struct stat *directory, const struct stat *link)
{
	const mode_t shared = S_ISVTX | S_IWOTH;

	return (directory->st_mode & shared) != shared || link->st_uid == directory->st_uid ||
	       link->st_uid == (uid_t)setfsuid((uid_t)-1);
}

static bool is_magic(int fd, const struct stat *directory)
{
	struct statfs system;

	return fstatfs(fd, &system) ||
	       (system.f_type == PROC_SUPER_MAGIC && directory->st_ino != PROC_ROOT_INODE);
}

/* Puts what the link @fd says before the rest of the path. */
static int follow(struct walk *walk, int fd, const struct stat *link)
{
	const char *rest = walk->path + walk->taken;
	const size_t length = strlen(rest);
	char target[2 * PATH_MAX];
	ssize_t n;

	if (walk->links == FOREIGN_NONE || ++walk->n_links > LINKS_MOST ||
	    is_magic(fd, &walk->status))
		return foreign_walk_refuse(ELOOP);
	if (!may_follow(&walk->status, link))
		return foreign_walk_refuse(EACCES);
	n = readlinkat(fd, "", target, PATH_MAX);
	if (n <= 0)
		return foreign_walk_refuse(n ? errno : ENOENT);
	if ((size_t)n + length + 2 > sizeof(target))
		return foreign_walk_refuse(ENAMETOOLONG);
	target[n] = length ? '/' : '\0';
	memcpy(target + n + 1, rest, length + 1);
	memcpy(walk->path, target, (size_t)n + length + 2);
	walk->taken = 0;
	return *target == '/' ? start_again(walk) : 0;
}

/* Goes to an entry that is no link. */
static int foreign_walk_enter(struct walk *walk, int fd, const char *name)
{
	size_t used = strlen(walk->below), length = strlen(name);

	if (!walk->is_root)
		return go_to(walk, fd);
	if (used + length + 2 > sizeof(walk->below)) {
		close(fd);
		return foreign_walk_refuse(ENAMETOOLONG);
	}
	if (used)
		walk->below[used++] = '/';
	memcpy(walk->below + used, name, length + 1);
	return go_to(walk, fd);
}

static int foreign_walk_take_name(struct walk *walk, const char *name, bool is_last)
{
	int fd = openat(walk->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), result, code;
	struct stat status;

	if (fd < 0 || fstat(fd, &status)) {
		result = -1;
	} else if (S_ISLNK(status.st_mode) && !(is_last && walk->links == FOREIGN_NOT_LAST)) {
		result = follow(walk, fd, &status);
	} else {
		return foreign_walk_enter(walk, fd, name);
	}
	code = errno;
	if (fd >= 0)
		close(fd);
	errno = code;
	return result;
}

/* Return: 1 at the end of the path, 0 before, -1 and errno. */
static int take_next(struct walk *walk)
{
	const char *rest = walk->path + walk->taken, *at = rest + strspn(rest, "/");
	size_t length = strcspn(at, "/");
	bool is_last = !at[length];
	char name[NAME_MAX + 1];

	if (*rest && !S_ISDIR(walk->status.st_mode))
		return foreign_walk_refuse(ENOTDIR);
	if (!length)
		return 1;
	if (length > NAME_MAX)
		return foreign_walk_refuse(ENAMETOOLONG);
	memcpy(name, at, length);
	name[length] = '\0';
	walk->taken += (size_t)(at + length - rest);
	if (!strcmp(name, "."))
		return 0;
	if (strcmp(name, "..") != 0)
		return foreign_walk_take_name(walk, name, is_last);
	return walk->is_root ? step_up_in_root(walk) : step(walk, name);
}

int foreign_walk(int from, const char *path, enum foreign_links links, bool is_root)
{
	struct walk walk = {.from = from, .is_root = is_root, .links = links};
	const size_t length = strlen(path);
	int at, result, code;

	if (!length)
		return foreign_walk_refuse(ENOENT);
	if (length >= PATH_MAX)
		return foreign_walk_refuse(ENAMETOOLONG);
	memcpy(walk.path, path, length + 1);
	at = openat(from, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return -1;
	walk.at = at;
	result = *path == '/' ? start_again(&walk) : fstat(walk.at, &walk.status);
	while (!result)
		result = take_next(&walk);
	if (result > 0)
		return walk.at;
	code = errno;
	close(walk.at);
	errno = code;
	return -1;
}
