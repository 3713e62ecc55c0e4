// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that were truncated or removed while they were in use. */
#include "open_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "libop/base/file.h"

static char *make_path(const struct sample_files *files, const struct sample_key *key)
{
	char *name = sample_key_name(key, files->events);
	char *path = name ? op_path("%s/%s", files->dir, name) : NULL;

	free(name);
	return path;
}

static bool is_whole(const struct sample_file *file)
{
	return file->db ? odb_is_whole(file->db) : stacks_is_whole(file->stacks);
}

/*
 * Repairs a file that is closed.  One of which nothing is left is removed, or no further sample
 * could be stored.  Return: how many samples are left in it.
 */
static uint64_t salvage(const char *path, bool is_stacks)
{
	struct odb_repair result = {0};
	struct odb_error error;

	if (!(is_stacks ? stacks_repair(path, &result, &error) : odb_repair(path, &result, &error)))
		return result.sum;
	if (error.code == EINVAL && unlink(path))
		log_line_errno("cannot remove %s", path);
	return 0;
}

static void count_loss(struct sample_files *files, const struct sample_file *file, uint64_t lost)
{
	if (file->key.is_stacks)
		stats_move(files->stats, STAT_STACKS, STAT_STACKS_LOST, lost);
	else
		stats_move(files->stats, STAT_STORED, STAT_FILE_CUT, lost);
}

static void lose(struct sample_files *files, struct sample_file *file)
{
	uint64_t had = file->before + file->added, left;
	char *path = make_path(files, &file->key);

	sample_file_abandon(files, file);
	left = path ? salvage(path, file->key.is_stacks) : 0;
	log_limited(&files->log_cut,
		    "a sample file was truncated or removed while in use: %s: %" PRIu64
		    " of its %" PRIu64 " samples are left",
		    path ? path : file->key.dep->id.name, left, had);
	if (had > left)
		count_loss(files, file, had - left);
	free(path);
}

/* Return: whether it was whole. */
bool sample_file_check(struct sample_files *files, struct sample_file *file)
{
	if (!sample_file_is_open(file) || is_whole(file))
		return true;
	lose(files, file);
	return false;
}

/* A journal that was cut or removed is lost as a whole: its records need each other. */
void sample_files_check_journal(struct sample_files *files)
{
	struct journal *journal = &files->journal;

	if (!journal->open || op_journal_is_whole(journal->open))
		return;
	log_limited(&files->log_cut,
		    "%s was truncated or removed while in use: %" PRIu64 " samples are lost",
		    op_journal_path(journal->open), journal->samples);
	stats_move(files->stats, STAT_STORED, STAT_FILE_CUT, journal->samples);
	journal_abandon(journal);
}

void sample_files_check(struct sample_files *files)
{
	const struct op_hash_map *map = &files->by_key;

	sample_files_check_journal(files);

	files->faults = page_guard_count();
	for (size_t i = 0; i < map->n; i++) {
		for (struct sample_file *file = map->entries[i].value; file; file = file->next)
			sample_file_check(files, file);
	}
	page_guard_clear();
}
