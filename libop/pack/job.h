/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of packing or of unpacking: what the session's directory holds, and the new directory
 * that takes its place.
 *
 *	begin ─► check_idle ─► make_fresh ─► files are kept or made ─► exchange ─► end
 *
 * Until pack_job_exchange() nothing of the session has changed, and pack_job_end() removes what
 * was made.  Functions that return int return 0, or -1 with the job's error set.
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
	char *dir;    /* of the session, without links */
	char *parent; /* that it stands in */
	char *fresh;  /* what will take its place */
	int parent_fd, fresh_fd;
	struct stat status;	 /* of dir */
	struct op_strings loose; /* names of sample files and stack files, as in packs */
	struct op_strings rest;	 /* of all other files */
	struct op_pack *pack;	 /* that is there, or NULL */
	op_pack_report *report;
	void *context;
	struct op_pack_result *result;
	struct op_error *error; /* never NULL */
};

/* These say what is wrong, the second with errno, and return -1. */
int pack_job_no_memory(struct pack_job *job);
int pack_job_failed(struct pack_job *job, const char *doing, const char *path);

/**
 * pack_job_begin - look through a session's directory
 * @job: with report, context, result and error set, all else zero
 *
 * What kills have left beside the directory is removed.  Whatever is returned, pack_job_end()
 * frees.
 */
int pack_job_begin(struct pack_job *job, const char *dir);
void pack_job_end(struct pack_job *job);

/* Nobody may be adding to the loose files: EBUSY. */
int pack_job_check_idle(struct pack_job *job);

/* Makes the new directory, empty and locked. */
int pack_job_make_fresh(struct pack_job *job);

/* Gives what was made at @path the owner and the rights of the session's directory. */
int pack_job_give(struct pack_job *job, const char *path, bool is_directory);

/* Makes the directories on the way to a name in the new directory. */
int pack_job_make_directories(struct pack_job *job, const char *name);

/* Puts the same file into the new directory, under the same name. */
int pack_job_keep(struct pack_job *job, const char *name);
int pack_job_keep_rest(struct pack_job *job);

/* Puts the new directory, which is on the disk, in the place of the session's. */
int pack_job_exchange(struct pack_job *job);

#endif
