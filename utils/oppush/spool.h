/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What waits to be sent to one destination: a file NAME.FORMAT for each session NAME that the
 * daemon has closed, and the file "done" with the names of those that were taken.  A session is
 * taken soon after its end, while the images that have its functions are there; then it needs
 * neither them nor the session.
 *
 * One thread takes sessions, and one sends files: spool_begin(), spool_end() and spool_state() may
 * be called while others run.
 */
#ifndef UTILS_OPPUSH_SPOOL_H
#define UTILS_OPPUSH_SPOOL_H

#include <pthread.h>
#include <stdbool.h>
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

/* What a spool is of; texts must live as long as it. */
struct spool_plan {
	const char *parent, *name; /* the directory */
	const char *session_dir;
	const char *format;		 /* of opexport */
	const char *service;		 /* for formats that name it */
	const struct op_strings *labels; /* NAME=TEXT of the host, for formats that have them */
	uint64_t most;			 /* bytes */
	const struct spool *twin; /* of the same format, which takes sessions before; or NULL */
};

struct spool {
	struct spool_plan plan;
	char *dir;
	struct op_strings done; /* sessions that were taken, in order */
	struct spool_failure *failures;
	size_t n_failures, failures_capacity;
	unsigned int round; /* of spool_take() */

	pthread_mutex_t lock;	 /* of what follows */
	struct op_strings names; /* of files that wait, the oldest first */
	char *begun;		 /* the name of spool_begin(), which is not dropped */
	uint64_t dropped;	 /* files, as there were too many bytes */
};

struct spool_state {
	uint64_t waiting, bytes, dropped, unreadable;
};

/**
 * spool_open - begin to use a spool
 * @plan: its directory and the parent are made if they are missing; no other user may write to them
 *	(trusted_dir.h)
 *
 * Return: 0, or -1 with @error set; spool_close() in any case.
 */
int spool_open(struct spool *spool, const struct spool_plan *plan, struct op_error *error);
void spool_close(struct spool *spool);

/**
 * spool_take - take the sessions that were closed since the last call
 *
 * One that cannot be taken is tried again by later calls, at distances that double, as long as it
 * is there; that is warned of once, as are files that are dropped.  Takes as long as opexport does
 * for all of them, or, if SIGTERM or SIGINT is blocked and comes, for one.
 *
 * Return: how many were taken, or -1 with @error set: the spool cannot be written.
 */
int spool_take(struct spool *spool, struct op_error *error);

/* The path of the oldest file, which the caller frees, until spool_end(); NULL: nothing waits. */
char *spool_begin(struct spool *spool);

/* Ends it, and removes the file if it @is_done.  Return: 0, or -1 with @error set. */
int spool_end(struct spool *spool, bool is_done, struct op_error *error);

struct spool_state spool_state(struct spool *spool);

#endif
