/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of packing or of unpacking: the files of the session's directory, and the new directory
 * that replaces it.
 *
 *	begin ─► check_idle ─► make_fresh ─► files are linked or written ─► exchange ─► end
 *
 * Until pack_job_exchange() the session is unchanged, and pack_job_end() removes the new files.
 * Functions that return int return 0, or -1 with the job's error set.
 */
#ifndef LIBOP_PACK_JOB_H
#define LIBOP_PACK_JOB_H

#include <stdbool.h>
#include <sys/stat.h>

#include "libop/base/error.h"
#include "pack.h"
#include "session.h"
#include "libop/base/strings.h"

struct pack_job {
	char *parent; /* pinned path of what it stands in */
	char *dir;    /* of the session, below parent */
	char *fresh;  /* the new directory */
	int parent_fd, fresh_fd;
	struct stat status;	 /* of dir */
	struct op_strings loose; /* names of sample files and stack files, as in packs */
	struct op_strings rest;	 /* of all other files */
	uint64_t parts_most;	 /* bytes of the parts that are packed again */
	struct op_pack *pack;	 /* the existing one, of these parts (parts.h), or NULL */
	char *pack_name;	 /* of the one that takes its place, if there are parts */
	struct op_strings kept;	 /* the other parts, which are before it */
	bool is_packed;		 /* there are parts */
	bool is_one;		 /* @pack is one already, of that name */
	op_pack_report *report;
	void *context;
	struct op_pack_result *result;
	struct op_error *error; /* never NULL */
};

/* Sets the job's error from errno: "cannot DOING PATH: REASON".  Return: -1. */
int pack_job_failed(struct pack_job *job, const char *doing, const char *path);

/**
 * pack_job_begin - list the files of a session's directory
 * @job: with parts_most, report, context, result and error set, all else zero
 *
 * Removes temporary directories that killed runs left beside it.  After success and failure
 * pack_job_end() frees the job.
 */
int pack_job_begin(struct pack_job *job, const char *dir);
void pack_job_end(struct pack_job *job);

/* Fails with EBUSY if a loose file is open for writing. */
int pack_job_check_idle(struct pack_job *job);

/* Creates the new directory, empty and locked. */
int pack_job_make_fresh(struct pack_job *job);

/* Sets the owner and mode of @path to those of the session's directory. */
int pack_job_give(struct pack_job *job, const char *path, bool is_directory);

/* Makes the directories on the way to a name in the new directory, as those of the session are. */
int pack_job_make_directories(struct pack_job *job, const char *name);

/* Links the file into the new directory, under the same name. */
int pack_job_keep(struct pack_job *job, const char *name);
int pack_job_keep_rest(struct pack_job *job);

/* Exchanges the new directory, which is synced, with that of the session. */
int pack_job_exchange(struct pack_job *job);

#endif
