// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the samples of a key are counted: in a file of their own, in the journal, or, beyond the
 * budget and while the disk is full, in the image "{other}".
 */
#include "open_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"

/* How often a file, its directories or its lock are tried while the packer moves others. */
#define ATTEMPTS	 64
#define LOCK_NANOSECONDS 4000000L
/* What a name, and a count, take in the journal. */
#define JOURNAL_BYTES	    88
#define JOURNAL_COUNT_BYTES 24
/* Names of files of their own, in bytes and directories.  Longer ones are in the journal. */
#define NAME_MOST  1024
#define DEPTH_MOST 96

/* ---- owners ---- */

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

/* ---- files of their own ---- */

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
		sample_files_make_index_room(files);
	while ((result = open_path(path, header, opened, error)) && is_exhausted(error->code)) {
		if (!sample_files_make_room(files))
			break;
	}
	return result;
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

/* ---- the journal ---- */

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
		sample_files_know_version(files, key->dep->mtime, name);
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
int sample_file_open_stopgap(struct sample_files *files, struct sample_file *opened,
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

/* ---- either ---- */

/* Opens the file of @opened->key, or its place in the journal.  Return: 0, or -1. */
int sample_file_open(struct sample_files *files, struct sample_file *opened)
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
			sample_files_know_version(files, odb_header(opened->db)->mtime, name);
	}
	if (in_journal)
		result = open_in_journal(files, name, &header, opened, &error);
	if (result) {
		log_limited(&files->log_open, "cannot open a sample file: %s", error.text);
		result = sample_file_open_stopgap(files, opened, &error);
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
		if (!sample_file_is_in_journal(files, file) && rejoin_journal(files, file))
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
