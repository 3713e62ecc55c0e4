// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unpacking a session: see session.h.  Each packed file is made again as a loose one, and what
 * is loose already under its name is added to it.
 */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libdb/stacks/layout.h"
#include "pack.h"
#include "job.h"
#include "loose.h"

static int odb_failed(struct pack_job *job, const struct odb_error *cause)
{
	return op_error_set(job->error, cause->code, "%s", cause->text);
}

static int add_samples(struct pack_job *job, struct odb *db, const struct odb_entry *entries,
		       size_t n)
{
	struct odb_error cause;

	for (size_t i = 0; i < n; i++)
		if (odb_add(db, entries[i].key, entries[i].count, &cause))
			return odb_failed(job, &cause);
	return 0;
}

/* @loose: what is loose under this name, or NULL. */
static int unpack_samples(struct pack_job *job, const struct op_pack_file *file, const char *path,
			  const struct pack_loose *loose)
{
	struct odb_entry *entries;
	struct odb_error cause;
	struct odb *db;
	int result;

	if (loose && !pack_loose_same_header(&file->header, &loose->header))
		return op_error_set(job->error, EEXIST,
				    "%s/%s: the packed file of this name has another header",
				    job->dir, file->name);
	if (op_pack_samples(job->pack, &file->place, file->name, &entries, job->error))
		return -1;
	if (odb_open(&db, path, ODB_CREATE, &file->header, &cause)) {
		result = odb_failed(job, &cause);
	} else {
		result = add_samples(job, db, entries, (size_t)file->n);
		if (!result && loose)
			result = add_samples(job, db, loose->entries, loose->n);
		odb_close(db);
	}
	free(entries);
	return result;
}

static int add_stacks(struct pack_job *job, struct stacks *stacks,
		      const struct stacks_content *content)
{
	uint32_t *images = calloc(content->n_images + 1, sizeof(*images));
	uint32_t *numbers = calloc(content->n_nodes, sizeof(*numbers));
	struct odb_error cause;
	int result = images && numbers ? 0 : -1;

	if (result)
		op_error_memory(job->error);
	for (size_t i = 1; !result && i < content->n_images; i++) {
		const struct stacks_name *image = &content->images[i];

		images[i] = stacks_image(stacks, image->name, image->flags, image->mtime, &cause);
		if (!images[i])
			result = odb_failed(job, &cause);
	}
	for (size_t i = 0; !result && i < content->n_nodes; i++) {
		const struct stacks_node *node = &content->nodes[i];
		const struct stacks_frame frame = {images[node->image], node->offset};

		numbers[i] = i ? stacks_node(stacks, numbers[node->parent], &frame, &cause)
			       : STACKS_ROOT;
		if (numbers[i] == STACKS_NO_NODE ||
		    (node->count &&
		     stacks_count(stacks, numbers[i], node->count, false, NULL, &cause) !=
			     STACKS_ADDED))
			result = odb_failed(job, &cause);
	}
	if (!result)
		stacks_add_merged(stacks, content->merged);
	free(images);
	free(numbers);
	return result;
}

static int unpack_stacks(struct pack_job *job, const struct op_pack_file *file, const char *path,
			 const struct pack_loose *loose)
{
	struct stacks_content content;
	struct odb_error cause;
	struct stacks *stacks;
	int result;

	if (op_pack_stacks(job->pack, file, &content, job->error))
		return -1;
	if (stacks_open(&stacks, path, STACKS_UNITS_READ_MOST, &cause)) {
		result = odb_failed(job, &cause);
	} else {
		result = add_stacks(job, stacks, &content);
		if (!result && loose)
			result = add_stacks(job, stacks, &loose->stacks);
		stacks_close(stacks);
	}
	stacks_content_free(&content);
	return result;
}

static int unpack_file(struct pack_job *job, const struct op_pack_file *file, bool is_loose)
{
	char *path = op_path("%s/%s", job->fresh, file->name);
	struct pack_loose loose = {0};
	struct odb_error cause;
	int result;

	if (!path)
		return op_error_memory(job->error);
	result = is_loose && pack_loose_read(&loose, job->dir, file->name, &cause)
			 ? odb_failed(job, &cause)
			 : 0;
	if (!result)
		result = pack_job_make_directories(job, file->name);
	if (!result)
		result = file->kind == OP_PACK_STACKS
				 ? unpack_stacks(job, file, path, is_loose ? &loose : NULL)
				 : unpack_samples(job, file, path, is_loose ? &loose : NULL);
	if (!result)
		result = pack_job_give(job, path, false);
	job->result->done += !result;
	pack_loose_free(&loose);
	free(path);
	return result;
}

/* What a file is called while it is made. */
#define UNFINISHED (ODB_TEMPORARY "0123456789abcdef")

/*
 * Whether no file can have that name in the new directory, or in the session's.  The daemon counts
 * programs at such paths in its journal.
 */
static bool is_too_long(const struct pack_job *job, const char *name)
{
	size_t before = strlen(strlen(job->fresh) > strlen(job->dir) ? job->fresh : job->dir);
	const char *slash = strrchr(name, '/'), *part = name;
	size_t last = strlen(slash ? slash + 1 : name);
	size_t spare = last < strlen(UNFINISHED) ? strlen(UNFINISHED) - last : 0;

	if (before + 1 + strlen(name) + spare >= PATH_MAX)
		return true;
	for (size_t n; *part; part += n + !!part[n]) {
		n = strcspn(part, "/");
		if (n > NAME_MAX)
			return true;
	}
	return false;
}

/* Puts a file into a pack of those that stay packed, which is made for the first of them. */
static int leave_packed(struct pack_job *job, struct op_pack_writer **writer,
			const struct op_pack_file *file)
{
	struct stacks_content stacks = {0};
	struct odb_entry *entries = NULL;
	char *path = op_path("%s/" OP_PACK_NAME, job->fresh);
	int result = path ? 0 : op_error_memory(job->error);

	if (!result && !*writer)
		result = op_pack_create(writer, path, job->error);
	if (!result && file->kind == OP_PACK_STACKS)
		result = op_pack_stacks(job->pack, file, &stacks, job->error) ||
			 op_pack_add_stacks(*writer, file, &stacks, 1, job->error);
	else if (!result)
		result = op_pack_samples(job->pack, &file->place, file->name, &entries,
					 job->error) ||
			 op_pack_add_samples(*writer, file, entries, (size_t)file->n, job->error);
	job->result->left += !result;
	stacks_content_free(&stacks);
	free(entries);
	free(path);
	return result ? -1 : 0;
}

static int finish_pack(struct pack_job *job, struct op_pack_writer *writer)
{
	char *path = op_path("%s/" OP_PACK_NAME, job->fresh);
	int result = path ? op_pack_finish(writer, job->error) : op_error_memory(job->error);

	if (!result)
		result = pack_job_give(job, path, false);
	free(path);
	return result;
}

static int unpack_all(struct pack_job *job)
{
	struct op_pack_writer *writer = NULL;
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack_file file;
	int result = 0;
	size_t i = 0;

	if (!walk)
		return op_error_memory(job->error);
	walk->pack = job->pack;
	while (!result && op_pack_next(walk, &file)) {
		int order = -1;

		/* loose files that are not packed stay as they are */
		while (!result && i < job->loose.count &&
		       (order = op_pack_compare_names(job->loose.item[i], file.name)) < 0)
			result = pack_job_keep(job, job->loose.item[i++]);
		if (!result && is_too_long(job, file.name))
			result = leave_packed(job, &writer, &file);
		else if (!result)
			result = unpack_file(job, &file, i < job->loose.count && !order);
		i += i < job->loose.count && !order;
	}
	while (!result && i < job->loose.count)
		result = pack_job_keep(job, job->loose.item[i++]);
	if (!result && writer)
		result = finish_pack(job, writer);
	op_pack_writer_free(writer);
	free(walk);
	return result;
}

static int sync_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
	int fd, result;

	(void)type;
	(void)where;
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return 0; /* on the disk with its directory */
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	result = fsync(fd);
	close(fd);
	return result;
}

/* All that was made, one by one: syncfs() would wait for what others write, too. */
static int sync_fresh(struct pack_job *job)
{
	return nftw(job->fresh, sync_entry, 16, FTW_PHYS | FTW_DEPTH)
		       ? pack_job_failed(job, "write to the disk", job->fresh)
		       : 0;
}

int op_session_unpack(const char *dir, struct op_pack_result *result, struct op_error *error)
{
	struct op_error ignored = {0};
	struct pack_job job = {
		.parts_most = UINT64_MAX,.result = result, .error = error ? error : &ignored};
	int code = pack_job_begin(&job, dir);

	if (!code && !job.pack)
		code = op_error_set(job.error, ENOENT, "%s has no file \"%s\": nothing is packed",
				    job.dir, OP_PACK_NAME);
	if (!code) {
		code = -1;
		if (!pack_job_check_idle(&job) && !pack_job_make_fresh(&job) && !unpack_all(&job) &&
		    !pack_job_keep_rest(&job) && !sync_fresh(&job))
			code = pack_job_exchange(&job);
	}
	pack_job_end(&job);
	return code;
}
