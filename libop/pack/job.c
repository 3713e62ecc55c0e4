// SPDX-License-Identifier: GPL-2.0-or-later
/* What packing and unpacking have in common: see job.h. */
#include "job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/pinned_path.h"
#include "libop/session/trusted_dir.h"
#include "libdb/odb/file.h"
#include "loose.h"
#include "parts.h"
#include "libop/base/remove_tree.h"

int pack_job_failed(struct pack_job *job, const char *doing, const char *path)
{
	return op_error_errno(job->error, "cannot %s %s", doing, path);
}

/* The same for operations that some file systems lack: the error is then EOPNOTSUPP. */
static int unable(struct pack_job *job, const char *doing, const char *path)
{
	bool is_unsupported = errno == EINVAL || errno == ENOSYS || errno == EXDEV ||
			      errno == EPERM || errno == EMLINK;

	pack_job_failed(job, doing, path);
	if (is_unsupported)
		job->error->code = EOPNOTSUPP;
	return -1;
}

/* ---- the files of the session ---- */

static int pack_job_visit(const char *path, const struct stat *status, void *context)
{
	struct pack_job *job = context;
	const char *name = path + strlen(job->dir) + 1, *slash = strrchr(name, '/');
	bool unfinished = !strncmp(slash ? slash + 1 : name, ODB_TEMPORARY, strlen(ODB_TEMPORARY));

	if (op_pack_is_part(name)) {
		job->is_packed = true;
		return 0;
	}
	if (unfinished && S_ISREG(status->st_mode)) {
		if (odb_leftover(path, false) > 0)
			return 0; /* left by a kill: removed with the old directory */
		return op_error_set(job->error, EBUSY, "%s is being written", path);
	}
	if (op_strings_add(S_ISREG(status->st_mode) && pack_loose_is_name(name) ? &job->loose
										: &job->rest,
			   name))
		return op_error_memory(job->error);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return op_pack_compare_names(*(char *const *)a, *(char *const *)b);
}

/* One that is at work has its directory locked.  Return: whether it was removed. */
static bool remove_leftover(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool removed =
		fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && !op_tree_remove(parent, name, NULL);

	if (fd >= 0)
		close(fd);
	return removed;
}

unsigned int op_pack_remove_leftovers(const char *samples)
{
	DIR *dir = opendir(samples);
	struct dirent *entry;
	unsigned int n = 0;

	while (dir && (entry = readdir(dir)))
		n += !strncmp(entry->d_name, OP_PACK_TEMPORARY, strlen(OP_PACK_TEMPORARY)) &&
		     remove_leftover(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}

/* Opens what @dir stands in and returns the name of @dir there, which the caller frees. */
static char *open_parent(struct pack_job *job, const char *dir)
{
	const char *slash = strrchr(dir, '/');
	char *name = strdup(slash ? slash + 1 : dir);
	char *shown = !slash	     ? strdup(".")
		      : slash == dir ? strdup("/")
				     : strndup(dir, (size_t)(slash - dir));

	if (name && shown)
		job->parent_fd = open(shown, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (job->parent_fd < 0)
		pack_job_failed(job, "open", dir);
	else if (!trusted_dir_check_holder(job->parent_fd, shown, job->error))
		job->parent = trusted_dir_pin(job->parent_fd, shown, job->error);
	if (!job->parent && job->parent_fd >= 0) {
		close(job->parent_fd);
		job->parent_fd = -1;
	}
	free(shown);
	if (job->parent)
		return name;
	free(name);
	return NULL;
}

/* Sets dir, parent and status. */
static int open_dir(struct pack_job *job, const char *dir)
{
	char *name = open_parent(job, dir);
	int fd = -1, result = -1;

	if (name)
		fd = trusted_dir_open_below(job->parent_fd, name, dir, TRUSTED_DIR_FIND,
					    job->error);
	if (fd >= 0) {
		job->dir = op_path("%s/%s", job->parent, name);
		if (!job->dir)
			op_error_memory(job->error);
		else
			result = fstat(fd, &job->status) ? pack_job_failed(job, "open", dir) : 0;
		close(fd);
	}
	free(name);
	return result;
}

/* No process writes, so the parts stay what they are. */
static int open_parts(struct pack_job *job)
{
	int result = op_pack_open_recent(&job->pack, job->dir, job->parts_most, &job->kept,
					 &job->pack_name, &job->is_one, job->error);

	return result && (job->error->code != ENOENT || !job->kept.count) ? -1 : 0;
}

int pack_job_begin(struct pack_job *job, const char *dir)
{
	job->parent_fd = job->fresh_fd = -1;
	*job->result = (struct op_pack_result){0};
	if (open_dir(job, dir) || trusted_dir_check_tree(job->dir, job->error))
		return -1;
	op_pack_remove_leftovers(job->parent);
	if (op_walk(job->dir, pack_job_visit, job, job->error))
		return -1;
	if (job->is_packed && open_parts(job))
		return -1;
	if (job->loose.count)
		qsort(job->loose.item, job->loose.count, sizeof(*job->loose.item), by_name);
	return 0;
}

int pack_job_check_idle(struct pack_job *job)
{
	for (size_t i = 0; i < job->loose.count; i++) {
		char *path = op_path("%s/%s", job->dir, job->loose.item[i]);
		struct odb_error ignored;
		int fd = path ? odb_file_open(path, O_RDONLY, &ignored) : -1;
		bool busy = fd >= 0 && odb_file_is_locked(fd);

		if (busy)
			op_error_set(job->error, EBUSY, "%s is being written to", path);
		if (fd >= 0)
			close(fd);
		free(path);
		if (busy)
			return -1;
	}
	return 0;
}

/* ---- the new directory ---- */

/* How often another name is tried. */
#define TRIES_MOST 100

/*
 * Makes a directory of a name that no other has.  It has the mode of the session's from the start,
 * as far as mkdir(2) has it: the service must not set the bit that hands a group down, but may make
 * a directory that gets it.
 */
static char *make_unique(const char *parent, mode_t mode)
{
	for (int i = 0; i < TRIES_MOST; i++) {
		uint32_t number = 0;
		char *path;

		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return NULL;
		path = op_path("%s/" OP_PACK_TEMPORARY "%08" PRIx32, parent, number);
		if (!path || !mkdir(path, mode))
			return path;
		free(path);
		if (errno != EEXIST)
			break;
	}
	return NULL;
}

int pack_job_make_fresh(struct pack_job *job)
{
	char *fresh = make_unique(job->parent, job->status.st_mode & 0777);

	if (!fresh)
		return pack_job_failed(job, "make a directory in", job->parent);
	job->fresh = fresh;
	job->fresh_fd = open(fresh, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (job->fresh_fd < 0 || flock(job->fresh_fd, LOCK_EX))
		return pack_job_failed(job, "lock", fresh);
	return pack_job_give(job, fresh, true);
}

/*
 * Gives @path the owner and, of the mode, the bits @mask of the directory @like.  What it has
 * already is left alone, as the service may not set it.
 */
static int give(struct pack_job *job, const char *path, const struct stat *like, mode_t mask)
{
	mode_t mode = like->st_mode & mask;
	struct stat status;

	if (lstat(path, &status))
		return pack_job_failed(job, "look at", path);
	/* files of other users stay their own */
	if (!geteuid() && (status.st_uid != like->st_uid || status.st_gid != like->st_gid)) {
		if (lchown(path, like->st_uid, like->st_gid))
			return pack_job_failed(job, "give away", path);
		status.st_mode = S_IFMT; /* it may have lost bits */
	}
	if ((status.st_mode & 07777) != mode && chmod(path, mode))
		return pack_job_failed(job, "set the mode of", path);
	return 0;
}

int pack_job_give(struct pack_job *job, const char *path, bool is_directory)
{
	return give(job, path, &job->status, is_directory ? 07777 : 0666);
}

int pack_job_make_directories(struct pack_job *job, const char *name)
{
	int result = 0;

	for (const char *slash = name; !result && (slash = strchr(slash, '/')); slash++) {
		char *path = op_path("%s/%.*s", job->fresh, (int)(slash - name), name);
		char *old = op_path("%s/%.*s", job->dir, (int)(slash - name), name);
		struct stat status;
		const struct stat *like = &status;

		if (!old || lstat(old, &status) || !S_ISDIR(status.st_mode))
			like = &job->status;
		if (!path || !old)
			result = op_error_memory(job->error);
		else if (!mkdir(path, like->st_mode & 0777))
			result = give(job, path, like, 07777);
		else if (errno != EEXIST)
			result = pack_job_failed(job, "make directory", path);
		free(path);
		free(old);
	}
	return result;
}

int pack_job_keep(struct pack_job *job, const char *name)
{
	char *from = op_path("%s/%s", job->dir, name), *to = op_path("%s/%s", job->fresh, name);
	int result;

	if (!from || !to)
		result = op_error_memory(job->error);
	else if (pack_job_make_directories(job, name))
		result = -1;
	else
		result = link(from, to) ? unable(job, "link", from) : 0;
	free(from);
	free(to);
	return result;
}

int pack_job_keep_rest(struct pack_job *job)
{
	for (size_t i = 0; i < job->kept.count; i++)
		if (pack_job_keep(job, job->kept.item[i]))
			return -1;
	for (size_t i = 0; i < job->rest.count; i++)
		if (pack_job_keep(job, job->rest.item[i]))
			return -1;
	return 0;
}

/* The lock excludes other writers, so the directory is unchanged since job->dir was read. */
int pack_job_exchange(struct pack_job *job)
{
	if (renameat2(AT_FDCWD, job->fresh, AT_FDCWD, job->dir, RENAME_EXCHANGE))
		return unable(job, "exchange the files of", job->dir);
	/* Readers of what is in its place need not wait until the old one is removed. */
	flock(job->fresh_fd, LOCK_UN);
	if (!fsync(job->parent_fd))
		return 0;
	/* After a loss of power the old directory may be the current one: keep it. */
	pack_job_failed(job, "write to the disk", job->parent);
	free(job->fresh);
	job->fresh = NULL;
	return -1;
}

/* ---- the old directory ---- */

/* Each removal may wait for the journal of the file system, so several wait at once. */
#define REMOVERS 4

struct remover {
	const struct pack_job *job;
	size_t first;
	pthread_t thread;
	bool runs;
};

static void *remove_some(void *argument)
{
	const struct remover *remover = argument;
	const struct pack_job *job = remover->job;

	for (size_t i = remover->first; i < job->loose.count; i += REMOVERS) {
		char *path = op_path("%s/%s", job->fresh, job->loose.item[i]);

		if (path && !unlink(path))
			pack_loose_remove_directories(job->fresh, job->loose.item[i]);
		free(path);
	}
	return NULL;
}

/* Removes most of it; what is left, whoever has put it there, is for op_tree_remove(). */
static void remove_loose(const struct pack_job *job)
{
	struct remover removers[REMOVERS] = {0};

	for (size_t i = 1; i < REMOVERS; i++) {
		removers[i] = (struct remover){.job = job, .first = i};
		removers[i].runs =
			!pthread_create(&removers[i].thread, NULL, remove_some, &removers[i]);
	}
	removers[0].job = job;
	remove_some(&removers[0]);
	for (size_t i = 1; i < REMOVERS; i++)
		if (removers[i].runs)
			pthread_join(removers[i].thread, NULL);
}

void pack_job_end(struct pack_job *job)
{
	if (job->fresh && job->loose.count)
		remove_loose(job);
	if (job->fresh)
		op_tree_remove(job->parent_fd, strrchr(job->fresh, '/') + 1, NULL);
	if (job->fresh_fd >= 0)
		close(job->fresh_fd);
	op_pack_close(job->pack);
	op_strings_free(&job->loose);
	op_strings_free(&job->rest);
	op_strings_free(&job->kept);
	free(job->pack_name);
	free(job->fresh);
	op_pinned_close(job->parent);
	free(job->dir);
}
