// SPDX-License-Identifier: GPL-2.0-or-later
/* The host: see host.h. */
#include "host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/file.h"

/* Whoever process 1 belongs to says what its root directory has. */
static bool is_roots(void)
{
	struct stat status;

	return !stat("/proc/1", &status) && !status.st_uid;
}

static uint64_t own_namespace(void)
{
	struct stat status;

	return stat("/proc/self/ns/mnt", &status) ? 0 : status.st_ino;
}

uint64_t host_namespace(void)
{
	struct stat status;

	return is_roots() && !stat("/proc/1/ns/mnt", &status) ? status.st_ino : own_namespace();
}

bool host_is_apart(void)
{
	return host_namespace() != own_namespace();
}

bool host_has(const char *path)
{
	return !strncmp(path, HOST_ROOT "/", strlen(HOST_ROOT "/")) && host_is_apart();
}

int host_open(const char *path, enum foreign_kind kind, enum foreign_links links)
{
	int fd = foreign_open(path, kind, links), code = errno;
	char *below = fd < 0 && *path == '/' && host_is_apart() ? host_path(path) : NULL;

	if (below) {
		fd = foreign_open(below, kind, links);
		code = errno;
		free(below);
	}
	errno = code;
	return fd;
}

char *host_path(const char *path)
{
	return op_path("%s%s", host_is_apart() ? HOST_ROOT : "", path);
}
