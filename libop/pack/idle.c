// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that are not used any more, on the way into a pack: see idle.h. */
#include "idle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold.h"
#include "libdb/odb/file.h"
#include "libop/base/buffer.h"
#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "loose.h"

/* Files that are moved while readers wait. */
#define BATCH 32

/* ---- which files ---- */

struct listing {
	struct op_strings *names;
	size_t prefix, most;
	bool failed;
};

static bool is_in_use(const char *path)
{
	int fd = odb_file_open(path, O_RDONLY, NULL);
	bool in_use = fd < 0 || odb_file_is_locked(fd);

	if (fd >= 0)
		close(fd);
	return in_use;
}

static int pack_idle_take_name(const char *path, const struct stat *status, void *context)
{
	struct listing *listing = context;
	const char *name = path + listing->prefix;

	if (!S_ISREG(status->st_mode) || (uint64_t)status->st_size > OP_IDLE_BYTES_MOST ||
	    !pack_loose_is_name(name) || is_in_use(path))
		return 0;
	listing->failed = op_strings_add(listing->names, name) != 0;
	return listing->failed || listing->names->count >= listing->most;
}

int op_idle_list(const char *samples_dir, size_t most, struct op_strings *names,
		 struct op_error *error)
{
	struct listing listing = {.names = names, .prefix = strlen(samples_dir) + 1, .most = most};

	if (op_walk(samples_dir, pack_idle_take_name, &listing, error) < 0)
		return -1;
	return listing.failed ? op_error_memory(error) : 0;
}

/* ---- moving ---- */

struct moving {
	const char *samples_dir;
	const char *part;
	const struct op_strings *names;
	struct op_error *error;
};

/* On the disk before the first file is moved: files without names would be lost. */
static int write_names(const struct moving *moving)
{
	char *path = op_path("%s/" OP_IDLE_NAMES, moving->part);
	struct op_buffer bytes = {0};
	int fd = -1, result = -1;

	for (size_t i = 0; i < moving->names->count; i++)
		op_buffer_put(&bytes, moving->names->item[i], strlen(moving->names->item[i]) + 1);
	if (path && !bytes.failed)
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, OP_SESSION_FILE_MODE);
	if (!path || bytes.failed)
		op_error_memory(moving->error);
	else if (fd < 0 || odb_file_write(fd, bytes.bytes, bytes.used) || fsync(fd))
		op_error_errno(moving->error, "cannot write %s", path);
	else
		result = 0;
	if (fd >= 0)
		close(fd);
	op_buffer_free(&bytes);
	free(path);
	return result;
}

static int sync_directory(const char *path, struct op_error *error)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int result = fd < 0 || fsync(fd) ? op_error_errno(error, "cannot write %s", path) : 0;

	if (fd >= 0)
		close(fd);
	return result;
}

/* Whether a pack can have the file. */
static bool is_packable(const char *samples_dir, const char *name)
{
	struct odb_error ignored;
	struct pack_loose content;
	bool packable = !pack_loose_read(&content, samples_dir, name, &ignored);

	pack_loose_free(&content);
	return packable;
}

/* Return: a descriptor of the file, which no writer has now; -1: one has, or it is gone. */
static int lock_file(const char *path)
{
	struct odb_error ignored;
	int fd = odb_file_open(path, O_RDWR, &ignored);

	if (fd < 0 || (!odb_file_lock(fd, path, &ignored) && odb_file_is_at(fd, path)))
		return fd;
	close(fd);
	return -1;
}

/* Return: 1, 0: it is in use, or -1 with the error set. */
static int move_one(const struct moving *moving, size_t i)
{
	const char *name = moving->names->item[i];
	char *path = op_path("%s/%s", moving->samples_dir, name);
	char *to = op_path("%s/%zu", moving->part, i);
	int lock = path && to ? lock_file(path) : -1, result = 0;

	if (!path || !to)
		result = op_error_memory(moving->error);
	else if (lock >= 0 && rename(path, to))
		result = op_error_errno(moving->error, "cannot move %s to %s", path, to);
	else if (lock >= 0)
		result = 1;
	if (result > 0)
		pack_loose_remove_directories(moving->samples_dir, name);
	if (lock >= 0)
		close(lock);
	free(path);
	free(to);
	return result;
}

/* Adds to @moved, also what was moved before an error.  @held: set if the session is read.
 * Return: 0, or -1 with the error set. */
static int move_batch(const struct moving *moving, size_t first, size_t *moved, bool *held)
{
	size_t left = moving->names->count - first, n = left < BATCH ? left : BATCH;
	bool packable[BATCH];
	int hold, result = 0;

	for (size_t i = 0; i < n; i++)
		packable[i] = is_packable(moving->samples_dir, moving->names->item[first + i]);
	hold = op_hold_to_move(moving->samples_dir);
	*held = hold < 0;
	for (size_t i = 0; i < n && !*held && result >= 0; i++) {
		result = packable[i] ? move_one(moving, first + i) : 0;
		*moved += result > 0;
	}
	op_hold_release(hold);
	return result < 0 ? -1 : 0;
}

static bool is_stopped(const atomic_bool *stop)
{
	return stop && atomic_load(stop);
}

/* A part without files would be one too many, each time that the disk is full. */
static void remove_unused(const char *part)
{
	char *names = op_path("%s/" OP_IDLE_NAMES, part);

	if (names)
		unlink(names);
	rmdir(part);
	free(names);
}

int op_idle_move(const char *samples_dir, const char *part, const struct op_strings *names,
		 const atomic_bool *stop, size_t *moved, struct op_error *error)
{
	struct op_error ignored = {0};
	struct moving moving = {
		.samples_dir = samples_dir,
		.part = part,
		.names = names,
		.error = error ? error : &ignored,
	};
	bool held = false;
	int result = 0;

	*moved = 0;
	if (mkdir(part, OP_SESSION_DIR_MODE))
		return op_error_errno(error, "cannot make %s", part);
	if (write_names(&moving) || sync_directory(moving.part, moving.error) ||
	    sync_directory(samples_dir, moving.error))
		result = -1;
	for (size_t i = 0; !result && !held && i < names->count && !is_stopped(stop); i += BATCH)
		result = move_batch(&moving, i, moved, &held);
	if (!*moved)
		remove_unused(part);
	return result;
}
