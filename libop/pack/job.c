// SPDX-License-Identifier: GPL-2.0-or-later
/* What packing and unpacking have in common: see pack_job.h. */
#include "job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libdb/odb/file.h"
#include "loose.h"
#include "libop/base/remove_tree.h"

int pack_job_no_memory(struct pack_job *job)
{
	return op_error_set(job->error, ENOMEM, "cannot pack %s: out of memory", job->dir);
}

int pack_job_failed(struct pack_job *job, const char *doing, const char *path)
{
	int code = errno;

	return op_error_set(job->error, code, "cannot %s %s: %s", doing, path, strerror(code));
}

/* The same where a file system may have no such thing: EOPNOTSUPP, whatever it says. */
static int unable(struct pack_job *job, const char *doing, const char *path)
{
	bool is = errno == EINVAL || errno == ENOSYS || errno == EXDEV || errno == EPERM ||
		  errno == EMLINK;

	pack_job_failed(job, doing, path);
	if (is)
		job->error->code = EOPNOTSUPP;
	return -1;
}

/* ---- what there is ---- */

static int visit(const char *path, const struct stat *status, void *context)
{
	struct pack_job *job = context;
	const char *name = path + strlen(job->dir) + 1, *slash = strrchr(name, '/');
	bool unfinished = !strncmp(slash ? slash + 1 : name, ODB_TEMPORARY, strlen(ODB_TEMPORARY));

	if (!strcmp(name, OP_PACK_NAME))
		return op_pack_open(&job->pack, path, job->error);
	if (unfinished && S_ISREG(status->st_mode)) {
		if (odb_leftover(path, false) > 0)
			return 0; /* left by a kill: it goes with the old directory */
		return op_error_set(job->error, EBUSY, "%s is being written", path);
	}
	if (op_strings_add(S_ISREG(status->st_mode) && pack_loose_is_name(name) ? &job->loose
										: &job->rest,
			   name))
		return pack_job_no_memory(job);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return op_pack_compare_names(*(char *const *)a, *(char *const *)b);
}

/* Removes what was left by kills; one that is at work has its directory locked. */
static void remove_leftovers(struct pack_job *job)
{
	DIR *dir = opendir(job->parent);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd;

		if (strncmp(entry->d_name, OP_PACK_TEMPORARY, strlen(OP_PACK_TEMPORARY)) != 0)
			continue;
		fd = openat(job->parent_fd, entry->d_name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB))
			op_tree_remove(job->parent_fd, entry->d_name, NULL);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

int pack_job_begin(struct pack_job *job, const char *dir)
{
	char *slash;

	job->parent_fd = job->fresh_fd = -1;
	*job->result = (struct op_pack_result){0};
	job->dir = realpath(dir, NULL);
	if (!job->dir || stat(job->dir, &job->status))
		return pack_job_failed(job, "open", dir);
	job->parent = strdup(job->dir);
	slash = job->parent ? strrchr(job->parent, '/') : NULL;
	if (!slash)
		return pack_job_no_memory(job);
	slash[slash == job->parent] = '\0';
	job->parent_fd = open(job->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (job->parent_fd < 0)
		return pack_job_failed(job, "open", job->parent);
	remove_leftovers(job);
	if (op_walk(job->dir, visit, job, job->error))
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

int pack_job_make_fresh(struct pack_job *job)
{
	char *fresh = op_path("%s/" OP_PACK_TEMPORARY "XXXXXX", job->parent);

	if (!fresh)
		return pack_job_no_memory(job);
	if (!mkdtemp(fresh)) {
		free(fresh);
		return pack_job_failed(job, "make a directory in", job->parent);
	}
	job->fresh = fresh;
	job->fresh_fd = open(fresh, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (job->fresh_fd < 0 || flock(job->fresh_fd, LOCK_EX))
		return pack_job_failed(job, "lock", fresh);
	return pack_job_give(job, fresh, true);
}

int pack_job_give(struct pack_job *job, const char *path, bool is_directory)
{
	mode_t mode = job->status.st_mode & 07777;

	/* Who is not root makes what is his own. */
	if (!geteuid() && lchown(path, job->status.st_uid, job->status.st_gid))
		return pack_job_failed(job, "give away", path);
	if (chmod(path, is_directory ? mode : mode & 0666))
		return pack_job_failed(job, "set the mode of", path);
	return 0;
}

int pack_job_make_directories(struct pack_job *job, const char *name)
{
	int result = 0;

	for (const char *slash = name; !result && (slash = strchr(slash, '/')); slash++) {
		char *path = op_path("%s/%.*s", job->fresh, (int)(slash - name), name);

		if (!path)
			return pack_job_no_memory(job);
		if (!mkdir(path, 0700))
			result = pack_job_give(job, path, true);
		else if (errno != EEXIST)
			result = pack_job_failed(job, "make directory", path);
		free(path);
	}
	return result;
}

int pack_job_keep(struct pack_job *job, const char *name)
{
	char *from = op_path("%s/%s", job->dir, name), *to = op_path("%s/%s", job->fresh, name);
	int result;

	if (!from || !to)
		result = pack_job_no_memory(job);
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
	for (size_t i = 0; i < job->rest.count; i++)
		if (pack_job_keep(job, job->rest.item[i]))
			return -1;
	return 0;
}

/* What became of @path while we worked is nobody's: nobody else writes here. */
int pack_job_exchange(struct pack_job *job)
{
	if (renameat2(AT_FDCWD, job->fresh, AT_FDCWD, job->dir, RENAME_EXCHANGE))
		return unable(job, "exchange the files of", job->dir);
	if (!fsync(job->parent_fd))
		return 0;
	/* The old files may be the session after a loss of power: they stay beside it. */
	pack_job_failed(job, "write to the disk", job->parent);
	free(job->fresh);
	job->fresh = NULL;
	return -1;
}

void pack_job_end(struct pack_job *job)
{
	if (job->fresh)
		op_tree_remove(job->parent_fd, strrchr(job->fresh, '/') + 1, NULL);
	if (job->fresh_fd >= 0)
		close(job->fresh_fd);
	if (job->parent_fd >= 0)
		close(job->parent_fd);
	op_pack_close(job->pack);
	op_strings_free(&job->loose);
	op_strings_free(&job->rest);
	free(job->fresh);
	free(job->parent);
	free(job->dir);
}
