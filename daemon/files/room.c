// SPDX-License-Identifier: GPL-2.0-or-later
/* Which sample files are open: at a limit, and when they are not in use, files are closed. */
#include "open_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Descriptors for other purposes. */
#define OTHER_DESCRIPTORS 64
/* Descriptors, each with a mapping; files of their own beyond that are opened again. */
#define DESCRIPTORS_MOST 4096

void sample_files_set_limit(struct sample_files *files)
{
	struct rlimit limit;

	files->most = 1024 - OTHER_DESCRIPTORS;
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	if (limit.rlim_cur < limit.rlim_max) {
		struct rlimit wanted = limit;

		wanted.rlim_cur =
			limit.rlim_max < DESCRIPTORS_MOST ? limit.rlim_max : DESCRIPTORS_MOST;
		if (wanted.rlim_cur > limit.rlim_cur && !setrlimit(RLIMIT_NOFILE, &wanted))
			limit = wanted;
	}
	files->most = limit.rlim_cur < DESCRIPTORS_MOST ? limit.rlim_cur : DESCRIPTORS_MOST;
	files->most = files->most > 2 * OTHER_DESCRIPTORS ? files->most - OTHER_DESCRIPTORS
							  : files->most / 2;
}

/* ---- closing ---- */

/* Closes it without a look at what it has. */
void sample_file_abandon(struct sample_files *files, struct sample_file *file)
{
	odb_close(file->db);
	stacks_close(file->stacks);
	op_hash_map_free(&file->stack_images);
	file->db = NULL;
	file->stacks = NULL;
	file->tried = SAMPLE_FILE_NEVER;
	files->count--;
	files->closed++;
}

/* Has the budget take what an open file has grown by. */
void sample_file_tell_growth(struct sample_files *files, struct sample_file *file)
{
	uint64_t bytes = file->stacks ? stacks_disk_bytes(file->stacks) : odb_disk_bytes(file->db);

	if (bytes > file->bytes)
		budget_add(&files->budget, bytes - file->bytes);
	file->bytes = bytes;
}

static void close_file(struct sample_files *files, struct sample_file *file)
{
	if (!sample_file_is_open(file) || !sample_file_check(files, file))
		return;
	sample_file_tell_growth(files, file);
	log_verbose(LOG_SFILE, "close a %s file of %s", file->stacks ? "stack" : "sample",
		    file->key.dep->id.name);
	sample_file_abandon(files, file);
}

static void free_file(struct sample_files *files, struct sample_file *file)
{
	close_file(files, file);
	if (file->key.dep->recent == file)
		file->key.dep->recent = NULL;
	free(file);
}

/* ---- the least recently used ---- */

/* All files in an array, which the caller frees; NULL if there are none or memory is short. */
static struct sample_file **list_files(const struct sample_files *files, size_t *count)
{
	const struct op_hash_map *map = &files->by_key;
	struct sample_file **list = NULL, *file;
	size_t n = 0;

	for (int pass = 0; pass < 2; pass++) {
		n = 0;
		for (size_t i = 0; i < map->n; i++) {
			for (file = map->entries[i].value; file; file = file->next) {
				if (pass)
					list[n] = file;
				n++;
			}
		}
		if (!pass)
			list = n ? malloc(n * sizeof(struct sample_file *)) : NULL;
		if (!list)
			break;
	}
	*count = list ? n : 0;
	return list;
}

static int by_use(const void *a, const void *b)
{
	const struct sample_file *const *x = a, *const *y = b;

	return ((*x)->used > (*y)->used) - ((*x)->used < (*y)->used);
}

int sample_files_insert(struct sample_files *files, struct sample_file *file)
{
	uint64_t hash = sample_key_hash(&file->key);

	file->next = op_hash_map_find(&files->by_key, hash);
	return op_hash_map_set(&files->by_key, hash, file);
}

/* Closes the least recently used quarter.  Return: whether any file was closed. */
bool sample_files_make_room(struct sample_files *files)
{
	size_t count, kept = 0, closing;
	struct sample_file **list = list_files(files, &count);

	if (!list)
		return false;
	qsort(list, count, sizeof(struct sample_file *), by_use);
	closing = (count + 3) / 4;
	op_hash_map_free(&files->by_key);
	for (size_t i = 0; i < count; i++) {
		if (i < closing || sample_files_insert(files, list[i]))
			free_file(files, list[i]);
		else
			kept++;
	}
	free(list);
	files->closed += count - kept;
	log_verbose(LOG_SFILE, "closed %zu sample files to make room, %zu stay", count - kept,
		    kept);
	return true;
}

/* Closes the stack files of a list by use, least recently used first, until the indices of the
 * others fit the bound; but not the newest if @but_newest. */
static void bound_indices(struct sample_files *files, struct sample_file *const *list, size_t count,
			  bool but_newest)
{
	uint64_t memory = 0;
	size_t end = count;

	for (size_t i = 0; i < count; i++)
		memory += list[i]->stacks ? stacks_memory(list[i]->stacks) : 0;
	while (but_newest && end && !list[--end]->stacks)
		;
	for (size_t i = 0; i < end && memory > SAMPLE_FILES_INDEX_MOST; i++) {
		if (!list[i]->stacks)
			continue;
		memory -= stacks_memory(list[i]->stacks);
		close_file(files, list[i]);
	}
	files->index_memory = memory;
}

/* Before a stack file is opened.  Those that are open are looked at if they may be too large. */
void sample_files_make_index_room(struct sample_files *files)
{
	struct sample_file **list;
	size_t count;

	if (files->index_memory <= SAMPLE_FILES_INDEX_MOST)
		return;
	list = list_files(files, &count);
	if (!list)
		return;
	qsort(list, count, sizeof(struct sample_file *), by_use);
	bound_indices(files, list, count, false);
	free(list);
}

/* ---- rest ---- */

/* What was counted by program while the disk was full is given a file again. */
static void end_stopgaps(struct sample_files *files, struct sample_file *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!list[i]->is_stopgap)
			continue;
		list[i]->is_stopgap = list[i]->is_other = false;
		list[i]->in_journal = 0;
		list[i]->tried = SAMPLE_FILE_NEVER;
		files->closed++;
	}
}

/* Those that are not in use for some time, the least recently used first, are the packer's. */
static void close_idle(struct sample_files *files, struct sample_file *const *list, size_t count)
{
	uint64_t before = files->rested[SAMPLE_FILES_RESTS - 1];

	for (size_t i = 0; i < count && list[i]->used <= before; i++) {
		if (!sample_file_is_open(list[i]))
			continue;
		close_file(files, list[i]);
		files->journal.idle++;
	}
}

void sample_files_rest(struct sample_files *files)
{
	size_t count;
	struct sample_file **list = list_files(files, &count);

	journal_rest(&files->journal);
	if (!list)
		return;
	end_stopgaps(files, list, count);
	qsort(list, count, sizeof(struct sample_file *), by_use);
	if (files->journal.packs_idle)
		close_idle(files, list, count);
	bound_indices(files, list, count, true);
	for (size_t i = 0; i < count; i++) {
		if (sample_file_is_open(list[i]))
			sample_file_tell_growth(files, list[i]);
		if (list[i]->stacks)
			stacks_rest(list[i]->stacks);
		else if (list[i]->db && list[i]->used <= files->rested[0])
			odb_rest(list[i]->db);
	}
	memmove(files->rested + 1, files->rested, sizeof(files->rested) - sizeof(*files->rested));
	files->rested[0] = files->clock;
	free(list);
}

void sample_files_close(struct sample_files *files)
{
	const struct op_hash_map *map = &files->by_key;

	for (size_t i = 0; i < map->n; i++) {
		struct sample_file *file = map->entries[i].value, *next;

		for (; file; file = next) {
			next = file->next;
			free_file(files, file);
		}
	}
	op_hash_map_free(&files->by_key);
	op_hash_map_free(&files->others);
	sample_files_check_journal(files);
	journal_leave(&files->journal);
	files->closed++;
}
