// SPDX-License-Identifier: GPL-2.0-or-later
/* Packing and unpacking: see pack_session.h. */
#include "pack_session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "libdb/file.h"
#include "libdb/stacks_layout.h"
#include "pack.h"
#include "sample_name.h"
#include "session.h"
#include "string_list.h"
#include "tree.h"

struct job {
	char *dir;    /* of the session, without links */
	char *parent; /* that it stands in */
	char *fresh;  /* what will take its place */
	int parent_fd, fresh_fd;
	struct stat status;	 /* of dir */
	struct op_strings loose; /* names of sample files and stack files */
	struct op_strings rest;	 /* of all other files */
	struct op_pack *pack;	 /* that is there, or NULL */
	op_pack_report *report;
	void *context;
	struct op_pack_result *result;
	struct op_error *error;
};

static int no_memory(struct job *job)
{
	return op_error_set(job->error, ENOMEM, "cannot pack %s: out of memory", job->dir);
}

static int failed(struct job *job, const char *doing, const char *path)
{
	int code = errno;

	return op_error_set(job->error, code, "cannot %s %s: %s", doing, path, strerror(code));
}

/* The same where a file system may have no such thing: EOPNOTSUPP, whatever it says. */
static int unable(struct job *job, const char *doing, const char *path)
{
	bool is = errno == EINVAL || errno == ENOSYS || errno == EXDEV || errno == EPERM ||
		  errno == EMLINK;

	failed(job, doing, path);
	if (is)
		job->error->code = EOPNOTSUPP;
	return -1;
}

/* ---- what there is ---- */

static bool is_stacks_name(const char *name)
{
	return !strncmp(name, OP_SAMPLES_STACKS "/", strlen(OP_SAMPLES_STACKS "/"));
}

static bool is_loose_name(const char *name)
{
	struct op_sample_name parsed;
	struct op_error ignored;

	if (is_stacks_name(name) ? op_stacks_name_parse(name, &parsed, &ignored)
				 : (strncmp(name, "{root}/", 7) && strncmp(name, "{kern}/", 7)) ||
					   op_sample_name_parse(name, &parsed, &ignored))
		return false;
	op_sample_name_free(&parsed);
	return true;
}

static int visit(const char *path, const struct stat *status, void *context)
{
	struct job *job = context;
	const char *name = path + strlen(job->dir) + 1, *slash = strrchr(name, '/');
	bool unfinished = !strncmp(slash ? slash + 1 : name, ODB_TEMPORARY, strlen(ODB_TEMPORARY));

	if (!strcmp(name, OP_PACK_NAME))
		return op_pack_open(&job->pack, path, job->error);
	if (unfinished && S_ISREG(status->st_mode)) {
		if (odb_leftover(path, false) > 0)
			return 0; /* left by a kill: it goes with the old directory */
		return op_error_set(job->error, EBUSY, "%s is being written", path);
	}
	if (op_strings_add(S_ISREG(status->st_mode) && is_loose_name(name) ? &job->loose
									   : &job->rest,
			   name))
		return no_memory(job);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return op_pack_compare_names(*(char *const *)a, *(char *const *)b);
}

/* ---- the new directory ---- */

/* Gives what was made the owner and the rights of the session's directory. */
static int give(struct job *job, const char *path, bool is_directory)
{
	mode_t mode = job->status.st_mode & 07777;

	/* Who is not root makes what is his own. */
	if (!geteuid() && lchown(path, job->status.st_uid, job->status.st_gid))
		return failed(job, "give away", path);
	if (chmod(path, is_directory ? mode : mode & 0666))
		return failed(job, "set the mode of", path);
	return 0;
}

/* Makes the directories on the way to a name. */
static int make_directories(struct job *job, const char *name)
{
	int result = 0;

	for (const char *slash = name; !result && (slash = strchr(slash, '/')); slash++) {
		char *path = op_path("%s/%.*s", job->fresh, (int)(slash - name), name);

		if (!path)
			return no_memory(job);
		if (!mkdir(path, 0700))
			result = give(job, path, true);
		else if (errno != EEXIST)
			result = failed(job, "make directory", path);
		free(path);
	}
	return result;
}

/* The same file, under the same name. */
static int keep(struct job *job, const char *name)
{
	char *from = op_path("%s/%s", job->dir, name), *to = op_path("%s/%s", job->fresh, name);
	int result;

	if (!from || !to)
		result = no_memory(job);
	else if (make_directories(job, name))
		result = -1;
	else
		result = link(from, to) ? unable(job, "link", from) : 0;
	free(from);
	free(to);
	return result;
}

static int keep_rest(struct job *job)
{
	for (size_t i = 0; i < job->rest.count; i++)
		if (keep(job, job->rest.item[i]))
			return -1;
	return 0;
}

/* Removes what was left by kills; one that is at work has its directory locked. */
static void remove_leftovers(struct job *job)
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

static int begin(struct job *job, const char *dir)
{
	char *slash;

	job->parent_fd = job->fresh_fd = -1;
	*job->result = (struct op_pack_result){0};
	job->dir = realpath(dir, NULL);
	if (!job->dir || stat(job->dir, &job->status))
		return failed(job, "open", dir);
	job->parent = strdup(job->dir);
	slash = job->parent ? strrchr(job->parent, '/') : NULL;
	if (!slash)
		return no_memory(job);
	slash[slash == job->parent] = '\0';
	job->parent_fd = open(job->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (job->parent_fd < 0)
		return failed(job, "open", job->parent);
	remove_leftovers(job);
	if (op_walk(job->dir, visit, job, job->error))
		return -1;
	if (job->loose.count)
		qsort(job->loose.item, job->loose.count, sizeof(*job->loose.item), by_name);
	return 0;
}

static int make_fresh(struct job *job)
{
	char *fresh = op_path("%s/" OP_PACK_TEMPORARY "XXXXXX", job->parent);

	if (!fresh)
		return no_memory(job);
	if (!mkdtemp(fresh)) {
		free(fresh);
		return failed(job, "make a directory in", job->parent);
	}
	job->fresh = fresh;
	job->fresh_fd = open(fresh, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (job->fresh_fd < 0 || flock(job->fresh_fd, LOCK_EX))
		return failed(job, "lock", fresh);
	return give(job, fresh, true);
}

/* What became of @path while we worked is nobody's: nobody else writes here. */
static int exchange(struct job *job)
{
	if (renameat2(AT_FDCWD, job->fresh, AT_FDCWD, job->dir, RENAME_EXCHANGE))
		return unable(job, "exchange the files of", job->dir);
	if (!fsync(job->parent_fd))
		return 0;
	/* The old files may be the session after a loss of power: they stay beside it. */
	failed(job, "write to the disk", job->parent);
	free(job->fresh);
	job->fresh = NULL;
	return -1;
}

static void end(struct job *job)
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

/* ---- loose files ---- */

/* What is in a loose file, of either kind. */
struct content {
	struct odb_header header;
	struct odb_entry *entries;
	size_t n;
	struct stacks_content stacks;
};

static void content_free(struct content *content)
{
	free(content->entries);
	stacks_content_free(&content->stacks);
	*content = (struct content){0};
}

/* Only files that could be made again as they are. */
static bool is_native(const struct odb *db)
{
	const struct odb_format format = odb_format(db);

	return odb_header(db)->version == ODB_VERSION && !strcmp(format.abi, "x86-64") &&
	       format.big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static int read_samples(const char *path, struct content *content, struct odb_error *error)
{
	struct odb *db;
	ptrdiff_t n;

	if (odb_open(&db, path, ODB_READ, NULL, error))
		return -1;
	content->header = *odb_header(db);
	if (!is_native(db)) {
		odb_close(db);
		error->code = ENOTSUP;
		snprintf(error->text, sizeof(error->text), "%.400s: of another version or machine",
			 path);
		return -1;
	}
	n = odb_entries_by_key(db, &content->entries, error);
	odb_close(db);
	content->n = n > 0 ? (size_t)n : 0;
	return n < 0 ? -1 : 0;
}

/* Return: 0, or -1 with @error set. */
static int read_loose(struct job *job, const char *name, struct content *content,
		      struct odb_error *error)
{
	char *path = op_path("%s/%s", job->dir, name);
	int result;

	*content = (struct content){0};
	*error = (struct odb_error){.code = ENOMEM, .text = "out of memory"};
	if (!path)
		return -1;
	result = is_stacks_name(name) ? stacks_read(&content->stacks, path, error)
				      : read_samples(path, content, error);
	free(path);
	return result;
}

/* Nobody may be adding to what is packed. */
static int check_idle(struct job *job)
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

/* ---- packing ---- */

static bool same_header(const struct odb_header *a, const struct odb_header *b)
{
	return a->cpu_type == b->cpu_type && a->ctr_event == b->ctr_event &&
	       a->ctr_um == b->ctr_um && a->ctr_count == b->ctr_count &&
	       a->is_kernel == b->is_kernel && a->cg_to_is_kernel == b->cg_to_is_kernel &&
	       a->mtime == b->mtime && a->anon_start == b->anon_start &&
	       a->cg_to_anon_start == b->cg_to_anon_start;
}

/* Adds entries to those of @into, by key.  Return: 0, or -1 when out of memory. */
static int merge(struct content *into, const struct odb_entry *entries, size_t n)
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
static int leave(struct job *job, const char *name, const char *why)
{
	if (job->report)
		job->report(job->context, why);
	job->result->left++;
	return keep(job, name);
}

static int put(struct job *job, struct op_pack_writer *writer, const struct op_pack_file *file,
	       const struct content *content, const struct stacks_content *packed)
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

static int put_packed(struct job *job, struct op_pack_writer *writer,
		      const struct op_pack_file *file, struct content *content)
{
	struct stacks_content stacks = {0};
	struct odb_entry *entries;
	int result;

	if (file->kind == OP_PACK_STACKS) {
		result = op_pack_stacks(job->pack, file, &stacks, job->error);
		if (!result)
			result = put(job, writer, file, content, &stacks);
		stacks_content_free(&stacks);
		return result;
	}
	if (op_pack_samples(job->pack, &file->place, file->name, &entries, job->error))
		return -1;
	result = merge(content, entries, (size_t)file->n) ? no_memory(job)
							  : put(job, writer, file, content, NULL);
	free(entries);
	return result;
}

/* A name that is loose, and packed already if @file is given. */
static int put_loose(struct job *job, struct op_pack_writer *writer, const char *name,
		     const struct op_pack_file *file)
{
	struct op_pack_file described = {
		.name = name,
		.kind = is_stacks_name(name) ? OP_PACK_STACKS : OP_PACK_SAMPLES,
	};
	struct content content;
	struct odb_error cause;
	int result;

	if (read_loose(job, name, &content, &cause)) {
		if (cause.code == ENOMEM)
			return op_error_set(job->error, cause.code, "%s", cause.text);
		result = leave(job, name, cause.text);
	} else if (file && file->kind == OP_PACK_SAMPLES &&
		   !same_header(&file->header, &content.header)) {
		content_free(&content);
		result = leave(job, name, "a packed file of its name has another header");
	} else {
		described.header = content.header;
		result = file ? put_packed(job, writer, file, &content)
			      : put(job, writer, &described, &content, NULL);
		job->result->done++;
		file = NULL;
		if (result && job->error->code == EFBIG) {
			job->result->done--;
			result = leave(job, name, job->error->text);
		}
	}
	/* left alone, but some of it was packed before */
	if (!result && file) {
		content = (struct content){0};
		result = put_packed(job, writer, file, &content);
		job->result->done++;
	}
	content_free(&content);
	return result;
}

/* Goes through loose and packed files in one order. */
static int put_all(struct job *job, struct op_pack_writer *writer)
{
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack_file file;
	size_t i = 0;
	bool packed;
	int result = 0;

	if (!walk)
		return no_memory(job);
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
			struct content none = {0};

			result = put_packed(job, writer, &file, &none);
			content_free(&none);
			job->result->done++;
		}
		if (order >= 0)
			packed = op_pack_next(walk, &file);
	}
	free(walk);
	return result;
}

static int write_pack(struct job *job)
{
	char *path = op_path("%s/" OP_PACK_NAME, job->fresh);
	struct op_pack_writer *writer = NULL;
	int result;

	if (!path)
		return no_memory(job);
	result = op_pack_create(&writer, path, job->error);
	if (!result)
		result = put_all(job, writer);
	if (!result)
		result = op_pack_finish(writer, job->error);
	if (!result)
		result = give(job, path, false);
	op_pack_writer_free(writer);
	free(path);
	return result;
}

/* The directories that were made have to be on the disk, too. */
static int sync_directories(struct job *job)
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
		result = fd < 0 || fsync(fd) ? failed(job, "write to the disk", job->fresh) : 0;
		if (fd >= 0)
			close(fd);
		free(path);
		if (result)
			return -1;
	}
	return fsync(job->fresh_fd) ? failed(job, "write to the disk", job->fresh) : 0;
}

int op_session_pack(const char *dir, op_pack_report *report, void *context,
		    struct op_pack_result *result, struct op_error *error)
{
	struct op_error ignored;
	struct job job = {
		.report = report,
		.context = context,
		.result = result,
		.error = error ? error : &ignored,
	};
	int code = begin(&job, dir);

	if (!code && job.loose.count) {
		code = -1;
		/* the pack comes last: on most file systems, waiting for it is waiting for all */
		if (!check_idle(&job) && !make_fresh(&job) && !keep_rest(&job) &&
		    !write_pack(&job) && !sync_directories(&job))
			code = result->done ? exchange(&job) : 0;
	} else if (!code && job.pack) {
		result->done = op_pack_files(job.pack);
	}
	end(&job);
	return code;
}

/* ---- unpacking ---- */

static int odb_failed(struct job *job, const struct odb_error *cause)
{
	return op_error_set(job->error, cause->code, "%s", cause->text);
}

static int add_samples(struct job *job, struct odb *db, const struct odb_entry *entries, size_t n)
{
	struct odb_error cause;

	for (size_t i = 0; i < n; i++)
		if (odb_add(db, entries[i].key, entries[i].count, &cause))
			return odb_failed(job, &cause);
	return 0;
}

/* @loose: what is loose under this name, or NULL. */
static int unpack_samples(struct job *job, const struct op_pack_file *file, const char *path,
			  const struct content *loose)
{
	struct odb_entry *entries;
	struct odb_error cause;
	struct odb *db;
	int result;

	if (loose && !same_header(&file->header, &loose->header))
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

static int add_stacks(struct job *job, struct stacks *stacks, const struct stacks_content *content)
{
	uint32_t *images = calloc(content->n_images + 1, sizeof(*images));
	uint32_t *numbers = calloc(content->n_nodes, sizeof(*numbers));
	struct odb_error cause;
	int result = images && numbers ? 0 : no_memory(job);

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
		     stacks_count(stacks, numbers[i], node->count, false, &cause) != STACKS_ADDED))
			result = odb_failed(job, &cause);
	}
	if (!result)
		stacks_add_merged(stacks, content->merged);
	free(images);
	free(numbers);
	return result;
}

static int unpack_stacks(struct job *job, const struct op_pack_file *file, const char *path,
			 const struct content *loose)
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

static int unpack_file(struct job *job, const struct op_pack_file *file, bool is_loose)
{
	char *path = op_path("%s/%s", job->fresh, file->name);
	struct content loose = {0};
	struct odb_error cause;
	int result;

	if (!path)
		return no_memory(job);
	result = is_loose && read_loose(job, file->name, &loose, &cause) ? odb_failed(job, &cause)
									 : 0;
	if (!result)
		result = make_directories(job, file->name);
	if (!result)
		result = file->kind == OP_PACK_STACKS
				 ? unpack_stacks(job, file, path, is_loose ? &loose : NULL)
				 : unpack_samples(job, file, path, is_loose ? &loose : NULL);
	if (!result)
		result = give(job, path, false);
	job->result->done += !result;
	content_free(&loose);
	free(path);
	return result;
}

static int unpack_all(struct job *job)
{
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack_file file;
	int result = 0;
	size_t i = 0;

	if (!walk)
		return no_memory(job);
	walk->pack = job->pack;
	while (!result && op_pack_next(walk, &file)) {
		int order = -1;

		/* loose files that are not packed stay as they are */
		while (!result && i < job->loose.count &&
		       (order = op_pack_compare_names(job->loose.item[i], file.name)) < 0)
			result = keep(job, job->loose.item[i++]);
		if (!result)
			result = unpack_file(job, &file, i < job->loose.count && !order);
		i += i < job->loose.count && !order;
	}
	while (!result && i < job->loose.count)
		result = keep(job, job->loose.item[i++]);
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
static int sync_fresh(struct job *job)
{
	return nftw(job->fresh, sync_entry, 16, FTW_PHYS | FTW_DEPTH)
		       ? failed(job, "write to the disk", job->fresh)
		       : 0;
}

int op_session_unpack(const char *dir, struct op_pack_result *result, struct op_error *error)
{
	struct op_error ignored;
	struct job job = {.result = result, .error = error ? error : &ignored};
	int code = begin(&job, dir);

	if (!code && !job.pack)
		code = op_error_set(job.error, ENOENT, "%s has no file \"%s\": nothing is packed",
				    job.dir, OP_PACK_NAME);
	if (!code) {
		code = -1;
		if (!check_idle(&job) && !make_fresh(&job) && !unpack_all(&job) &&
		    !keep_rest(&job) && !sync_fresh(&job))
			code = exchange(&job);
	}
	end(&job);
	return code;
}
