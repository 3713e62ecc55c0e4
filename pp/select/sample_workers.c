// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Searches a tree in parallel.  One thread lists level after level, until there are enough
 * directories to share; then each thread takes the next one and searches all below it.  The results
 * of each directory stay together, and go to the list in the order of the directories.
 */

#include "sample_worker.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/progress.h"
#include "libop/base/memory.h"

void pp_sample_note(struct worker *worker, enum op_warning_kind kind, const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	worker->notes = op_grow(worker->notes, &worker->notes_capacity, worker->n_notes + 1,
				sizeof(*worker->notes));
	worker->notes[worker->n_notes++] = (struct note){kind, op_copy(text)};
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
		pp_sample_search_directory(worker, AT_FDCWD, NULL, 0);
	else
		pp_sample_add_file(worker, AT_FDCWD, worker->path);
	item->files_end = worker->found.n;
	item->arcs_end = worker->found.n_arcs;
	item->notes_end = worker->n_notes;
}

static void *sample_workers_work(void *context)
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
	items->array = op_grow(items->array, &items->capacity, items->n + 1, sizeof(item));
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
	fd = pp_sample_enter(worker, AT_FDCWD, NULL);
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

			if (!is_directory || !pp_sample_is_passed_over(worker, name))
				add_item(out,
					 (struct item){.path = op_format("%s/%s", item->path, name),
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
static void worker_run(struct worker **workers, unsigned int n)
{
	pthread_t threads[THREADS_MAX];
	unsigned int started = 1;

	while (started < n &&
	       !pthread_create(&threads[started], NULL, sample_workers_work, workers[started]))
		started++;
	sample_workers_work(workers[0]);
	for (unsigned int i = 1; i < started; i++)
		pthread_join(threads[i], NULL);
}

/* ---- results ---- */

static void sample_file_append(struct pp_sample_file **files, size_t *n, size_t *capacity,
			       const struct pp_sample_file *found, size_t first, size_t end)
{
	if (first == end)
		return;
	*files = op_grow(*files, capacity, *n + (end - first), sizeof(**files));
	memcpy(*files + *n, found + first, (end - first) * sizeof(**files));
	*n += end - first;
}

static void collect(struct tree *tree, struct worker **workers, struct pp_sample_list *list,
		    struct op_warnings *warnings)
{
	for (size_t i = 0; i < tree->n_items; i++) {
		const struct item *item = &tree->items[i];
		const struct worker *worker = workers[item->worker];

		sample_file_append(&list->files, &list->n, &list->capacity, worker->found.files,
				   item->files, item->files_end);
		sample_file_append(&list->arcs, &list->n_arcs, &list->arcs_capacity,
				   worker->found.arcs, item->arcs, item->arcs_end);
		for (size_t k = item->notes; k < item->notes_end; k++)
			op_warnings_add(warnings, worker->notes[k].kind, "%s",
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
		      const char *directory, struct op_warnings *warnings)
{
	struct tree tree = {.search = search, .list = list};
	struct worker *workers[THREADS_MAX];
	unsigned int n;

	tree.items = op_alloc(1, sizeof(*tree.items));
	tree.n_items = 1;
	tree.items->path = op_copy(directory);
	tree.items->is_directory = true;
	workers[0] = op_alloc(1, sizeof(**workers));
	workers[0]->tree = &tree;
	spread(&tree, workers[0]);
	n = choose_threads(&tree);
	for (unsigned int i = 1; i < n; i++) {
		workers[i] = op_alloc(1, sizeof(**workers));
		workers[i]->tree = &tree;
		workers[i]->number = i;
	}
	worker_run(workers, n);
	collect(&tree, workers, list, warnings);
	for (unsigned int i = 0; i < n; i++)
		free_worker(workers[i], list);
}
