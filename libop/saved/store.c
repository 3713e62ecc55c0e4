// SPDX-License-Identifier: GPL-2.0-or-later
/* The directories of files that sessions share: see store.h. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/pinned_path.h"
#include "libop/pack/text.h"
#include "libop/session/paths.h"
#include "libop/session/trusted_dir.h"

uint64_t saved_limit = UINT64_C(1) << 30;

/* A day: a file is marked as used if its mark is older. */
#define MARK_SECONDS 86400
/* Of what is free in a directory, what one process takes before it looks again. */
#define ROOM_PART 16

static bool in_sessions_only;

void saved_keep_in_sessions(void)
{
	in_sessions_only = true;
}

/* ---- the directories ---- */

static char *given_dir(void)
{
	const char *given = getenv("OPROFILE_SYMBOLS");

	return given && *given == '/' ? strdup(given) : NULL;
}

/* A user's directory; NULL if the environment is that of another one. */
static char *users_dir(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct stat status;

	if (cache && *cache == '/')
		return op_path("%s/oprofile/symbols", cache);
	if (!home || *home != '/' || stat(home, &status) || status.st_uid != geteuid())
		return NULL;
	return op_path("%s/.cache/oprofile/symbols", home);
}

char *saved_dir(void)
{
	char *given = getuid() == geteuid() ? given_dir() : NULL;

	if (given || getuid() != geteuid())
		return given;
	return geteuid() ? users_dir() : strdup(SAVED_DIR);
}

/* ---- reading ---- */

static bool is_safe(const struct stat *status)
{
	return (!status->st_uid || status->st_uid == geteuid()) &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* The path of a regular file, and what it is, or NULL.  @dir is freed. */
static char *path_in(char *dir, const char *name, struct stat *status)
{
	char *path = dir ? op_path("%s/%s", dir, name) : NULL;

	free(dir);
	if (path && !lstat(path, status) && S_ISREG(status->st_mode))
		return path;
	free(path);
	return NULL;
}

/* The same, of a directory that only root and this user can change. */
static char *shared_path(char *dir, const char *name, struct stat *status)
{
	struct stat holder;
	bool safe = dir && !stat(dir, &holder) && S_ISDIR(holder.st_mode) && is_safe(&holder);
	char *path;

	if (!safe) {
		free(dir);
		return NULL;
	}
	path = path_in(dir, name, status);
	if (path && is_safe(status))
		return path;
	free(path);
	return NULL;
}

static char *store_find(const char *samples_dir, const char *name, struct stat *status)
{
	char *path = NULL;

	if (samples_dir)
		path = path_in(op_path("%s/" OP_SAMPLES_SYMBOLS, samples_dir), name, status);
	if (!path && !in_sessions_only)
		path = shared_path(saved_dir(), name, status);
	if (!path && !in_sessions_only)
		path = shared_path(strdup(SAVED_DIR), name, status);
	return path;
}

static void mark_as_used(const char *path, const struct stat *status)
{
	if (status->st_uid == geteuid() && status->st_mtime < time(NULL) - MARK_SECONDS)
		(void)!utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

char *saved_path(const char *samples_dir, const char *name, uid_t *owner)
{
	struct stat status;
	char *path = store_find(samples_dir, name, &status);

	if (!path)
		return NULL;
	mark_as_used(path, &status);
	if (owner)
		*owner = status.st_uid;
	return path;
}

bool saved_has(const char *samples_dir, const char *name)
{
	char *path = saved_path(samples_dir, name, NULL);
	bool has = path;

	free(path);
	return has;
}

/* ---- dropping ---- */

struct file {
	char *path;
	uint64_t size;
	int64_t used;
};

struct listing {
	size_t prefix; /* of paths: the directory and a slash */
	struct file *files;
	size_t n, capacity;
	uint64_t total;
};

/* Whether a file is one of ours: nothing else is removed, whatever directory is given. */
static bool is_name(const char *name)
{
	static const char *const kinds[] = {"", "file-", "kallsyms-", "unwind-",
					   "unwind-file-"};

	for (size_t i = 0; i < OP_ARRAY_SIZE(kinds); i++) {
		size_t n = strlen(kinds[i]);
		const char *rest = name + n;

		if (!strncmp(name, kinds[i], n) && strspn(rest, "0123456789abcdef-") >= 8 &&
		    !rest[strspn(rest, "0123456789abcdef-")] && strchr(rest, '-'))
			return true;
	}
	return false;
}

static int list_file(const char *path, const struct stat *status, void *context)
{
	struct listing *listing = context;
	struct file *file;

	if (!S_ISREG(status->st_mode) || !is_name(path + listing->prefix) ||
	    op_array_fit(listing->files, listing->capacity, listing->n + 1))
		return 0;
	file = &listing->files[listing->n];
	*file = (struct file){strdup(path), (uint64_t)status->st_size, status->st_mtime};
	if (!file->path)
		return 0;
	listing->n++;
	listing->total += (uint64_t)status->st_size;
	return 0;
}

static int compare_use(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return (x->used > y->used) - (x->used < y->used);
}

/*
 * Removes files that were used before @since, and the oldest until the others have @most bytes.
 * @left: set to what these have.
 */
static uint64_t store_drop(const char *dir, int64_t since, uint64_t most, size_t *files,
			   uint64_t *left)
{
	struct listing listing = {.prefix = strlen(dir) + 1};
	uint64_t removed = 0;

	*files = 0;
	op_walk(dir, list_file, &listing, NULL);
	if (listing.n)
		qsort(listing.files, listing.n, sizeof(*listing.files), compare_use);
	for (size_t i = 0; i < listing.n; i++) {
		const struct file *file = &listing.files[i];

		if ((file->used < since || listing.total - removed > most) && !unlink(file->path)) {
			removed += file->size;
			++*files;
		}
		free(file->path);
	}
	free(listing.files);
	*left = listing.total - removed;
	return removed;
}

uint64_t saved_drop(const char *dir, int64_t since, size_t *files)
{
	uint64_t left;

	return store_drop(dir, since, UINT64_MAX, files, &left);
}

/* ---- writing ---- */

/*
 * What may be put into a directory before it is looked through again: to do so for each file takes
 * long where there are many.  Others may put files there meanwhile, so it is a part of what is
 * free.
 */
static struct {
	dev_t device;
	ino_t inode;
	uint64_t limit, room;
} looked_at;

static void store_make_room(int fd, const char *pinned, uint64_t length)
{
	struct stat status;
	uint64_t most = saved_limit - length, left;
	size_t files;

	if (fstat(fd, &status))
		return;
	if (status.st_dev != looked_at.device || status.st_ino != looked_at.inode ||
	    saved_limit != looked_at.limit || length > looked_at.room) {
		looked_at.device = status.st_dev;
		looked_at.inode = status.st_ino;
		looked_at.limit = saved_limit;
		store_drop(pinned, 0, most, &files, &left);
		looked_at.room = left < most ? (most - left) / ROOM_PART : 0;
		return;
	}
	looked_at.room -= length;
}

/*
 * The directory that was written last stays open: a session saves the symbols of hundreds of files
 * at once, and the way there is checked component by component.
 */
static struct open_dir {
	char *dir, *pinned;
	int fd; /* of @pinned */
} last;

static void close_dir(struct open_dir *open)
{
	if (open->pinned)
		op_pinned_close(open->pinned);
	free(open->dir);
	*open = (struct open_dir){0};
}

/* Opens @dir, unless it is what is open.  Return: 0, or -1 with @error set. */
static int open_dir(struct open_dir *open, const char *dir, struct op_error *error)
{
	struct stat status;

	if (open->dir && !strcmp(open->dir, dir) && !fstat(open->fd, &status) && is_safe(&status))
		return 0;
	close_dir(open);
	open->fd = trusted_dir_open(dir, TRUSTED_DIR_MAKE, error);
	if (open->fd < 0)
		return -1;
	open->pinned = trusted_dir_pin(open->fd, dir, error);
	open->dir = open->pinned ? strdup(dir) : NULL;
	return open->pinned ? 0 : -1;
}

static int put_into(const struct open_dir *open, const char *name, const void *bytes, size_t length,
		    struct op_error *error)
{
	char *path = op_path("%s/%s", open->pinned, name);
	int result;

	if (!path)
		return op_error_memory(error);
	store_make_room(open->fd, open->pinned, length);
	result = op_file_replace(path, bytes, length, OP_SESSION_FILE_MODE, error);
	free(path);
	return result;
}

/* @dir is freed.  One that was removed since it was opened is made again. */
static int store_put(char *dir, const char *name, const void *bytes, size_t length,
		     struct op_error *error)
{
	bool was_open = dir && last.dir && !strcmp(last.dir, dir);
	int result;

	if (!dir)
		return op_error_set(error, ENOENT, "there is no directory for saved symbols");
	result = open_dir(&last, dir, error) ? -1 : put_into(&last, name, bytes, length, error);
	if (result && was_open) {
		close_dir(&last);
		result = open_dir(&last, dir, error) ? -1
						     : put_into(&last, name, bytes, length, error);
	}
	free(dir);
	return result;
}

int saved_put(const char *samples_dir, const char *name, const void *bytes, size_t length,
	      struct op_error *error)
{
	size_t n = 0;
	void *packed = op_packed_make(bytes, length, &n);
	int result;

	if (!packed)
		return op_error_memory(error);
	if (n > saved_limit / 4) {
		result = op_error_set(error, EFBIG, "%s is too large to be saved", name);
	} else {
		result = -1;
		if (!in_sessions_only)
			result = store_put(saved_dir(), name, packed, n, error);
		else if (!samples_dir)
			op_error_set(error, ENOENT, "%s is kept with its session only", name);
		if (result && samples_dir)
			result = store_put(op_path("%s/" OP_SAMPLES_SYMBOLS, samples_dir), name,
					   packed, n, error);
	}
	free(packed);
	return result;
}
