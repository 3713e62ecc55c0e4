/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host: the mount namespace that the paths of samples belong to.
 *
 * It is that of process 1, as /proc shows it, not that of this process: a service may be given a
 * mount namespace of its own, in which folders of the host are missing or others.  In a container
 * with process IDs of its own the host is the container.  If process 1 is not root's, or this
 * process may not look at it, the host is this process's own mount namespace.
 */
#ifndef LIBOP_FOREIGN_HOST_H
#define LIBOP_FOREIGN_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "door.h"

#define HOST_ROOT "/proc/1/root"

/* Whether the host's mount namespace is another one than this process's. */
bool host_is_apart(void);

/* The inode of the host's mount namespace, as in /proc/PID/ns/mnt; 0 if it is unknown. */
uint64_t host_namespace(void);

/* Whether @path is below HOST_ROOT, and that is the host's. */
bool host_has(const char *path);

/**
 * host_open - as foreign_open() of an absolute path of the host
 *
 * A file that this process's own mount namespace has at @path comes first: processes that it
 * profiles may share that.  The caller compares the file's identity, as it must anyway.
 */
int host_open(const char *path, enum foreign_kind kind, enum foreign_links links);

/* @path below HOST_ROOT, or as it is where the host is not apart; the caller frees it.  NULL when
 * out of memory. */
char *host_path(const char *path);

#endif
