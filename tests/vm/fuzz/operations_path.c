// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operations on paths.  Modes are left as they are, so that a walk finds what it knows.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "board.h"
#include "operation.h"

static int result(long returned) { return returned < 0 ? errno : 0; }

/* Nothing may be made, taken away or moved in oprofilefs, not even by root. */
static int refused(struct worker *worker, long returned)
{
	if (returned >= 0)
		board_wrong("%s: the tree was altered", worker->text);
	return result(returned);
}

/* A path as above; in a directory that is there it ends with a new name. */
static void draw_new(struct worker *worker, char *path, size_t size)
{
	unsigned int which = stream_below(&worker->stream, 10);

	snprintf(path, size, "%s/%snew%u", roots[0], which < 5 ? "" : "stats/", which);
	describe(worker, " %s", path);
}

int op_stat(struct worker *worker)
{
	struct stat st;
	char path[128];

	draw_path(worker, path, sizeof(path));
	return result(lstat(path, &st));
}

int op_access(struct worker *worker)
{
	int mode = (int)stream_below(&worker->stream, 8);
	char path[128];

	draw_path(worker, path, sizeof(path));
	return result(access(path, mode));
}

int op_chmod(struct worker *worker)
{
	const struct entry *entry;
	struct stat st;
	char path[128];

	entry = draw_path(worker, path, sizeof(path));
	if (entry->kind == KIND_ABSENT || stat(path, &st))
		return result(chmod(path, 0600));
	return result(chmod(path, st.st_mode & 07777));
}

int op_chown(struct worker *worker)
{
	char path[128];

	draw_path(worker, path, sizeof(path));
	return result(lchown(path, 0, 0));
}

int op_truncate(struct worker *worker)
{
	char path[128];

	draw_path(worker, path, sizeof(path));
	return result(truncate(path, (off_t)stream_below(&worker->stream, 3) << 20));
}

int op_creat(struct worker *worker)
{
	char path[128];
	int fd;

	draw_new(worker, path, sizeof(path));
	fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return refused(worker, fd);
}

int op_unlink(struct worker *worker)
{
	char path[128];

	draw_path(worker, path, sizeof(path));
	return refused(worker, unlink(path));
}

int op_rename(struct worker *worker)
{
	char from[128], to[128];

	draw_path(worker, from, sizeof(from));
	draw_path(worker, to, sizeof(to));
	if (rename(from, to) < 0)
		return errno;
	return 0; /* onto itself, which is no change */
}

int op_mkdir(struct worker *worker)
{
	char path[128];

	draw_path(worker, path, sizeof(path));
	return refused(worker, mkdir(path, 0700));
}

int op_rmdir(struct worker *worker)
{
	char path[128];

	draw_path(worker, path, sizeof(path));
	return refused(worker, rmdir(path));
}

int op_link(struct worker *worker)
{
	char from[128], to[128];

	draw_path(worker, from, sizeof(from));
	draw_path(worker, to, sizeof(to));
	return refused(worker, link(from, to));
}

int op_symlink(struct worker *worker)
{
	char path[128];

	draw_path(worker, path, sizeof(path));
	return refused(worker, symlink("/tmp", path));
}

int op_mknod(struct worker *worker)
{
	char path[128];

	draw_path(worker, path, sizeof(path));
	return refused(worker, mknod(path, S_IFCHR | 0600, makedev(1, 3)));
}

int op_xattr(struct worker *worker)
{
	bool set = stream_chance(&worker->stream, 50);
	char path[128];

	draw_path(worker, path, sizeof(path));
	return set ? refused(worker, lsetxattr(path, "user.fuzz", "1", 1, 0)) :
		     result(lgetxattr(path, "user.fuzz", worker->memory, 16));
}

int op_statfs(struct worker *worker)
{
	struct statfs st;
	char path[128];

	draw_path(worker, path, sizeof(path));
	return result(statfs(path, &st));
}

/* Keeps the mount busy, for a while. */
int op_chdir(struct worker *worker)
{
	bool stats = stream_chance(&worker->stream, 30);
	bool leave = stream_chance(&worker->stream, 70);

	describe(worker, " %s", leave ? "/" : stats ? "stats" : "root");
	return result(chdir(leave ? "/" : stats ? "/tmp/fuzz/main/stats" : "/tmp/fuzz/main"));
}
