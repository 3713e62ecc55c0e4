// SPDX-License-Identifier: GPL-2.0-or-later
/* The file of a key: see sample_file.h. */
#include "open_files.h"

#include <errno.h>
#include <stdlib.h>

/* Files that are known, open or not. */
#define KNOWN_MOST (1 << 17)
/* A session with fewer files and directories has no sample files yet. */
#define NEW_INODES 16

int sample_files_enter(struct sample_files *files, const char *dir,
		       const struct budget_config *config, bool packs, struct op_error *error)
{
	journal_leave(&files->journal);
	files->journal.packs_idle = packs;
	budget_close(&files->budget);
	files->dir = dir;
	if (budget_open(&files->budget, config, dir, error))
		return -1;
	sample_files_know_pack(files);
	journal_enter(&files->journal, dir, &files->budget);
	return 0;
}

void sample_files_measure_new(struct sample_files *files)
{
	struct budget_usage usage;

	if (files->budget.used.inodes < NEW_INODES &&
	    !budget_measure(&files->budget, files->dir, &usage, NULL))
		budget_update(&files->budget, files->dir, &usage);
}

static struct sample_file *sample_files_find(const struct sample_files *files,
					     const struct sample_key *key)
{
	struct sample_file *file = op_hash_map_find(&files->by_key, sample_key_hash(key));

	while (file && !sample_key_same(&file->key, key))
		file = file->next;
	return file;
}

static struct sample_file *sample_file_make(struct sample_files *files,
					    const struct sample_key *key)
{
	struct sample_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->key = *key;
	if (sample_files_insert(files, file)) {
		free(file);
		return NULL;
	}
	return file;
}

/*
 * The file of a key whose image was superseded.  One image stands for both parts of the name
 * where the key does not separate them.
 */
static struct sample_file *get_successor(struct sample_files *files, const struct sample_key *key)
{
	struct sample_key next = *key;

	next.dep = key->dep->successor;
	if (key->app == key->dep)
		next.app = next.dep;
	return sample_file_get(files, &next);
}

/* Weights are found by way of their samples. */
static void remember(struct sample_file *file)
{
	if (!file->key.is_weight)
		file->key.dep->recent = file;
}

struct sample_file *sample_file_get(struct sample_files *files, const struct sample_key *key)
{
	struct sample_file *file = key->dep->recent, opened = {.key = *key};

	if (!file || !sample_key_same(&file->key, key))
		file = sample_files_find(files, key);
	if (file && (sample_file_is_open(file) || sample_file_is_in_journal(files, file))) {
		file->used = ++files->clock;
		remember(file);
		return file;
	}
	if (key->dep->successor)
		return get_successor(files, key);
	if (file && file->tried == files->round) {
		files->cause = file->cause;
		return NULL;
	}

	if (sample_files_have_packed_another_version(files, key) &&
	    image_superseded(files->images, key->dep))
		return get_successor(files, key);
	if (!sample_file_open(files, &opened) && opened.db &&
	    sample_file_is_of_another_version(opened.db, key->dep) &&
	    image_superseded(files->images, key->dep)) {
		odb_close(opened.db);
		return get_successor(files, key);
	}
	if (files->by_key.n >= KNOWN_MOST)
		sample_files_make_room(files);
	/* opening may have closed and freed it */
	file = sample_files_find(files, key);
	if (!file)
		file = sample_file_make(files, key);
	if (!file) {
		odb_close(opened.db);
		stacks_close(opened.stacks);
		files->cause = ENOMEM;
		return NULL;
	}
	file->used = ++files->clock;
	file->tried = files->round;
	file->cause = files->cause;
	file->db = opened.db;
	file->stacks = opened.stacks;
	file->in_journal = opened.in_journal;
	file->journal = opened.journal;
	file->is_other = opened.is_other;
	file->is_stopgap = opened.is_stopgap;
	/* so there are no more names than the budget has files */
	if (key->tid != OP_ALL && !file->is_other)
		images_know_thread(files->images, (uint32_t)key->tgid, (uint32_t)key->tid);
	if (sample_file_is_in_journal(files, file)) {
		remember(file);
		return file;
	}
	if (!sample_file_is_open(file))
		return NULL;
	file->before = file->db ? odb_sum(file->db) : stacks_sum(file->stacks);
	file->added = 0;
	/* a new one has its first block; what others have was measured */
	file->bytes = file->before ? UINT64_MAX : BUDGET_BLOCK;
	sample_file_tell_growth(files, file);
	files->count++;
	files->index_memory += file->stacks ? stacks_memory(file->stacks) : 0;
	remember(file);
	return file;
}

int sample_file_add_failed(struct sample_files *files, const struct sample_file *file, uint64_t n,
			   const struct odb_error *error)
{
	struct sample_file other = {.key = file->key};
	struct odb_error full = *error;

	if (!sample_file_open_stopgap(files, &other, &full) &&
	    !sample_file_add_to_journal(files, &other, 0, n))
		return 0;
	files->cause = error->code;
	log_limited(&files->log_add, "samples are lost: %s", error->text);
	return -1;
}
