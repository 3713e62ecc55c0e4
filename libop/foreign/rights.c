// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that another user names, opened with that user's rights: see door.h, rights.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "door.h"
#include "rights.h"

static bool is_taken(uid_t user, gid_t group)
{
	return (uid_t)setfsuid((uid_t)-1) == user && (gid_t)setfsgid((gid_t)-1) == group;
}

/*
 * Linux has all of this by thread, and file capabilities go with the user of files.  The C
 * library's setgroups() would change all threads.
 */
bool foreign_rights_take(struct foreign_rights *before, uid_t user, gid_t group)
{
	before->n_groups = getgroups(0, NULL);
	before->groups = calloc((size_t)before->n_groups + 1, sizeof(*before->groups));
	if (!before->groups || getgroups(before->n_groups, before->groups) < 0 ||
	    syscall(SYS_setgroups, 0, NULL)) {
		free(before->groups);
		return false;
	}
	before->group = (gid_t)setfsgid(group);
	before->user = (uid_t)setfsuid(user);
	if (is_taken(user, group))
		return true;
	foreign_rights_return(before);
	return false;
}

void foreign_rights_return(struct foreign_rights *before)
{
	int code = errno;

	setfsuid(before->user);
	setfsgid(before->group);
	/* it was allowed a moment ago */
	if (syscall(SYS_setgroups, before->n_groups, before->groups))
		abort();
	free(before->groups);
	errno = code;
}

static int rights_refuse(int fd)
{
	close(fd);
	errno = EACCES;
	return -1;
}

static int open_public(const char *path, enum foreign_kind kind, enum foreign_links links)
{
	int fd = foreign_open_now(path, kind, links);
	struct stat status;

	if (fd >= 0 && (fstat(fd, &status) || !(status.st_mode & S_IROTH)))
		return rights_refuse(fd);
	return fd;
}

int foreign_open_for(uid_t user, const char *path, enum foreign_kind kind, enum foreign_links links)
{
	struct foreign_rights before;
	int fd;

	if (!foreign_rights_take(&before, user, FOREIGN_NO_GROUP))
		return open_public(path, kind, links);
	fd = foreign_open_now(path, kind, links);
	foreign_rights_return(&before);
	return fd;
}

/* Set once, before there are threads. */
static bool is_restricted;
static uid_t restricted_to;

void foreign_restrict(uid_t user)
{
	restricted_to = is_restricted && user != restricted_to ? FOREIGN_NOBODY : user;
	is_restricted = true;
}

#define EXCEPTIONS_MOST 64

static char *exceptions[EXCEPTIONS_MOST];
static size_t n_exceptions;

void foreign_restrict_except(const char *dir)
{
	/* without memory, or beyond that many, the files are not read */
	if (n_exceptions < EXCEPTIONS_MOST && (exceptions[n_exceptions] = strdup(dir)))
		n_exceptions++;
}

static bool is_exception(const char *path)
{
	for (size_t i = 0; i < n_exceptions; i++) {
		size_t n = strlen(exceptions[i]);

		if (strncmp(path, exceptions[i], n) != 0 || path[n] != '/')
			continue;
		if (!strncmp(path + n, "/../", 4))
			n += 3;
		if (!strstr(path + n, "/.."))
			return true;
	}
	return false;
}

bool foreign_is_restricted(void)
{
	return is_restricted;
}

int foreign_open(const char *path, enum foreign_kind kind, enum foreign_links links)
{
	return is_restricted && !is_exception(path)
		       ? foreign_open_for(restricted_to, path, kind, links)
		       : foreign_open_now(path, kind, links);
}
