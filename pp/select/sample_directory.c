// SPDX-License-Identifier: GPL-2.0-or-later
/* One directory of a session: its sample files, and the directories in it. */
#include "sample_worker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/memory.h"

/* ---- files ---- */

/* True if its image, or for an arc both images, are the application itself. */
static bool is_own(const struct op_sample_name *name)
{
	return pp_same_image(&name->app, &name->dep) &&
	       (!name->is_arc || pp_same_image(&name->app, &name->callee));
}

bool pp_sample_is_wanted(const struct pp_sample_search *search, const struct op_sample_name *name)
{
	return pp_spec_matches(search->spec, name) && !(search->exclude_dependent && !is_own(name));
}

static void keep_entries(struct worker *worker, struct pp_sample_file *file)
{
	size_t size = worker->load.n * sizeof(*file->entries);

	if (size > SMALL_FILE || atomic_fetch_add(&worker->tree->kept, size) + size > KEPT_MAX)
		return;
	file->entries = op_chunk(size);
	odb_load_entries(&worker->load, file->entries);
}

/* Return: 0, or -1 if it is not a valid sample file. */
static int worker_load(struct worker *worker, int directory, const char *name,
		       struct pp_sample_file *file)
{
	struct odb_error error;

	if (odb_load(&worker->load, directory, name, worker->path, &error)) {
		pp_sample_note(worker, OP_BAD_FILE, "skipped: %s", error.text);
		worker->found.n_bad++;
		return -1;
	}
	file->header = worker->load.header;
	file->n_entries = worker->load.n;
	file->sum = odb_load_sum(&worker->load);
	if (worker->tree->list->want_entries && !file->name.is_arc)
		keep_entries(worker, file);
	return 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && !strcmp(text + n - k, end);
}

static bool worker_is_wanted(struct worker *worker, const struct op_sample_name *name)
{
	const struct tree *tree = worker->tree;

	if (name->is_arc && !tree->list->want_arcs)
		return false;
	if (pp_sample_is_wanted(tree->search, name))
		return true;
	worker->found.n_passed_over += !name->is_arc;
	return false;
}

void pp_sample_add_file(struct worker *worker, int directory, const char *name)
{
	struct pp_sample_list *found = &worker->found;
	struct pp_sample_file file = {0};
	struct op_error error;

	/* Maps of JIT code, and temporary files of a killed daemon. */
	if (ends_with(worker->path, ".jo") ||
	    !strncmp(strrchr(worker->path, '/') + 1, ODB_TEMPORARY, strlen(ODB_TEMPORARY)))
		return;
	if (op_sample_name_parse(worker->path, &file.name, &error)) {
		pp_sample_note(worker, OP_BAD_NAME, "skipped: %s", error.text);
		return;
	}
	if (!worker_is_wanted(worker, &file.name) ||
	    (worker->tree->list->want_counts && worker_load(worker, directory, name, &file))) {
		op_sample_name_free(&file.name);
		return;
	}
	file.path = op_copy(worker->path);
	if (file.name.is_arc) {
		found->arcs = op_grow(found->arcs, &found->arcs_capacity, found->n_arcs + 1,
				      sizeof(file));
		found->arcs[found->n_arcs++] = file;
	} else {
		found->files = op_grow(found->files, &found->capacity, found->n + 1, sizeof(file));
		found->files[found->n++] = file;
	}
	atomic_fetch_add_explicit(&worker->tree->n_found, 1, memory_order_relaxed);
}

/* ---- directories ---- */

static int compare_entries(const void *a, const void *b, void *names)
{
	return strcmp((char *)names + ((const struct entry *)a)->name,
		      (char *)names + ((const struct entry *)b)->name);
}

static void add_entry(struct worker *worker, const struct dirent64 *entry)
{
	size_t n = strlen(entry->d_name) + 1;

	if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
		return;
	worker->entries = op_grow(worker->entries, &worker->entries_capacity, worker->n_entries + 1,
				  sizeof(*worker->entries));
	worker->entries[worker->n_entries++] =
		(struct entry){.name = worker->n_names, .type = entry->d_type};
	worker->names = op_grow(worker->names, &worker->names_capacity, worker->n_names + n, 1);
	memcpy(worker->names + worker->n_names, entry->d_name, n);
	worker->n_names += n;
}

/* Adds the entries of a directory, in the order of their names.  Return: 0, or -1 and errno. */
static int list_directory(struct worker *worker, int fd)
{
	size_t first = worker->n_entries;
	ssize_t n;

	while ((n = getdents64(fd, worker->buffer, sizeof(worker->buffer))) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *entry = (void *)(worker->buffer + at);

			add_entry(worker, entry);
			at += entry->d_reclen;
		}
	}
	if (worker->n_entries - first > 1)
		qsort_r(worker->entries + first, worker->n_entries - first, sizeof(struct entry),
			compare_entries, worker->names);
	return n ? -1 : 0;
}

/* Skips samples of sample files, of a profiler that profiled its own session. */
static bool is_of_itself(struct worker *worker)
{
	const char *samples_root = worker->tree->search->samples_root;
	size_t n = strlen(samples_root);

	if (worker->length < 2 * n || strcmp(worker->path + worker->length - n, samples_root) != 0)
		return false;
	pp_sample_note(worker, OP_BAD_NAME, "skipped: samples of a sample file, %s", worker->path);
	return true;
}

int pp_sample_enter(struct worker *worker, int parent, const char *name)
{
	int fd;

	if (is_of_itself(worker))
		return -1;
	fd = openat(parent, parent == AT_FDCWD ? worker->path : name,
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && !list_directory(worker, fd))
		return fd;
	pp_sample_note(worker, OP_BAD_DIRECTORY, "skipped: cannot read %s: %s", worker->path,
		       strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Appends an entry to the current path of the worker.  Return: 0, or -1: too long. */
static int go_to(struct worker *worker, const char *name)
{
	size_t n = strlen(name);

	if (worker->length + 1 + n >= sizeof(worker->path)) {
		pp_sample_note(worker, OP_BAD_NAME, "skipped: a path longer than %d in %s",
			       PATH_MAX, worker->path);
		return -1;
	}
	worker->path[worker->length] = '/';
	memcpy(worker->path + worker->length + 1, name, n + 1);
	worker->length += 1 + n;
	return 0;
}

static void go_back(struct worker *worker, size_t length)
{
	worker->length = length;
	worker->path[length] = '\0';
}

/* Classifies the current path; adds a warning if it is neither a file nor a directory. */
static unsigned char type_here(struct worker *worker, unsigned char type)
{
	struct stat status;

	if (type == DT_UNKNOWN && !lstat(worker->path, &status))
		type = S_ISDIR(status.st_mode)	 ? DT_DIR
		       : S_ISREG(status.st_mode) ? DT_REG
						 : DT_UNKNOWN;
	if (type != DT_REG && type != DT_DIR)
		pp_sample_note(worker, OP_BAD_NAME, "skipped: %s is not a regular file",
			       worker->path);
	return type;
}

bool pp_sample_is_passed_over(const struct worker *worker, const char *name)
{
	return !worker->tree->list->want_arcs && !strcmp(name, "{cg}");
}

void pp_sample_search_directory(struct worker *worker, int parent, const char *name, int depth)
{
	size_t length = worker->length, first = worker->n_entries, names = worker->n_names;
	int fd = pp_sample_enter(worker, parent, name);

	if (fd < 0)
		return;
	if (depth >= DEPTH_MAX) {
		close(fd);
		fd = AT_FDCWD;
	}
	for (size_t i = first, end = worker->n_entries; i < end; i++) {
		/* Arrays may move during the search below. */
		struct entry entry = worker->entries[i];
		unsigned char type;

		if (go_to(worker, worker->names + entry.name))
			continue;
		type = type_here(worker, entry.type);
		name = worker->path + length + 1;
		if (type == DT_REG)
			pp_sample_add_file(worker, fd, fd == AT_FDCWD ? worker->path : name);
		else if (type == DT_DIR && !pp_sample_is_passed_over(worker, name))
			pp_sample_search_directory(worker, fd, name, depth + 1);
		go_back(worker, length);
	}
	worker->n_entries = first;
	worker->n_names = names;
	if (fd != AT_FDCWD)
		close(fd);
}
