// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Searches a tree in parallel.  One thread lists level after level, until there are enough
 * directories to share; then each thread takes the next one and searches all below it.  The results
 * of each directory stay together, and go to the list in the order of the directories.
 */
#include "sample_search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/odb/odb.h"
#include "libop/base/progress.h"
#include "libop/base/memory.h"

/* Directories from which on threads are worth their cost. */
#define ENOUGH	    64
#define THREADS_MAX 8
/* Maximum depth of open directories. */
#define DEPTH_MAX 64
/*
 * Entries of small files are cached, because opening a file again is slow; larger files are read
 * again, to save memory.
 */
#define KEPT_MAX   (32u << 20) /* bytes, of all files */
#define SMALL_FILE 8192	       /* bytes, of the entries of one */

/* A file, or a directory to search, and its results. */
struct item {
	char *path;
	bool is_directory;
	bool is_whole; /* it is searched as a whole */
	unsigned int worker;
	size_t files, files_end, arcs, arcs_end, notes, notes_end;
};

/* A warning, kept for pp_warnings_add(). */
struct note {
	enum pp_warning_kind kind;
	char *text;
};

struct entry {
	size_t name; /* in names of the worker */
	unsigned char type;
};

struct tree {
	const struct pp_sample_search *search;
	const struct pp_sample_list *list; /* what is wanted */
	struct item *items;
	size_t n_items;
	atomic_size_t next, n_found, kept;
};

struct worker {
	struct tree *tree;
	unsigned int number;
	struct pp_sample_list found; /* files, arcs, n_passed_over, n_bad */
	struct note *notes;
	size_t n_notes, notes_capacity;
	/* Its current path. */
	char path[PATH_MAX];
	size_t length;
	/* The names in the directories on that path, one after another. */
	struct entry *entries;
	size_t n_entries, entries_capacity;
	char *names;
	size_t n_names, names_capacity;
	struct odb_load load;
	char buffer[32768] __attribute__((aligned(8))); /* of getdents64() */
};

static void note(struct worker *worker, enum pp_warning_kind kind, const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	worker->notes = pp_grow(worker->notes, &worker->notes_capacity, worker->n_notes + 1,
				sizeof(*worker->notes));
	worker->notes[worker->n_notes++] = (struct note){kind, pp_copy(text)};
}

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
	file->entries = pp_chunk(size);
	odb_load_entries(&worker->load, file->entries);
}

/* Return: 0, or -1 if it is not a valid sample file. */
static int load(struct worker *worker, int directory, const char *name, struct pp_sample_file *file)
{
	struct odb_error error;

	if (odb_load(&worker->load, directory, name, worker->path, &error)) {
		note(worker, PP_BAD_FILE, "skipped: %s", error.text);
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

static bool is_wanted(struct worker *worker, const struct op_sample_name *name)
{
	const struct tree *tree = worker->tree;

	if (name->is_arc && !tree->list->want_arcs)
		return false;
	if (pp_sample_is_wanted(tree->search, name))
		return true;
	worker->found.n_passed_over += !name->is_arc;
	return false;
}

static void add_file(struct worker *worker, int directory, const char *name)
{
	struct pp_sample_list *found = &worker->found;
	struct pp_sample_file file = {0};
	struct op_error error;

	/* Maps of JIT code, and temporary files of a killed daemon. */
	if (ends_with(worker->path, ".jo") ||
	    !strncmp(strrchr(worker->path, '/') + 1, ODB_TEMPORARY, strlen(ODB_TEMPORARY)))
		return;
	if (op_sample_name_parse(worker->path, &file.name, &error)) {
		note(worker, PP_BAD_NAME, "skipped: %s", error.text);
		return;
	}
	if (!is_wanted(worker, &file.name) ||
	    (worker->tree->list->want_counts && load(worker, directory, name, &file))) {
		op_sample_name_free(&file.name);
		return;
	}
	file.path = pp_copy(worker->path);
	if (file.name.is_arc) {
		found->arcs = pp_grow(found->arcs, &found->arcs_capacity, found->n_arcs + 1,
				      sizeof(file));
		found->arcs[found->n_arcs++] = file;
	} else {
		found->files = pp_grow(found->files, &found->capacity, found->n + 1, sizeof(file));
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
	worker->entries = pp_grow(worker->entries, &worker->entries_capacity, worker->n_entries + 1,
				  sizeof(*worker->entries));
	worker->entries[worker->n_entries++] =
		(struct entry){.name = worker->n_names, .type = entry->d_type};
	worker->names = pp_grow(worker->names, &worker->names_capacity, worker->n_names + n, 1);
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
	note(worker, PP_BAD_NAME, "skipped: samples of a sample file, %s", worker->path);
	return true;
}

/* Opens the current directory of the worker, and lists it.  Return: a descriptor, or -1. */
static int enter(struct worker *worker, int parent, const char *name)
{
	int fd;

	if (is_of_itself(worker))
		return -1;
	fd = openat(parent, parent == AT_FDCWD ? worker->path : name,
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && !list_directory(worker, fd))
		return fd;
	note(worker, PP_BAD_DIRECTORY, "skipped: cannot read %s: %s", worker->path,
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
		note(worker, PP_BAD_NAME, "skipped: a path longer than %d in %s", PATH_MAX,
		     worker->path);
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
		note(worker, PP_BAD_NAME, "skipped: %s is not a regular file", worker->path);
	return type;
}

static bool is_passed_over(const struct worker *worker, const char *name)
{
	return !worker->tree->list->want_arcs && !strcmp(name, "{cg}");
}

static void search_directory(struct worker *worker, int parent, const char *name, int depth)
{
	size_t length = worker->length, first = worker->n_entries, names = worker->n_names;
	int fd = enter(worker, parent, name);

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
			add_file(worker, fd, fd == AT_FDCWD ? worker->path : name);
		else if (type == DT_DIR && !is_passed_over(worker, name))
			search_directory(worker, fd, name, depth + 1);
		go_back(worker, length);
	}
	worker->n_entries = first;
	worker->n_names = names;
	if (fd != AT_FDCWD)
		close(fd);
}

/* ---- sharing ---- */

static void search_item(struct worker *worker, struct item *item)
{
	item->worker = worker->number;
	item->files = worker->found.n;
	item->arcs = worker->found.n_arcs;
	item->notes = worker->n_notes;
	worker->length = strlen(item->path);
	memcpy(worker->path, item->path, worker->length + 1);
	if (item->is_directory)
		search_directory(worker, AT_FDCWD, NULL, 0);
	else
		add_file(worker, AT_FDCWD, worker->path);
	item->files_end = worker->found.n;
	item->arcs_end = worker->found.n_arcs;
	item->notes_end = worker->n_notes;
}

static void *work(void *context)
{
	struct worker *worker = context;
	struct tree *tree = worker->tree;
	size_t i;

	while ((i = atomic_fetch_add(&tree->next, 1)) < tree->n_items) {
		search_item(worker, &tree->items[i]);
		if (!worker->number)
			op_progress("sample files found", atomic_load(&tree->n_found), 0);
	}
	return NULL;
}

struct items {
	struct item *array;
	size_t n, capacity;
};

static void add_item(struct items *items, struct item item)
{
	items->array = pp_grow(items->array, &items->capacity, items->n + 1, sizeof(item));
	items->array[items->n++] = item;
}

static void forget_notes(struct worker *worker, size_t first)
{
	while (worker->n_notes > first)
		free(worker->notes[--worker->n_notes].text);
}

/* True if the entries just listed may replace their directory. */
static bool is_plain(const struct worker *worker)
{
	for (size_t i = 0; i < worker->n_entries; i++) {
		const struct entry *entry = &worker->entries[i];

		if ((entry->type != DT_REG && entry->type != DT_DIR) ||
		    worker->length + 1 + strlen(worker->names + entry->name) >= PATH_MAX)
			return false;
	}
	return true;
}

/*
 * Replaces a directory by its entries.  A directory that cannot be read, or has unusual entries,
 * stays: the search will warn of it.
 */
static void split(struct worker *worker, struct item *item, struct items *out)
{
	int fd;

	worker->length = strlen(item->path);
	memcpy(worker->path, item->path, worker->length + 1);
	fd = enter(worker, AT_FDCWD, NULL);
	if (fd >= 0)
		close(fd);
	forget_notes(worker, 0);
	if (fd < 0 || !is_plain(worker)) {
		item->is_whole = true;
		add_item(out, *item);
	} else {
		for (size_t i = 0; i < worker->n_entries; i++) {
			const char *name = worker->names + worker->entries[i].name;
			bool is_directory = worker->entries[i].type == DT_DIR;

			if (!is_directory || !is_passed_over(worker, name))
				add_item(out,
					 (struct item){.path = pp_format("%s/%s", item->path, name),
						       .is_directory = is_directory,
						       .is_whole = !is_directory});
		}
		free(item->path);
	}
	worker->n_entries = worker->n_names = 0;
}

static size_t count_splittable(const struct tree *tree)
{
	size_t n = 0;

	for (size_t i = 0; i < tree->n_items; i++)
		n += !tree->items[i].is_whole;
	return n;
}

/* Lists level after level, until there are enough directories for all threads. */
static void spread(struct tree *tree, struct worker *worker)
{
	size_t n;

	while ((n = count_splittable(tree)) && n < ENOUGH) {
		struct items next = {0};

		for (size_t i = 0; i < tree->n_items; i++) {
			if (tree->items[i].is_whole)
				add_item(&next, tree->items[i]);
			else
				split(worker, &tree->items[i], &next);
		}
		free(tree->items);
		tree->items = next.array;
		tree->n_items = next.n;
	}
}

/* One thread per CPU, if there are enough directories. */
static unsigned int choose_threads(const struct tree *tree)
{
	cpu_set_t cpus;
	int n;

	if (tree->n_items < ENOUGH || sched_getaffinity(0, sizeof(cpus), &cpus))
		return 1;
	n = CPU_COUNT(&cpus);
	return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (unsigned int)n;
}

/* Continue with fewer threads if one cannot be started. */
static void run(struct worker **workers, unsigned int n)
{
	pthread_t threads[THREADS_MAX];
	unsigned int started = 1;

	while (started < n && !pthread_create(&threads[started], NULL, work, workers[started]))
		started++;
	work(workers[0]);
	for (unsigned int i = 1; i < started; i++)
		pthread_join(threads[i], NULL);
}

/* ---- results ---- */

static void append(struct pp_sample_file **files, size_t *n, size_t *capacity,
		   const struct pp_sample_file *found, size_t first, size_t end)
{
	if (first == end)
		return;
	*files = pp_grow(*files, capacity, *n + (end - first), sizeof(**files));
	memcpy(*files + *n, found + first, (end - first) * sizeof(**files));
	*n += end - first;
}

static void collect(struct tree *tree, struct worker **workers, struct pp_sample_list *list,
		    struct pp_warnings *warnings)
{
	for (size_t i = 0; i < tree->n_items; i++) {
		const struct item *item = &tree->items[i];
		const struct worker *worker = workers[item->worker];

		append(&list->files, &list->n, &list->capacity, worker->found.files, item->files,
		       item->files_end);
		append(&list->arcs, &list->n_arcs, &list->arcs_capacity, worker->found.arcs,
		       item->arcs, item->arcs_end);
		for (size_t k = item->notes; k < item->notes_end; k++)
			pp_warnings_add(warnings, worker->notes[k].kind, "%s",
					worker->notes[k].text);
		free(item->path);
	}
	free(tree->items);
}

static void free_worker(struct worker *worker, struct pp_sample_list *list)
{
	list->n_passed_over += worker->found.n_passed_over;
	list->n_bad += worker->found.n_bad;
	forget_notes(worker, 0);
	free(worker->notes);
	free(worker->found.files);
	free(worker->found.arcs);
	free(worker->entries);
	free(worker->names);
	odb_load_free(&worker->load);
	free(worker);
}

void pp_sample_search(struct pp_sample_list *list, const struct pp_sample_search *search,
		      const char *directory, struct pp_warnings *warnings)
{
	struct tree tree = {.search = search, .list = list};
	struct worker *workers[THREADS_MAX];
	unsigned int n;

	tree.items = pp_alloc(1, sizeof(*tree.items));
	tree.n_items = 1;
	tree.items->path = pp_copy(directory);
	tree.items->is_directory = true;
	workers[0] = pp_alloc(1, sizeof(**workers));
	workers[0]->tree = &tree;
	spread(&tree, workers[0]);
	n = choose_threads(&tree);
	for (unsigned int i = 1; i < n; i++) {
		workers[i] = pp_alloc(1, sizeof(**workers));
		workers[i]->tree = &tree;
		workers[i]->number = i;
	}
	run(workers, n);
	collect(&tree, workers, list, warnings);
	for (unsigned int i = 0; i < n; i++)
		free_worker(workers[i], list);
}
