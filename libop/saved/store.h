/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that sessions share: saved symbols and lists of kernel symbols, by what identifies them.
 *
 * They are in one directory of each user: $OPROFILE_SYMBOLS; else for root SAVED_DIR, for others
 * ${XDG_CACHE_HOME:-~/.cache}/oprofile/symbols.  Users read their own and root's.  A session may
 * have a directory OP_SAMPLES_SYMBOLS of its own: in an archive, or where there is no other place.
 */
#ifndef LIBOP_SAVED_STORE_H
#define LIBOP_SAVED_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/error.h"

#define SAVED_DIR "/var/cache/oprofile/symbols"

/* Limit of all files of a directory together, in bytes: beyond it those that were used longest ago
 * are removed.  No file is larger than a quarter of it. */
extern uint64_t saved_limit;

/* The directory that this user writes; the caller frees it.  NULL: there is none. */
char *saved_dir(void);

/* Whether a file is there for this user and this session; if so, it is marked as used. */
bool saved_has(const char *samples_dir, const char *name);

/* From now on, symbols are kept with their session only, and looked for there: those that sessions
 * share are not for everybody who may read the session. */
void saved_keep_in_sessions(void);

/**
 * saved_put - keep bytes for all sessions, packed
 * @samples_dir: SESSION/samples/NAME, which is trusted; where it is kept if nothing else can be
 *	written; NULL: nowhere then
 * @name: without '/'
 *
 * Return: 0, or -1 with @error set.
 */
int saved_put(const char *samples_dir, const char *name, const void *bytes, size_t length,
	      struct op_error *error);

/**
 * saved_path - where a file is: in the session, in this user's directory, in root's
 * @owner: set to the user who can have written it; may be NULL
 *
 * In the directories only what belongs to this user or root is found, and nobody else can write.
 *
 * Return: a path that the caller frees, or NULL.
 */
char *saved_path(const char *samples_dir, const char *name, uid_t *owner);

/**
 * saved_drop - remove what was not used since a time
 * @since: seconds since 1970
 * @files: set to their number
 *
 * Return: the bytes of the files that were removed.
 */
uint64_t saved_drop(const char *dir, int64_t since, size_t *files);

#endif
