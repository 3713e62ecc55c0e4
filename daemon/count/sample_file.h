/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sample files that are open: which one a sample belongs to, and how many there may be.
 *
 * An open sample file takes a descriptor and a mapping.  When there are as many as the limits
 * of the process allow, those that were used longest ago are closed.
 */
#ifndef DAEMON_SAMPLE_FILE_H
#define DAEMON_SAMPLE_FILE_H

#include <stdint.h>

#include "image.h"
#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"
#include "libop/events/spec.h"
#include "libop/session/log.h"
#include "daemon/live/map.h"

/* struct sample_key - what tells sample files apart */
struct sample_key {
	struct image *dep;	/* the samples are in it; in an arc: the caller is */
	struct image *app;	/* equal to @dep if not separated */
	struct image *callee;	/* of an arc, else NULL */
	bool is_stacks;		/* a stack file: @dep and @app are the application */
	uint32_t event;		/* index into sample_files::events */
	int32_t tgid, tid, cpu; /* or OP_ALL */
};

struct sample_file {
	struct sample_key key;
	struct sample_file *next; /* another one whose key has the same hash */
	struct odb *db;		  /* NULL: could not be opened, or it is a stack file */
	struct stacks *stacks;	  /* of a stack file; NULL: could not be opened */
	struct map stack_images;  /* by struct image: their numbers in a stack file */
	uint64_t used;		  /* sample_files::clock when it was asked for last */
	uint64_t tried;		  /* sample_files::round in which opening it failed */
};

struct sample_files {
	struct map by_key;
	size_t count, most; /* open, and how many may be */
	uint64_t clock, round;
	uint64_t closed; /* files closed to make room; tells when pointers went stale */
	uint64_t rested; /* @clock at the last sample_files_rest() */

	struct map packed_mtimes; /* by name of a packed file: when its image was changed last */

	struct images *images;
	const char *dir; /* samples/current of the session */
	const struct op_events *events;
	uint32_t cpu_type;
	double cpu_mhz;
	struct log_limit log_open, log_add;
};

/* Finds out how many files may be open, and asks for as many descriptors as root may have. */
void sample_files_set_limit(struct sample_files *files);

/*
 * Takes note of the samples that were packed before: files are made beside the pack, under the
 * same names if the images are the same.
 */
void sample_files_know_pack(struct sample_files *files);

/**
 * sample_file_get - the open file for a key
 * @key: if its image was superseded (image.h), the file is that of the successor
 *
 * May close other files, even one that an earlier call returned: see sample_files::closed.
 *
 * Return: the file, good until the next call, or NULL if it cannot be opened, which is logged
 * and tried again in the next round.
 */
struct sample_file *sample_file_get(struct sample_files *files, const struct sample_key *key);

/**
 * sample_file_add - count @n samples
 *
 * Return: 0, or -1 if that failed, which is logged; then nothing was counted.
 */
static inline int sample_file_add(struct sample_files *files, struct sample_file *file,
				  uint64_t key, uint64_t n);

/**
 * sample_files_rest - give back memory that the files take, for when they have been written to
 *
 * Mappings of files that were not asked for since the last time are taken out of memory, and they
 * come again from the system's cache.  Stack files are closed, the one used longest ago first, as
 * long as it takes more than SAMPLE_FILES_INDEX_MOST bytes to find nodes in those that are open.
 */
void sample_files_rest(struct sample_files *files);
#define SAMPLE_FILES_INDEX_MOST (UINT64_C(32) << 20)

void sample_files_close(struct sample_files *files);
/* Has the system write to disk what was counted.  Errors are logged. */
void sample_files_sync(struct sample_files *files);

/* ---- */

int sample_file_add_failed(struct sample_files *files, const struct odb_error *error);

static inline int sample_file_add(struct sample_files *files, struct sample_file *file,
				  uint64_t key, uint64_t n)
{
	struct odb_error error;

	if (__builtin_expect(odb_add(file->db, key, n, &error), 0))
		return sample_file_add_failed(files, &error);
	return 0;
}

#endif
