// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Versions of images: what a version of an image is called in a pack is not to be the name of
 * another one.
 */
#include "open_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/file.h"
#include "libop/pack/loose.h"
#include "libop/pack/parts.h"

/* Names of packed and journaled files whose versions are known. */
#define VERSIONS_MOST (1 << 20)

/* What a version of an image is called in a pack is not to be the name of another one. */
void sample_files_know_version(struct sample_files *files, uint64_t time, const char *name)
{
	uintptr_t mtime = (uintptr_t)time;

	if (mtime && files->packed_mtimes.n < VERSIONS_MOST)
		op_hash_map_set(&files->packed_mtimes, op_hash_text(0, name), (void *)mtime);
}

/* Whether an open file has counts of another version of the image. */
bool sample_file_is_of_another_version(const struct odb *db, const struct image *image)
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
	sample_files_know_version(files, odb_header(db)->mtime, name);
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
			sample_files_know_version(files, file.header.mtime, file.name);
		op_pack_close(pack);
	} else if (error.code != ENOENT) {
		log_line("what was packed before is not looked at: %s", error.text);
	}
	if (files->journal.packs_idle)
		op_walk(files->dir, know_loose, files, NULL);
	free(walk);
}

/* The same for a file in the pack. */
bool sample_files_have_packed_another_version(const struct sample_files *files,
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
