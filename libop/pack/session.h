/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packing the files of a session, and unpacking them.
 *
 * Both create a new directory beside the session's, with hard links to unchanged files, and
 * exchange the two atomically (renameat2(2), RENAME_EXCHANGE).  Readers, and sessions after a kill
 * or loss of power, have one form or the other: no sample is missing or counted twice.  A killed
 * run leaves a directory whose name begins with OP_PACK_TEMPORARY, which is no part of the session;
 * the next run, the next daemon and "opdb repair" remove it.
 */
#ifndef LIBOP_PACK_SESSION_H
#define LIBOP_PACK_SESSION_H

#include <stdint.h>

#include "libop/base/error.h"

#define OP_PACK_TEMPORARY ".pack-"

struct op_pack_result {
	uint64_t done; /* files that were packed or unpacked, with those that were packed before */
	/* Files that stay loose: damaged, foreign or too large; or packed: with too long a name. */
	uint64_t left;
};

/* Called for each file that stays loose, with the reason. */
typedef void op_pack_report(void *context, const char *text);

/**
 * op_session_pack - pack the loose files in samples/NAME of a session
 * @dir: that directory, trusted, in one whose names others cannot exchange (trusted_dir.h).
 *	No process may write to it; for samples/current the caller holds the lock
 * @report: may be NULL
 *
 * An existing pack is merged into the new one.  Without loose files, nothing is changed.
 *
 * Return: 0, or -1 with @error set and nothing changed: EBUSY if a file is being written to,
 * EOPNOTSUPP if the file system has no links, or cannot exchange directories.
 */
int op_session_pack(const char *dir, op_pack_report *report, void *context,
		    struct op_pack_result *result, struct op_error *error);

/*
 * The same at the end of a session that may be long: parts that have more than so many bytes
 * together stay what they are, so that the end does not take longer the older a session is.
 */
int op_session_pack_recent(const char *dir, op_pack_report *report, void *context,
			   struct op_pack_result *result, struct op_error *error);
#define OP_PACK_RECENT_MOST ((uint64_t)4 << 20)

/**
 * op_session_unpack - make sample files and stack files again of what is packed
 *
 * They hold the same counts; what is loose already is added to.  Files that the file system cannot
 * have at such a path are left in a pack.
 *
 * Return: as op_session_pack(); ENOENT if there is no pack, EEXIST if a loose file has another
 * header than the packed one of its name.
 */
int op_session_unpack(const char *dir, struct op_pack_result *result, struct op_error *error);

/*
 * Removes what killed runs left in @samples, the directory "samples" of a session that is trusted.
 * Return: how many directories.
 */
unsigned int op_pack_remove_leftovers(const char *samples);

#endif
