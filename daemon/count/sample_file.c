// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The open sample files: see sample_file.h.
 */
#include "sample_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/pack/loose.h"
#include "libop/pack/parts.h"
#include "libop/session/paths.h"

/* Descriptors for other purposes. */
#define OTHER_DESCRIPTORS 64
/* Descriptors, each with a mapping; files of their own beyond that are opened again. */
#define DESCRIPTORS_MOST 4096
/* Files that are known, open or not. */
#define KNOWN_MOST (1 << 17)
/* Names of packed and journaled files whose versions are known. */
#define VERSIONS_MOST (1 << 20)
/* How often a file, its directories or its lock are tried while the packer moves others. */
#define ATTEMPTS	  64
#define LOCK_NANOSECONDS 4000000L
/* What a name, and a count, take in the journal. */
#define JOURNAL_BYTES	    88
#define JOURNAL_COUNT_BYTES 24
/* Names of files of their own, in bytes and directories.  Longer ones are in the journal. */
#define NAME_MOST  1024
#define DEPTH_MOST 96
/* A session with fewer files and directories has no sample files yet. */
#define NEW_INODES 16
/* A round in which no file was opened. */
#define NEVER UINT64_MAX

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

/* Whether it has a descriptor. */
static bool is_open(const struct sample_file *file)
{
	return file->db || file->stacks;
}

static bool is_in_journal(const struct sample_files *files, const struct sample_file *file)
{
	return files->discards || (file->in_journal && file->journal == files->journal.number);
}

static char *make_path(const struct sample_files *files, const struct sample_key *key)
{
	char *name = sample_key_name(key, files->events);
	char *path = name ? op_path("%s/%s", files->dir, name) : NULL;

	free(name);
	return path;
}

/* ---- files that lose what they have ---- */

static bool is_whole(const struct sample_file *file)
{
	return file->db ? odb_is_whole(file->db) : stacks_is_whole(file->stacks);
}

/* Closes it without a look at what it has. */
static void abandon(struct sample_files *files, struct sample_file *file)
{
	odb_close(file->db);
	stacks_close(file->stacks);
	op_hash_map_free(&file->stack_images);
	file->db = NULL;
	file->stacks = NULL;
	file->tried = NEVER;
	files->count--;
	files->closed++;
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

	abandon(files, file);
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
static bool check_file(struct sample_files *files, struct sample_file *file)
{
	if (!is_open(file) || is_whole(file))
		return true;
	lose(files, file);
	return false;
}

/* A journal that was cut or removed is lost as a whole: its records need each other. */
static void check_journal(struct sample_files *files)
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

	check_journal(files);

	files->faults = page_guard_count();
	for (size_t i = 0; i < map->n; i++) {
		for (struct sample_file *file = map->entries[i].value; file; file = file->next)
			check_file(files, file);
	}
	page_guard_clear();
}

/* ---- closing ---- */

/* Has the budget take what an open file has grown by. */
static void tell_growth(struct sample_files *files, struct sample_file *file)
{
	uint64_t bytes =
		file->stacks ? stacks_disk_bytes(file->stacks) : odb_disk_bytes(file->db);

	if (bytes > file->bytes)
		budget_add(&files->budget, bytes - file->bytes);
	file->bytes = bytes;
}

static void close_file(struct sample_files *files, struct sample_file *file)
{
	if (!is_open(file) || !check_file(files, file))
		return;
	tell_growth(files, file);
	log_verbose(LOG_SFILE, "close a %s file of %s", file->stacks ? "stack" : "sample",
		    file->key.dep->id.name);
	abandon(files, file);
}

static void free_file(struct sample_files *files, struct sample_file *file)
{
	close_file(files, file);
	if (file->key.dep->recent == file)
		file->key.dep->recent = NULL;
	free(file);
}

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

static int insert(struct sample_files *files, struct sample_file *file)
{
	uint64_t hash = sample_key_hash(&file->key);

	file->next = op_hash_map_find(&files->by_key, hash);
	return op_hash_map_set(&files->by_key, hash, file);
}

/* Closes the least recently used quarter.  Return: whether any file was closed. */
static bool sample_files_make_room(struct sample_files *files)
{
	size_t count, kept = 0, closing;
	struct sample_file **list = list_files(files, &count);

	if (!list)
		return false;
	qsort(list, count, sizeof(struct sample_file *), by_use);
	closing = (count + 3) / 4;
	op_hash_map_free(&files->by_key);
	for (size_t i = 0; i < count; i++) {
		if (i < closing || insert(files, list[i]))
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
static void make_index_room(struct sample_files *files)
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

static int try_path(const char *path, const struct odb_header *header, struct sample_file *opened,
		    struct odb_error *error)
{
	if (opened->key.is_stacks)
		return stacks_open(&opened->stacks, path, 0, error);
	return odb_open(&opened->db, path, ODB_CREATE, header, error);
}

static int open_path(const char *path, const struct odb_header *header, struct sample_file *opened,
		     struct odb_error *error)
{
	struct op_error cause;
	int result;

	/* The packer removes directories that are empty. */
	for (int i = 0; i < ATTEMPTS; i++) {
		result = try_path(path, header, opened, error);
		if (!result || error->code != ENOENT)
			return result;
		if (op_mkdir_parents(path, OP_SESSION_DIR_MODE, &cause)) {
			*error = (struct odb_error){.code = cause.code};
			snprintf(error->text, sizeof(error->text), "%.500s", cause.text);
			if (cause.code != ENOENT)
				return -1;
		}
	}
	return -1;
}

static bool is_exhausted(int code)
{
	return code == EMFILE || code == ENFILE || code == ENOMEM;
}

/* ---- files of their own, and those in the journal ---- */

/* Our own files are not those of another user. */
static bool is_foreign(const struct image *image)
{
	return image->owner != BUDGET_ROOT && image->owner != geteuid();
}

/* Whose budget a file takes: that of the program's owner, or else of the image's. */
static uint32_t owner_of(const struct sample_key *key)
{
	if (is_foreign(key->app))
		return key->app->owner;
	return is_foreign(key->dep) ? key->dep->owner : BUDGET_ROOT;
}

static uint64_t slashes_of(const char *name)
{
	uint64_t n = 0;

	while ((name = strchr(name, '/'))) {
		name++;
		n++;
	}
	return n;
}

/* Whether there is such a file, or the budget grants a new one and its directories. */
static bool may_have_own(struct sample_files *files, const struct sample_key *key, const char *path,
			 const char *name)
{
	uint64_t depth = slashes_of(name);
	char *parent;
	bool is_there;

	if (strlen(name) > NAME_MOST || depth > DEPTH_MOST)
		return false;
	if (!access(path, F_OK))
		return true;
	parent = strndup(path, (size_t)(strrchr(path, '/') - path));
	is_there = parent && !access(parent, F_OK);
	free(parent);
	return budget_take_file(&files->budget, owner_of(key), 1 + (is_there ? 0 : depth),
				key->is_stacks) &&
	       budget_take_name(&files->budget, owner_of(key), strlen(name), false);
}

static int open_own(struct sample_files *files, const char *path, const struct odb_header *header,
		    struct sample_file *opened, struct odb_error *error)
{
	int result;

	if (files->count >= files->most)
		sample_files_make_room(files);
	if (opened->key.is_stacks)
		make_index_room(files);
	while ((result = open_path(path, header, opened, error)) && is_exhausted(error->code)) {
		if (!sample_files_make_room(files))
			break;
	}
	return result;
}

/* As journal_name(); files that were used longest ago make room for the journal. */
static uint32_t name_in_journal(struct sample_files *files, const char *name,
				const struct odb_header *header, bool reserve,
				struct op_error *error)
{
	uint32_t number;

	while (!(number = journal_name(&files->journal, name, header, reserve, error)) &&
	       is_exhausted(error->code) && sample_files_make_room(files))
		;
	return number;
}

/* The packer has a file locked for the moment in which it moves it.  Only stacks need to wait. */
static int open_after_packer(struct sample_files *files, const char *path,
			     const struct odb_header *header, struct sample_file *opened,
			     struct odb_error *error)
{
	const struct timespec moment = {.tv_nsec = LOCK_NANOSECONDS};
	int result = open_own(files, path, header, opened, error);

	for (int i = 0; result && error->code == EBUSY && opened->key.is_stacks &&
			files->journal.packer.running && i < ATTEMPTS;
	     i++) {
		nanosleep(&moment, NULL);
		result = open_own(files, path, header, opened, error);
	}
	return result;
}

static void file_header(const struct sample_files *files, const struct sample_key *key,
			struct odb_header *header)
{
	sample_key_header(key, files->events, header);
	header->cpu_type = files->cpu_type;
	header->cpu_speed = files->cpu_mhz;
}

static void sample_file_fail(struct odb_error *error, const struct op_error *why)
{
	error->code = why->code;
	snprintf(error->text, sizeof(error->text), "%.500s", why->text);
}

/* What a version of an image is called in a pack is not to be the name of another one. */
static void know_version(struct sample_files *files, uint64_t time, const char *name)
{
	uintptr_t mtime = (uintptr_t)time;

	if (mtime && files->packed_mtimes.n < VERSIONS_MOST)
		op_hash_map_set(&files->packed_mtimes, op_hash_text(0, name), (void *)mtime);
}

/* Takes a name, and what it takes in the journal.  @more: as of budget_take_bytes(). */
static bool sample_files_take_name(struct sample_files *files, const struct sample_key *key,
				   const char *name, bool more)
{
	uint32_t owner = owner_of(key);
	size_t length = strlen(name);

	return budget_take_name(&files->budget, owner, length, more) &&
	       budget_take_bytes(&files->budget, owner, JOURNAL_BYTES + length, more);
}

/* The image "{other}" of @program, or, if the budget has no room for that, of all programs. */
static uint32_t find_other(struct sample_files *files, const struct sample_key *key,
			   struct image *program, struct odb_error *error)
{
	const struct op_image_name id = {.kind = OP_IMAGE_KERNEL, .name = (char *)OP_OTHER_IMAGE};
	struct image *other = image_of_name(files->images, &id, false);
	struct sample_key of_other = *key;
	struct op_error why = {.code = ENOMEM, .text = OP_OUT_OF_MEMORY};
	struct odb_header header;
	uint32_t number = 0;
	uint64_t hash;
	char *name;

	of_other.dep = other;
	of_other.app = program ? program : other;
	of_other.tgid = of_other.tid = of_other.cpu = OP_ALL;
	name = other ? sample_key_name(&of_other, files->events) : NULL;
	hash = name ? op_hash_text(0, name) : 0;
	if (files->others_journal != files->journal.number)
		op_hash_map_free(&files->others);
	if (name)
		number = (uint32_t)(uintptr_t)op_hash_map_find(&files->others, hash);
	if (name && !number && (!program || sample_files_take_name(files, key, name, true))) {
		file_header(files, &of_other, &header);
		number = name_in_journal(files, name, &header, true, &why);
		if (files->others_journal != files->journal.number)
			op_hash_map_free(&files->others);
		files->others_journal = files->journal.number;
		if (number)
			op_hash_map_set(&files->others, hash, (void *)(uintptr_t)number);
	}
	free(name);
	sample_file_fail(error, &why);
	return !number && program ? find_other(files, key, NULL, error) : number;
}

/* Return: 0, or -1 with @error set. */
static int open_in_journal(struct sample_files *files, const char *name,
			   const struct odb_header *header, struct sample_file *opened,
			   struct odb_error *error)
{
	const struct sample_key *key = &opened->key;
	struct op_error why;

	*error = (struct odb_error){.code = SAMPLE_FILE_BEYOND};
	snprintf(error->text, sizeof(error->text), "beyond the budget of the session");
	opened->is_other = false;
	if (key->is_stacks)
		return -1;
	if (sample_files_take_name(files, key, name, false)) {
		opened->in_journal = name_in_journal(files, name, header, false, &why);
		if (!opened->in_journal)
			sample_file_fail(error, &why);
		know_version(files, key->dep->mtime, name);
	} else {
		opened->in_journal = find_other(files, key, key->app, error);
		opened->is_other = true;
	}
	opened->journal = files->journal.number;
	return opened->in_journal ? 0 : -1;
}

static bool is_full(int code)
{
	return code == ENOSPC || code == EDQUOT;
}

/* The disk is full: what the journal has blocks for is counted by program.  Return: as above. */
static int open_stopgap(struct sample_files *files, struct sample_file *opened,
			struct odb_error *error)
{
	const struct sample_key *key = &opened->key;
	struct odb_error ignored;

	if (!is_full(error->code) || key->is_stacks)
		return -1;
	opened->in_journal = find_other(files, key, key->app, &ignored);
	opened->journal = files->journal.number;
	opened->is_other = opened->is_stopgap = true;
	return opened->in_journal ? 0 : -1;
}

/* Opens the file of @opened->key, or its place in the journal.  Return: 0, or -1. */
static int sample_files_open_file(struct sample_files *files, struct sample_file *opened)
{
	const struct sample_key *key = &opened->key;
	char *name = sample_key_name(key, files->events);
	char *path = name ? op_path("%s/%s", files->dir, name) : NULL;
	struct odb_error error = {0};
	struct odb_header header;
	bool in_journal = true;
	int result = -1;

	files->cause = 0;
	if (files->discards) {
		free(name);
		free(path);
		return 0;
	}
	if (!path) {
		files->cause = errno;
		log_limited(&files->log_open, "no sample file can be named for %s: %s",
			    key->dep->id.name, strerror(errno));
		free(name);
		return -1;
	}
	file_header(files, key, &header);
	if (may_have_own(files, key, path, name)) {
		result = open_after_packer(files, path, &header, opened, &error);
		in_journal = result && error.code == EBUSY && files->journal.packer.running;
		if (!result && files->journal.packs_idle && opened->db)
			know_version(files, odb_header(opened->db)->mtime, name);
	}
	if (in_journal)
		result = open_in_journal(files, name, &header, opened, &error);
	if (result) {
		log_limited(&files->log_open, "cannot open a sample file: %s", error.text);
		result = open_stopgap(files, opened, &error);
	}
	if (result) {
		files->cause = error.code;
	} else {
		log_verbose(LOG_SFILE, "open sample file %s", path);
	}
	free(name);
	free(path);
	return result;
}

/* The journal that it was in has ended.  Opens nothing else, which could free the file. */
static int rejoin_journal(struct sample_files *files, struct sample_file *file)
{
	struct odb_error error = {.code = ENOMEM, .text = OP_OUT_OF_MEMORY};
	char *name = sample_key_name(&file->key, files->events);
	struct odb_header header;
	int result = -1;

	file_header(files, &file->key, &header);
	if (name)
		result = open_in_journal(files, name, &header, file, &error);
	if (result) {
		files->cause = error.code;
		log_limited(&files->log_open, "cannot open a sample file: %s", error.text);
	}
	free(name);
	return result;
}

static void count_in_journal(struct sample_files *files, const struct sample_file *file, uint64_t n)
{
	if (!file->key.is_weight)
		files->journal.samples += n;
	if (file->is_other && !file->key.is_weight)
		files->stats->value[STAT_OTHER] += n;
}

int sample_file_add_to_journal(struct sample_files *files, struct sample_file *file, uint64_t key,
			       uint64_t n)
{
	struct op_error error;
	bool fresh;

	if (files->discards)
		return 0;
	for (int i = 0; i < 2; i++) {
		if (!is_in_journal(files, file) && rejoin_journal(files, file))
			return -1;
		if (!journal_add(&files->journal, file->in_journal, file->is_other ? 0 : key, n,
				 file->is_other, &fresh, &error)) {
			if (fresh)
				budget_take_bytes(&files->budget, owner_of(&file->key),
						  JOURNAL_COUNT_BYTES, true);
			count_in_journal(files, file, n);
			return 0;
		}
		if (error.code != EFBIG)
			break;
		journal_turn(&files->journal);
	}
	files->cause = error.code;
	log_limited(&files->log_add, "samples are lost: %s", error.text);
	return -1;
}

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

/* Whether an open file has counts of another version of the image. */
static bool is_of_another_version(const struct odb *db, const struct image *image)
{
	uint64_t mtime = odb_header(db)->mtime;

	return mtime && image->mtime && mtime != image->mtime;
}

/* A file that a daemon before this one left. */
static int know_loose(const char *path, const struct stat *status, void *context)
{
	struct sample_files *files = context;
	const char *name = path + strlen(files->dir) + 1;
	struct odb *db;

	if (!S_ISREG(status->st_mode) || !pack_loose_is_name(name) || pack_loose_is_stacks(name) ||
	    odb_open(&db, path, ODB_READ, NULL, NULL))
		return 0;
	know_version(files, odb_header(db)->mtime, name);
	odb_close(db);
	return 0;
}

void sample_files_know_pack(struct sample_files *files)
{
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_error error = {.code = ENOMEM, .text = OP_OUT_OF_MEMORY};
	struct op_pack *pack = NULL;
	struct op_pack_file file;

	op_hash_map_free(&files->packed_mtimes);
	if (walk && !op_pack_open_session(&pack, files->dir, &error)) {
		walk->pack = pack;
		while (op_pack_next(walk, &file))
			know_version(files, file.header.mtime, file.name);
		op_pack_close(pack);
	} else if (error.code != ENOENT) {
		log_line("what was packed before is not looked at: %s", error.text);
	}
	if (files->journal.packs_idle)
		op_walk(files->dir, know_loose, files, NULL);
	free(walk);
}

/* The same for a file in the pack. */
static bool is_packed_of_another_version(const struct sample_files *files,
					 const struct sample_key *key)
{
	uintptr_t mtime = 0;
	char *name;

	if (!files->packed_mtimes.n || key->is_stacks)
		return false;
	name = sample_key_name(key, files->events);
	if (name)
		mtime = (uintptr_t)op_hash_map_find(&files->packed_mtimes, op_hash_text(0, name));
	free(name);
	return mtime && key->dep->mtime && mtime != key->dep->mtime;
}

static struct sample_file *sample_files_find(const struct sample_files *files,
					     const struct sample_key *key)
{
	struct sample_file *file = op_hash_map_find(&files->by_key, sample_key_hash(key));

	while (file && !sample_key_same(&file->key, key))
		file = file->next;
	return file;
}

static struct sample_file *make(struct sample_files *files, const struct sample_key *key)
{
	struct sample_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->key = *key;
	if (insert(files, file)) {
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
	if (file && (is_open(file) || is_in_journal(files, file))) {
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

	if (is_packed_of_another_version(files, key) && image_superseded(files->images, key->dep))
		return get_successor(files, key);
	if (!sample_files_open_file(files, &opened) && opened.db &&
	    is_of_another_version(opened.db, key->dep) &&
	    image_superseded(files->images, key->dep)) {
		odb_close(opened.db);
		return get_successor(files, key);
	}
	if (files->by_key.n >= KNOWN_MOST)
		sample_files_make_room(files);
	/* opening may have closed and freed it */
	file = sample_files_find(files, key);
	if (!file)
		file = make(files, key);
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
	if (is_in_journal(files, file)) {
		remember(file);
		return file;
	}
	if (!is_open(file))
		return NULL;
	file->before = file->db ? odb_sum(file->db) : stacks_sum(file->stacks);
	file->added = 0;
	/* a new one has its first block; what others have was measured */
	file->bytes = file->before ? UINT64_MAX : BUDGET_BLOCK;
	tell_growth(files, file);
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

	if (!open_stopgap(files, &other, &full) && !sample_file_add_to_journal(files, &other, 0, n))
		return 0;
	files->cause = error->code;
	log_limited(&files->log_add, "samples are lost: %s", error->text);
	return -1;
}

/* What was counted by program while the disk was full is given a file again. */
static void end_stopgaps(struct sample_files *files, struct sample_file *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!list[i]->is_stopgap)
			continue;
		list[i]->is_stopgap = list[i]->is_other = false;
		list[i]->in_journal = 0;
		list[i]->tried = NEVER;
		files->closed++;
	}
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
	check_journal(files);
	journal_leave(&files->journal);
	files->closed++;
}

/* Those that are not in use for some time, the least recently used first, are the packer's. */
static void close_idle(struct sample_files *files, struct sample_file *const *list, size_t count)
{
	uint64_t before = files->rested[SAMPLE_FILES_RESTS - 1];

	for (size_t i = 0; i < count && list[i]->used <= before; i++) {
		if (!is_open(list[i]))
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
		if (is_open(list[i]))
			tell_growth(files, list[i]);
		if (list[i]->stacks)
			stacks_rest(list[i]->stacks);
		else if (list[i]->db && list[i]->used <= files->rested[0])
			odb_rest(list[i]->db);
	}
	memmove(files->rested + 1, files->rested, sizeof(files->rested) - sizeof(*files->rested));
	files->rested[0] = files->clock;
	free(list);
}
