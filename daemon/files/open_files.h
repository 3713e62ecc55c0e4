/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the open sample files (sample_file.h) have of each other.
 *
 *	open_files.c	the file of a key
 *	opening.c	of its own, in the journal, or of {other}
 *	versions.c	of which version of the image
 *	room.c		which are open
 *	damage.c	those that were cut or removed
 */
#ifndef DAEMON_FILES_OPEN_FILES_H
#define DAEMON_FILES_OPEN_FILES_H

#include "sample_file.h"

/* sample_file::tried of a file that may be opened in any round. */
#define SAMPLE_FILE_NEVER UINT64_MAX

/* Whether it has a descriptor. */
static inline bool sample_file_is_open(const struct sample_file *file)
{
	return file->db || file->stacks;
}

/* Whether it is in the journal that is written now. */
static inline bool sample_file_is_in_journal(const struct sample_files *files,
					     const struct sample_file *file)
{
	return files->discards || (file->in_journal && file->journal == files->journal.number);
}

/* ---- opening.c ---- */

/* Opens the file of @opened->key, or its place in the journal.  Return: 0, or -1 with
 * sample_files::cause set. */
int sample_file_open(struct sample_files *files, struct sample_file *opened);

/*
 * Has the samples of a key counted by program, as far as the journal has blocks already, if @error
 * is that the disk is full.  Return: 0, or -1.
 */
int sample_file_open_stopgap(struct sample_files *files, struct sample_file *opened,
			     struct odb_error *error);

/* ---- versions.c ---- */

/* The file called @name is of an image whose mtime is @time; 0: not known. */
void sample_files_know_version(struct sample_files *files, uint64_t time, const char *name);

/* Whether an open file has counts of another version of the image. */
bool sample_file_is_of_another_version(const struct odb *db, const struct image *image);

/* The same for the file of a key that is packed or in the journal. */
bool sample_files_have_packed_another_version(const struct sample_files *files,
					      const struct sample_key *key);

/* ---- room.c ---- */

/* Puts a file among the known ones.  Return: 0, or -1: out of memory. */
int sample_files_insert(struct sample_files *files, struct sample_file *file);

/* Closes the least recently used quarter.  Return: whether any file was closed. */
bool sample_files_make_room(struct sample_files *files);

/* Closes stack files whose indices are too large, before another one is opened. */
void sample_files_make_index_room(struct sample_files *files);

/* Has the budget take what an open file has grown by. */
void sample_file_tell_growth(struct sample_files *files, struct sample_file *file);

/* Closes an open file without a look at what it has. */
void sample_file_abandon(struct sample_files *files, struct sample_file *file);

/* ---- damage.c ---- */

/* Return: whether a file, which may be closed, is whole.  If not it is closed, and repaired. */
bool sample_file_check(struct sample_files *files, struct sample_file *file);

/* A journal that was cut or removed is lost as a whole: its records need each other. */
void sample_files_check_journal(struct sample_files *files);

#endif
