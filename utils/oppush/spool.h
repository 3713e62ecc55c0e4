/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What waits to be sent: a file NAME.fleet for each session NAME that the daemon has closed, and
 * the file "done" with the names of those that were taken.  A session is taken soon after its end,
 * while the images that have its functions are there; then it needs neither them nor the session.
 */
#ifndef UTILS_OPPUSH_SPOOL_H
#define UTILS_OPPUSH_SPOOL_H

#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

/* Sessions for which there is room at least: each is bounded by that part of the spool. */
#define SPOOL_SESSIONS_LEAST 4

/* A session that could not be taken, as when the disk is full. */
struct spool_failure {
	char *name;
	unsigned int tries, next; /* next: the round to try it again in */
};

struct spool {
	const char *dir, *session_dir;
	uint64_t most;		 /* bytes */
	struct op_strings done;	 /* sessions that were taken, in order */
	struct op_strings names; /* of files that wait, the oldest first */
	struct spool_failure *failures;
	size_t n_failures, failures_capacity;
	unsigned int round; /* of spool_take() */
	uint64_t dropped;   /* files, as there were too many bytes */
};

/**
 * spool_open - begin to use a spool
 * @dir: is made if it is missing; no other user may write to it (trusted_dir.h); must live as long
 *
 * Return: 0, or -1 with @error set; spool_close() in any case.
 */
int spool_open(struct spool *spool, const char *dir, const char *session_dir, uint64_t most,
	       struct op_error *error);
void spool_close(struct spool *spool);

/**
 * spool_take - take the sessions that were closed since the last call
 *
 * One that cannot be taken is tried again by later calls, at distances that double, as long as it
 * is there; that is warned of once, as are files that are dropped.
 *
 * Return: how many were taken, or -1 with @error set: the spool cannot be written.
 */
int spool_take(struct spool *spool, struct op_error *error);

/* The path of the oldest file, which the caller frees; NULL: nothing waits. */
char *spool_first(const struct spool *spool);

/* Removes that file: it was sent.  Return: 0, or -1 with @error set. */
int spool_remove_first(struct spool *spool, struct op_error *error);

#endif
