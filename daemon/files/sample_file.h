/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The open sample files, by what tells them apart, with a bound on their number.
 *
 * An open sample file takes a descriptor and a mapping.  At the limits of the process, the least
 * recently used are closed.
 */
#ifndef DAEMON_FILES_SAMPLE_FILE_H
#define DAEMON_FILES_SAMPLE_FILE_H

#include <stdint.h>

#include "daemon/budget/budget.h"
#include "daemon/budget/journal.h"
#include "sample_key.h"
#include "libdb/stacks/stacks.h"
#include "libop/session/log.h"
#include "stats.h"
#include "libop/base/hash.h"
#include "libop/base/page_guard.h"

struct sample_file {
	struct sample_key key;
	struct sample_file *next;	 /* another one whose key has the same hash */
	struct odb *db;			 /* NULL: could not be opened, or it is a stack file */
	struct stacks *stacks;		 /* of a stack file; NULL: could not be opened */
	struct op_hash_map stack_images; /* by struct image: their numbers in a stack file */
	uint64_t used;			 /* sample_files::clock at its last use */
	uint64_t tried;			 /* sample_files::round in which opening it failed */
	int cause;			 /* why it failed, an errno value */
	uint64_t bytes;		/* of the disk that the budget has of it */
	uint64_t before, added; /* samples when it was opened, and since; of a stack file, stacks */
	uint32_t in_journal;	/* its number there; 0: it is not in a journal */
	uint64_t journal;	/* journal::number when that was set; stale when they differ */
	bool is_other;		/* counts what is beyond the budget, at one key */
	bool is_stopgap;	/* the same, until the disk has room again */
};

/* sample_files::cause of files that the budget has no room for. */
#define SAMPLE_FILE_BEYOND (-1)

/* Calls of sample_files_rest() after which a file is idle: one that is not in use for so long. */
#define SAMPLE_FILES_RESTS 6

struct sample_files {
	struct op_hash_map by_key;
	size_t count, most; /* open, and how many may be */
	uint64_t clock, round;
	uint64_t closed; /* files closed so far; when it changes, pointers to files are stale */
	/* @clock at the last sample_files_rest(), and at those before, the oldest last */
	uint64_t rested[SAMPLE_FILES_RESTS];
	uint64_t index_memory; /* of stack files: bytes when they were opened or last bounded */

	struct op_hash_map packed_mtimes; /* by name of a packed file: the mtime of its image */

	struct journal journal;
	struct op_hash_map others; /* by name: the numbers of images "{other}" in a journal */
	uint64_t others_journal;   /* journal::number of that one */
	struct budget budget;

	struct stats *stats; /* counts what is lost with a file */
	int cause; /* errno value of the latest file that could not be opened or written */
	unsigned int faults; /* page_guard_count() at the last sample_files_check() */

	bool discards; /* nothing is stored: samples are for the feed only */
	struct images *images;
	const char *dir; /* samples/current of the session: sample_files_enter() */
	const struct op_events *events;
	uint32_t cpu_type;
	double cpu_mhz;
	struct log_limit log_open, log_add, log_cut;
};

/* Sets the bound, and raises the soft limit of descriptors. */
void sample_files_set_limit(struct sample_files *files);

/*
 * Reads which files the session has, packed ones and those that will be: new files with the same
 * names are created beside them if the images are the same.
 */
void sample_files_know_pack(struct sample_files *files);

/**
 * sample_file_get - the open file for a key
 * @key: if its image was superseded (image.h), the file is that of the successor
 *
 * Few files at a time, and those of short names only, are files of their own; the others are in
 * the journal.  Beyond the budget, samples are counted in the image "{other}", by program while that
 * has room.  So they are while the disk is full, as far as the journal has blocks already.
 *
 * May close other files, even one that an earlier call returned: see sample_files::closed.
 *
 * Return: the file, good until the next call, or NULL if it cannot be opened, which is logged
 * and tried again in the next round; then sample_files::cause is set.
 */
struct sample_file *sample_file_get(struct sample_files *files, const struct sample_key *key);

/**
 * sample_file_add - count @n samples
 *
 * Return: 0, or -1 if that failed, which is logged; then nothing was counted, and
 * sample_files::cause is set.
 */
static inline int sample_file_add(struct sample_files *files, struct sample_file *file,
				  uint64_t key, uint64_t n);

/**
 * sample_files_check - find files that were truncated or removed while they were in use
 *
 * What is left of them is repaired, and what they had is counted as lost (STAT_FILE_CUT).  They
 * are opened again when there are further samples for them.
 */
void sample_files_check(struct sample_files *files);

/* The same, if a page of any mapped file was not there since the last check. */
static inline void sample_files_check_faults(struct sample_files *files)
{
	if (__builtin_expect(files->faults != page_guard_count(), 0))
		sample_files_check(files);
}

/**
 * sample_files_rest - release memory of files that are not in use
 *
 * Files that were not used since the last call are unmapped; a later use maps them again.  Those
 * that are idle are closed, if files are packed, and then packed.  Stack files are closed, the
 * least recently used first, while the indices of the open ones take more than
 * SAMPLE_FILES_INDEX_MOST bytes; but the newest stays, which may be larger alone.  Where they
 * take more before another one is opened, it does not.
 */
void sample_files_rest(struct sample_files *files);
#define SAMPLE_FILES_INDEX_MOST (UINT64_C(32) << 20)

void sample_files_close(struct sample_files *files);

/* Has the budget take what a session has in any case, once that is written, if the session is new:
 * an older one was measured with it, which may take long. */
void sample_files_measure_new(struct sample_files *files);

/*
 * Sets the directory of the session, whose files are in use from now on.  @packs: idle ones are
 * packed.
 */
int sample_files_enter(struct sample_files *files, const char *dir,
		       const struct budget_config *config, bool packs, struct op_error *error);

/* ---- */

int sample_file_add_failed(struct sample_files *files, const struct sample_file *file, uint64_t n,
			   const struct odb_error *error);
/* The same for a file in the journal. */
int sample_file_add_to_journal(struct sample_files *files, struct sample_file *file, uint64_t key,
			       uint64_t n);

static inline int sample_file_add(struct sample_files *files, struct sample_file *file,
				  uint64_t key, uint64_t n)
{
	struct odb_error error;

	if (__builtin_expect(!file->db, 0))
		return sample_file_add_to_journal(files, file, key, n);
	if (__builtin_expect(odb_add(file->db, key, n, &error), 0))
		return sample_file_add_failed(files, file, n, &error);
	file->added += n;
	return 0;
}

#endif
