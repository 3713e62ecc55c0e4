// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packing a session: see session.h.  Loose files and those of the pack that is there already,
 * both in the order of names, are merged into a new one.
 */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "pack.h"
#include "job.h"
#include "loose.h"

/* Adds entries to those of @into, by key.  Return: 0, or -1 when out of memory. */
static int merge(struct pack_loose *into, const struct odb_entry *entries, size_t n)
{
	struct odb_entry *merged = malloc((into->n + n + 1) * sizeof(*merged));
	size_t i = 0, k = 0, out = 0;

	if (!merged)
		return -1;
	while (i < into->n || k < n) {
		bool first = k == n || (i < into->n && into->entries[i].key <= entries[k].key);
		struct odb_entry entry = first ? into->entries[i++] : entries[k++];

		if (first && k < n && entries[k].key == entry.key)
			entry.count += entries[k++].count;
		merged[out++] = entry;
	}
	free(into->entries);
	into->entries = merged;
	into->n = out;
	return 0;
}

/* A file that cannot be packed stays what and where it is. */
static int leave(struct pack_job *job, const char *name, const char *why)
{
	if (job->report)
		job->report(job->context, why);
	job->result->left++;
	return pack_job_keep(job, name);
}

static int pack_job_put(struct pack_job *job, struct op_pack_writer *writer,
			const struct op_pack_file *file, const struct pack_loose *content,
			const struct stacks_content *packed)
{
	struct stacks_content stacks[2] = {content->stacks};

	if (file->kind == OP_PACK_SAMPLES)
		return op_pack_add_samples(writer, file, content->entries, content->n, job->error);
	if (!packed)
		return op_pack_add_stacks(writer, file, stacks, 1, job->error);
	stacks[0] = *packed;
	stacks[1] = content->stacks;
	return op_pack_add_stacks(writer, file, stacks, content->stacks.nodes ? 2 : 1, job->error);
}

static int put_packed(struct pack_job *job, struct op_pack_writer *writer,
		      const struct op_pack_file *file, struct pack_loose *content)
{
	struct stacks_content stacks = {0};
	struct odb_entry *entries;
	int result;

	if (file->kind == OP_PACK_STACKS) {
		result = op_pack_stacks(job->pack, file, &stacks, job->error);
		if (!result)
			result = pack_job_put(job, writer, file, content, &stacks);
		stacks_content_free(&stacks);
		return result;
	}
	if (op_pack_samples(job->pack, &file->place, file->name, &entries, job->error))
		return -1;
	result = merge(content, entries, (size_t)file->n)
			 ? op_error_memory(job->error)
			 : pack_job_put(job, writer, file, content, NULL);
	free(entries);
	return result;
}

/* A name that is loose, and packed already if @file is given. */
static int put_loose(struct pack_job *job, struct op_pack_writer *writer, const char *name,
		     const struct op_pack_file *file)
{
	struct op_pack_file described = {
		.name = name,
		.kind = pack_loose_is_stacks(name) ? OP_PACK_STACKS : OP_PACK_SAMPLES,
	};
	struct pack_loose content;
	struct odb_error cause;
	int result;

	if (pack_loose_read(&content, job->dir, name, &cause)) {
		if (cause.code == ENOMEM)
			return op_error_set(job->error, cause.code, "%s", cause.text);
		result = leave(job, name, cause.text);
	} else if (file && file->kind == OP_PACK_SAMPLES &&
		   !pack_loose_same_header(&file->header, &content.header)) {
		pack_loose_free(&content);
		result = leave(job, name, "a packed file of its name has another header");
	} else {
		described.header = content.header;
		result = file ? put_packed(job, writer, file, &content)
			      : pack_job_put(job, writer, &described, &content, NULL);
		job->result->done++;
		file = NULL;
		if (result && job->error->code == EFBIG) {
			job->result->done--;
			result = leave(job, name, job->error->text);
		}
	}
	/* left alone, but some of it was packed before */
	if (!result && file) {
		content = (struct pack_loose){0};
		result = put_packed(job, writer, file, &content);
		job->result->done++;
	}
	pack_loose_free(&content);
	return result;
}

/* Merges loose and packed files in the order of names. */
static int pack_job_put_all(struct pack_job *job, struct op_pack_writer *writer)
{
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack_file file;
	size_t i = 0;
	bool packed;
	int result = 0;

	if (!walk)
		return op_error_memory(job->error);
	walk->pack = job->pack;
	packed = job->pack && op_pack_next(walk, &file);
	while (!result && (packed || i < job->loose.count)) {
		int order = !packed ? -1
			    : i == job->loose.count
				    ? 1
				    : op_pack_compare_names(job->loose.item[i], file.name);

		if (order <= 0) {
			result = put_loose(job, writer, job->loose.item[i++], order ? NULL : &file);
		} else {
			struct pack_loose none = {0};

			result = put_packed(job, writer, &file, &none);
			pack_loose_free(&none);
			job->result->done++;
		}
		if (order >= 0)
			packed = op_pack_next(walk, &file);
	}
	free(walk);
	return result;
}

static int write_pack(struct pack_job *job)
{
	char *path = op_path("%s/%s", job->fresh, job->pack_name ? job->pack_name : OP_PACK_NAME);
	struct op_pack_writer *writer = NULL;
	int result;

	if (!path)
		return op_error_memory(job->error);
	result = op_pack_create(&writer, path, job->error);
	if (!result)
		result = pack_job_put_all(job, writer);
	if (!result)
		result = op_pack_finish(writer, job->error);
	if (!result)
		result = pack_job_give(job, path, false);
	op_pack_writer_free(writer);
	free(path);
	return result;
}

/* The directories that were made have to be on the disk, too. */
static int sync_directories(struct pack_job *job)
{
	const char *before = "";

	for (size_t i = 0; i < job->rest.count; i++) {
		const char *name = job->rest.item[i], *slash = strrchr(name, '/');
		size_t n = slash ? (size_t)(slash - name) : 0;
		char *path;
		int fd, result;

		if (!n ||
		    (!strncmp(before, name, n) && before[n] == '/' && !strchr(before + n + 1, '/')))
			continue;
		before = name;
		path = op_path("%s/%.*s", job->fresh, (int)n, name);
		fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		result = fd < 0 || fsync(fd) ? pack_job_failed(job, "write to the disk", job->fresh)
					     : 0;
		if (fd >= 0)
			close(fd);
		free(path);
		if (result)
			return -1;
	}
	return fsync(job->fresh_fd) ? pack_job_failed(job, "write to the disk", job->fresh) : 0;
}

/* Whether there is something to do. */
static bool is_loose(const struct pack_job *job)
{
	return job->loose.count || (job->pack && !job->is_one);
}

static int pack_session(const char *dir, uint64_t parts_most, op_pack_report *report, void *context,
			struct op_pack_result *result, struct op_error *error)
{
	struct op_error ignored = {0};
	struct pack_job job = {
		.parts_most = parts_most,
		.report = report,
		.context = context,
		.result = result,
		.error = error ? error : &ignored,
	};
	int code = pack_job_begin(&job, dir);

	if (!code && is_loose(&job)) {
		code = -1;
		/* the pack is last: on most file systems, syncing it syncs the other files */
		if (!pack_job_check_idle(&job) && !pack_job_make_fresh(&job) &&
		    !pack_job_keep_rest(&job) && !write_pack(&job) && !sync_directories(&job))
			code = result->done ? pack_job_exchange(&job) : 0;
	} else if (!code && job.pack) {
		result->done = op_pack_files(job.pack);
	}
	pack_job_end(&job);
	return code;
}

int op_session_pack(const char *dir, op_pack_report *report, void *context,
		    struct op_pack_result *result, struct op_error *error)
{
	return pack_session(dir, UINT64_MAX, report, context, result, error);
}

int op_session_pack_recent(const char *dir, op_pack_report *report, void *context,
			   struct op_pack_result *result, struct op_error *error)
{
	return pack_session(dir, OP_PACK_RECENT_MOST, report, context, result, error);
}
