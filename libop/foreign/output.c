// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that are written where others may have put links: see output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "rights.h"

#define FIND	   (O_PATH | O_CLOEXEC)
#define MOST_LINKS 40	 /* as in Linux */
#define UNMAPPED   65534 /* Linux: fs.overflowuid */

/* struct way - a way of root through directories that only root can change */
struct way {
	int at; /* the directory that it has come to */
	struct stat status;
	char rest[2 * PATH_MAX]; /* of the path, seen from there */
	unsigned int n_links;
};

/* ---- rights ---- */

static gid_t group_of(uid_t user)
{
	const struct passwd *entry = getpwuid(user);

	return entry ? entry->pw_gid : FOREIGN_NO_GROUP;
}

/*
 * In a user namespace, owners that it does not know are all shown as this one, and nobody in there
 * can do anything about what they own.
 */
static bool is_unmapped(uid_t user)
{
	char map[64] = "";
	FILE *file = user == UNMAPPED ? fopen("/proc/self/uid_map", "re") : NULL;
	bool is_whole = true;

	if (!file)
		return false;
	if (fgets(map, sizeof(map), file))
		is_whole = strstr(map, " 4294967295");
	fclose(file);
	return !is_whole;
}

/* Whether another user, whom this one does not trust, owns it. */
static bool is_of_others(const struct stat *status)
{
	return status->st_uid != geteuid() && !is_unmapped(status->st_uid);
}

/* From here on, what is done in the place is done as @user. */
static void act_as(struct foreign_place *place, uid_t user)
{
	place->is_others = place->is_passed = true;
	place->user = user;
	place->group = group_of(user);
}

/* Return: 0, or -1 and errno. */
static int rights_take(const struct foreign_place *place, struct foreign_rights *before)
{
	if (!place->is_others || foreign_rights_take(before, place->user, place->group))
		return 0;
	errno = EPERM;
	return -1;
}

static void rights_return(const struct foreign_place *place, struct foreign_rights *before)
{
	if (place->is_others)
		foreign_rights_return(before);
}

/* ---- finding ---- */

static int foreign_place_fail(const struct foreign_place *place, struct op_error *error)
{
	return op_error_errno(error, "cannot %s %s", place->verb, place->path);
}

/*
 * openat(2) that follows no link of /proc that is an open file: these lead to what this process has
 * open, whoever asks.  Without openat2(2), no link is followed.
 */
static int open_without_magic(int dir, const char *name, int flags, mode_t mode)
{
	const struct open_how how = {
		.flags = (uint64_t)(unsigned int)flags,
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));

	return fd < 0 && (errno == ENOSYS || errno == EPERM)
		       ? openat(dir, name, flags | O_NOFOLLOW, mode)
		       : fd;
}

static int make_parents(int at, char *path)
{
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		int result;

		if (slash == path)
			continue;
		*slash = '\0';
		result = mkdirat(at, path, 0755);
		*slash = '/';
		if (result && errno != EEXIST)
			return -1;
	}
	return 0;
}

static bool is_itself(const char *name)
{
	return !*name || !strcmp(name, ".") || !strcmp(name, "..");
}

/* Cuts @path before its last component, which it returns; NULL and errno: that is none of a file.
 */
static const char *split(const struct foreign_place *place, char *path, const char **before)
{
	char *slash;

	for (size_t n = strlen(path); place->is_directory && n > 1 && path[n - 1] == '/';)
		path[--n] = '\0';
	slash = strrchr(path, '/');
	*before = path;
	if (is_itself(slash ? slash + 1 : path)) {
		errno = EISDIR;
		return place->is_directory ? "." : NULL;
	}
	if (!slash) {
		*before = ".";
		return path;
	}
	if (slash == path)
		*before = "/";
	*slash = '\0';
	return slash + 1;
}

/* Goes the rest of the way as the kernel does, with the rights of the place. */
static int go_on(struct foreign_place *place, int at, char *rest, enum foreign_parents parents)
{
	struct foreign_rights before;
	const char *directory, *name;

	if (rights_take(place, &before))
		return -1;
	if (parents == FOREIGN_PARENTS_FIND || !make_parents(at, rest)) {
		/* cuts the name off, which is copied before the rest is used */
		name = split(place, rest, &directory);
		if (name) {
			place->name = strdup(name);
			place->dir = place->is_others ? open_without_magic(at, directory,
									   FIND | O_DIRECTORY, 0)
						      : openat(at, directory, FIND | O_DIRECTORY);
		}
	}
	rights_return(place, &before);
	return place->dir < 0 || !place->name ? -1 : 0;
}

static bool is_of_proc(int fd)
{
	struct statfs status;

	return !fstatfs(fd, &status) && status.f_type == PROC_SUPER_MAGIC;
}

/* Takes @fd, of a directory, for the next one on the way. */
static int step(struct way *way, int fd)
{
	if (fd < 0)
		return -1;
	if (way->at >= 0)
		close(way->at);
	way->at = fd;
	return fstat(fd, &way->status);
}

/* Cuts the next component off the rest.  Return: its length, 0 at the end, -1 and errno. */
static int cut(struct way *way, char name[NAME_MAX + 1])
{
	size_t skipped = strspn(way->rest, "/"), length = strcspn(way->rest + skipped, "/");

	if (length > NAME_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, way->rest + skipped, length);
	name[length] = '\0';
	memmove(way->rest, way->rest + skipped + length, strlen(way->rest + skipped + length) + 1);
	return (int)length;
}

/* Puts @text, and then a slash if a rest is left, before the rest. */
static int put_back(struct way *way, const char *text)
{
	size_t length = strlen(text), left = strlen(way->rest);

	if (length + left >= sizeof(way->rest)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memmove(way->rest + length, way->rest, left + 1);
	memcpy(way->rest, text, length);
	return 0;
}

/* Others may write to it; a sticky bit only keeps them from what is not theirs. */
static bool is_shared(const struct stat *status)
{
	return status->st_mode & S_IWOTH || (status->st_mode & S_IWGRP && status->st_gid);
}

/* Others can exchange what this user has in it. */
static bool is_unsafe(const struct stat *status)
{
	return is_shared(status) && !(status->st_mode & S_ISVTX);
}

/* The link @fd, of this user. */
static int follow(struct way *way, int fd)
{
	char target[PATH_MAX];
	ssize_t n;

	if (++way->n_links > MOST_LINKS || is_unsafe(&way->status)) {
		errno = ELOOP;
		return -1;
	}
	n = readlinkat(fd, "", target, sizeof(target) - 1);
	if (n <= 0)
		return -1;
	target[n] = '\0';
	if (put_back(way, target))
		return -1;
	return *target == '/' ? step(way, open("/", FIND | O_DIRECTORY)) : 0;
}

/* With the rights of whose directory it is. */
static int make_entry(const struct foreign_place *place, const struct way *way, const char *name)
{
	struct foreign_rights before;
	int result;

	if (rights_take(place, &before))
		return -1;
	result = mkdirat(way->at, name, 0755);
	rights_return(place, &before);
	return result;
}

/* Finds entry @name of where the way is; with @make, makes it a directory if it is missing. */
static int find_entry(const struct foreign_place *place, const struct way *way, const char *name,
		      bool make, struct stat *status)
{
	int fd = openat(way->at, name, FIND | O_NOFOLLOW);

	if (fd < 0 && errno == ENOENT && make && (!make_entry(place, way, name) || errno == EEXIST))
		fd = openat(way->at, name, FIND | O_NOFOLLOW);
	if (fd >= 0 && fstat(fd, status)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The end: the file is in the directory that the way has come to. */
static int arrive(struct foreign_place *place, struct way *way, const char *name)
{
	place->is_shared = is_shared(&way->status);
	place->dir = way->at;
	way->at = -1;
	place->name = strdup(name);
	return place->name ? 1 : -1;
}

/* A link that another user made, or could have put there. */
static int follow_others(struct foreign_place *place, struct way *way, const char *name,
			 uid_t owner, enum foreign_parents parents)
{
	if (!place->is_others)
		act_as(place, owner);
	place->is_linked = true;
	if (put_back(way, name) || go_on(place, way->at, way->rest, parents))
		return -1;
	return 1;
}

static int foreign_place_take_name(struct foreign_place *place, struct way *way, const char *name,
				   bool is_last, enum foreign_parents parents)
{
	struct stat status;
	int fd, result;

	/* a link there is no name that could be exchanged, but an open file of ours */
	if (is_of_proc(way->at) && !place->is_others)
		return is_last ? arrive(place, way, name)
			       : step(way, openat(way->at, name, FIND | O_DIRECTORY));
	fd = find_entry(place, way, name, !is_last && parents == FOREIGN_PARENTS_MAKE, &status);
	if (fd < 0)
		return is_last && errno == ENOENT ? arrive(place, way, name) : -1;
	if (is_last && (!S_ISLNK(status.st_mode) || place->existing == FOREIGN_REFUSE))
		result = arrive(place, way, name);
	else if (!S_ISLNK(status.st_mode))
		return step(way, fd);
	else if (place->is_others || is_of_others(&status))
		result = follow_others(place, way, name, status.st_uid, parents);
	else
		result = follow(way, fd);
	close(fd);
	return result;
}

/* Root's way to the place. */
static int go(struct foreign_place *place, struct way *way, enum foreign_parents parents)
{
	char name[NAME_MAX + 1];
	int length, result;
	bool is_last;

	for (;;) {
		place->is_others = false;
		if (is_of_others(&way->status))
			act_as(place, way->status.st_uid);
		place->is_passed |= is_unsafe(&way->status);
		length = cut(way, name);
		if (length < 0)
			return -1;
		/* a slash may only follow the name of a directory */
		is_last = !way->rest[place->is_directory ? strspn(way->rest, "/") : 0];
		if (!length || (is_last && is_itself(name))) {
			errno = EISDIR;
			if (!place->is_directory ||
			    (length == 2 && step(way, openat(way->at, name, FIND | O_DIRECTORY))))
				return -1;
			return arrive(place, way, ".") < 0 ? -1 : 0;
		}
		if (!strcmp(name, "."))
			continue;
		result = foreign_place_take_name(place, way, name, is_last, parents);
		if (result)
			return result < 0 ? -1 : 0;
	}
}

static int foreign_output_find(struct foreign_place *place, const char *path,
			       enum foreign_parents parents)
{
	struct way way = {.at = -1};
	const size_t length = strlen(path);
	int result, code;

	if (length >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(way.rest, path, length + 1);
	if (geteuid())
		return go_on(place, AT_FDCWD, way.rest, parents);
	result = step(&way, open(*path == '/' ? "/" : ".", FIND | O_DIRECTORY));
	if (!result)
		result = go(place, &way, parents);
	code = errno;
	if (way.at >= 0)
		close(way.at);
	errno = code;
	return result;
}

static int foreign_place_find_place(struct foreign_place *place, const char *path,
				    enum foreign_parents parents, struct op_error *error)
{
	place->dir = -1;
	place->path = strdup(path);
	if (!place->path)
		return op_error_memory(error);
	return foreign_output_find(place, path, parents) ? foreign_place_fail(place, error) : 0;
}

int foreign_place_find(struct foreign_place *place, const char *path, enum foreign_parents parents,
		       enum foreign_existing existing, struct op_error *error)
{
	*place = (struct foreign_place){.existing = existing,
					.verb = existing == FOREIGN_REFUSE ? "make" : "write"};
	return foreign_place_find_place(place, path, parents, error);
}

int foreign_place_find_directory(struct foreign_place *place, const char *path,
				 enum foreign_parents parents, struct op_error *error)
{
	*place = (struct foreign_place){
		.existing = FOREIGN_REPLACE, .is_directory = true, .verb = "open"};
	return foreign_place_find_place(place, path, parents, error);
}

void foreign_place_leave(struct foreign_place *place)
{
	if (place->dir >= 0)
		close(place->dir);
	free(place->name);
	free(place->path);
}

/* ---- writing ---- */

/* In a directory where others make files, only one that they can't have made is written to. */
static int check_shared(const struct foreign_place *place, struct op_error *error)
{
	struct stat status;

	if (!place->is_shared || fstatat(place->dir, place->name, &status, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (is_of_others(&status) || (S_ISREG(status.st_mode) && status.st_nlink > 1))
		return op_error_set(error, EPERM,
				    "cannot write %s: it is in a directory that others can write "
				    "to, and was made by user %u or has another name, too",
				    place->path, (unsigned int)status.st_uid);
	return 0;
}

/* A file of this user where others may write, who may have removed it, but not made it. */
static int open_own(const struct foreign_place *place)
{
	int found = openat(place->dir, place->name, FIND | O_NOFOLLOW), fd = -1;
	struct stat status;
	char path[64];

	if (found >= 0 && !fstat(found, &status) && S_ISREG(status.st_mode) &&
	    !is_of_others(&status) && status.st_nlink == 1) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
		fd = open(path, O_WRONLY | O_CLOEXEC);
	}
	if (found >= 0)
		close(found);
	return fd;
}

/* With the rights of the other user, and never waiting. */
static int open_of_others(const struct foreign_place *place, int flags, mode_t mode)
{
	struct foreign_rights before;
	int fd;

	if (rights_take(place, &before))
		return -1;
	fd = open_without_magic(place->dir, place->name, flags | O_NONBLOCK, mode);
	rights_return(place, &before);
	return fd;
}

static int open_among_others(const struct foreign_place *place, int flags, mode_t mode,
			     struct op_error *error)
{
	int fd = place->is_linked || flags & O_EXCL ? -1 : open_own(place);
	struct stat status;

	if (fd < 0)
		fd = open_of_others(place, flags, mode);
	if (fd < 0)
		return foreign_place_fail(place, error);
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		op_error_set(error, EINVAL, "cannot write %s: it is another user's, and no file",
			     place->path);
	} else if (ftruncate(fd, 0)) {
		foreign_place_fail(place, error);
	} else {
		return fd;
	}
	close(fd);
	return -1;
}

/* Where others make files: a new one, or that very one which was examined. */
static int open_shared(const struct foreign_place *place, int flags, mode_t mode,
		       struct op_error *error)
{
	int fd = openat(place->dir, place->name, flags | O_EXCL, mode);

	if (fd >= 0)
		return fd;
	if (errno != EEXIST)
		return foreign_place_fail(place, error);
	if (check_shared(place, error))
		return -1;
	errno = EPERM; /* it is no file, or was exchanged */
	fd = open_own(place);
	if (fd >= 0 && !ftruncate(fd, 0))
		return fd;
	foreign_place_fail(place, error);
	if (fd >= 0)
		close(fd);
	return -1;
}

int foreign_place_open(const struct foreign_place *place, mode_t mode, struct op_error *error)
{
	int flags = O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, fd;

	if (place->existing == FOREIGN_REFUSE)
		flags |= O_EXCL;
	if (place->is_others)
		return open_among_others(place, flags, mode, error);
	if (place->is_shared && place->existing == FOREIGN_REPLACE)
		return open_shared(place, flags, mode, error);
	/* root has followed links already */
	if (is_of_proc(place->dir))
		flags &= ~O_CREAT;
	else if (!geteuid())
		flags |= O_NOFOLLOW;
	fd = openat(place->dir, place->name, flags | O_TRUNC, mode);
	if (fd < 0)
		return foreign_place_fail(place, error);
	return fd;
}

int foreign_place_fresh(const struct foreign_place *place, char **name, struct op_error *error)
{
	struct foreign_rights before;
	unsigned int number;
	int fd, code;

	do {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return foreign_place_fail(place, error);
		if (asprintf(name, "%s.%08x", place->name, number) < 0)
			return op_error_memory(error);
		fd = -1;
		if (!rights_take(place, &before)) {
			fd = openat(place->dir, *name,
				    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
			rights_return(place, &before);
		}
		if (fd >= 0)
			return fd;
		code = errno;
		free(*name);
	} while (code == EEXIST);
	errno = code;
	return foreign_place_fail(place, error);
}

int foreign_place_replace(const struct foreign_place *place, const char *name,
			  struct op_error *error)
{
	struct foreign_rights before;
	int result;

	if (check_shared(place, error))
		return -1;
	if (rights_take(place, &before))
		return foreign_place_fail(place, error);
	result = renameat(place->dir, name, place->dir, place->name);
	rights_return(place, &before);
	return result ? foreign_place_fail(place, error) : 0;
}

void foreign_place_remove(const struct foreign_place *place, const char *name)
{
	struct foreign_rights before;

	if (rights_take(place, &before))
		return;
	unlinkat(place->dir, name, 0);
	rights_return(place, &before);
}

int foreign_create(const char *path, enum foreign_parents parents, enum foreign_existing existing,
		   mode_t mode, struct op_error *error)
{
	struct foreign_place place;
	int fd = foreign_place_find(&place, path, parents, existing, error);

	if (!fd)
		fd = foreign_place_open(&place, mode, error);
	foreign_place_leave(&place);
	return fd;
}

FILE *foreign_create_stream(const char *path, enum foreign_parents parents,
			    enum foreign_existing existing, struct op_error *error)
{
	int fd = foreign_create(path, parents, existing, 0666, error);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !stream) {
		op_error_errno(error, "cannot write %s", path);
		close(fd);
	}
	return stream;
}

static int open_directory(const struct foreign_place *place, mode_t mode)
{
	struct foreign_rights before;
	int fd = -1;

	if (rights_take(place, &before))
		return -1;
	if (!mkdirat(place->dir, place->name, mode) || errno == EEXIST)
		fd = openat(place->dir, place->name,
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC | (geteuid() ? 0 : O_NOFOLLOW));
	rights_return(place, &before);
	return fd;
}

int foreign_make_directory(const char *path, enum foreign_parents parents, mode_t mode,
			   struct op_error *error)
{
	struct foreign_place place = {.is_directory = true, .verb = "make"};
	int fd = foreign_place_find_place(&place, path, parents, error);

	if (!fd) {
		fd = open_directory(&place, mode);
		if (fd < 0)
			foreign_place_fail(&place, error);
	}
	foreign_place_leave(&place);
	return fd;
}

/* Takes a directory over that was made as another user, who may have exchanged or filled it. */
static int take_over(const struct foreign_place *place, mode_t mode)
{
	int fd = openat(place->dir, place->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	struct stat status;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &status) && status.st_uid == place->user &&
	    !fchown(fd, geteuid(), getegid()) && !fchmod(fd, mode)) {
		if (op_directory_is_empty(fd))
			return fd;
		errno = EEXIST;
	}
	close(fd);
	return -1;
}

int foreign_make_own_directory(const char *path, mode_t mode, struct op_error *error)
{
	struct foreign_place place = {.is_directory = true, .verb = "make"};
	struct foreign_rights before;
	int fd = foreign_place_find_place(&place, path, FOREIGN_PARENTS_FIND, error);

	if (!fd) {
		fd = rights_take(&place, &before);
		if (!fd) {
			fd = mkdirat(place.dir, place.name, mode);
			rights_return(&place, &before);
		}
		if (!fd)
			fd = place.is_others
				     ? take_over(&place, mode)
				     : openat(place.dir, place.name,
					      O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0)
			foreign_place_fail(&place, error);
	}
	foreign_place_leave(&place);
	return fd;
}

void foreign_remove_directory(const char *path)
{
	struct foreign_place place;
	struct foreign_rights before;

	if (!foreign_place_find_directory(&place, path, FOREIGN_PARENTS_FIND, NULL) &&
	    !rights_take(&place, &before)) {
		unlinkat(place.dir, place.name, AT_REMOVEDIR);
		rights_return(&place, &before);
	}
	foreign_place_leave(&place);
}

/* ---- the way ---- */

/* Return: whether the directory is there; @is_own is set to what is to be known of it. */
static bool examine_way(const char *directory, bool *is_own)
{
	struct foreign_place place;
	struct stat status;
	bool is_there =
		!foreign_place_find_directory(&place, directory, FOREIGN_PARENTS_FIND, NULL) &&
		!fstatat(place.dir, place.name, &status, AT_SYMLINK_NOFOLLOW);

	*is_own = is_there && !place.is_passed && S_ISDIR(status.st_mode) &&
		  !is_of_others(&status) && !is_unsafe(&status);
	foreign_place_leave(&place);
	return is_there;
}

bool foreign_is_own_way(const char *directory)
{
	char *path = geteuid() ? NULL : strdup(directory), *slash;
	bool is_own = geteuid();

	while (path && !examine_way(path, &is_own) && errno == ENOENT &&
	       (slash = strrchr(path, '/')))
		slash[slash == path] = '\0';
	free(path);
	return is_own;
}

const char *foreign_temporary_top(void)
{
	const char *top = getenv("TMPDIR");

	return top && *top == '/' && foreign_is_own_way(top) ? top : "/tmp";
}
