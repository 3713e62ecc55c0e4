// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A tree is removed without recursion: each directory found in a child of the top directory is
 * moved up into the top directory, so that two open directories are enough, and no path is
 * looked up through a component that another process could replace by a symbolic link.
 */
#include "remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLAT_NAME ".flat-%lu"

struct remover {
	const char *name;   /* of the tree, for errors */
	int top;	    /* its directory */
	unsigned long next; /* number of the next directory that is moved up */
	unsigned long gone; /* entries removed or moved up so far */
	struct op_error *error;
};

static int failed(const struct remover *remover, const char *what, const char *entry)
{
	return op_error_errno(remover->error, "cannot %s %s in %s", what, entry, remover->name);
}

static DIR *open_directory(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static int move_up(struct remover *remover, int from, const char *name)
{
	char flat[32];

	for (;;) {
		snprintf(flat, sizeof(flat), FLAT_NAME, remover->next++);
		if (!renameat2(from, name, remover->top, flat, RENAME_NOREPLACE))
			return 0;
		if (errno != EEXIST)
			return failed(remover, "move directory", name);
	}
}

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Calls @directory for each directory in @dir and removes all else. */
static int empty(struct remover *remover, DIR *dir,
		 int (*directory)(struct remover *remover, int parent, const char *name))
{
	struct dirent *entry;

	while ((errno = 0, entry = readdir(dir))) {
		if (is_dot(entry->d_name))
			continue;
		if (unlinkat(dirfd(dir), entry->d_name, 0)) {
			if (errno != EISDIR)
				return failed(remover, "remove", entry->d_name);
			if (directory(remover, dirfd(dir), entry->d_name))
				return -1;
		}
		remover->gone++;
	}
	return errno ? failed(remover, "read", "the directory") : 0;
}

static int remove_child(struct remover *remover, int parent, const char *name)
{
	DIR *dir = open_directory(parent, name);
	int ret;

	if (!dir)
		return failed(remover, "open directory", name);
	ret = empty(remover, dir, move_up);
	closedir(dir);
	if (!ret && unlinkat(parent, name, AT_REMOVEDIR))
		ret = failed(remover, "remove directory", name);
	return ret;
}

int op_tree_remove(int parent, const char *name, struct op_error *error)
{
	struct remover remover = {.name = name, .error = error};
	unsigned long gone;
	DIR *dir;
	int ret;

	dir = open_directory(parent, name);
	if (!dir)
		return op_error_errno(error, "cannot open directory %s", name);
	remover.top = dirfd(dir);
	/*
	 * What has been moved up while it was read may have been missed: read again, as long as
	 * that finds anything.
	 */
	do {
		gone = remover.gone;
		rewinddir(dir);
		ret = empty(&remover, dir, remove_child);
		if (!ret && !unlinkat(parent, name, AT_REMOVEDIR))
			break;
		if (!ret && (errno != ENOTEMPTY || gone == remover.gone))
			ret = failed(&remover, "remove", "the directory itself");
	} while (!ret);
	closedir(dir);
	return ret;
}
