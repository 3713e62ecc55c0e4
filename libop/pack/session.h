/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packing the files of a session, and unpacking them.
 *
 * Both make a whole new directory beside the session's, with hard links to what stays as it is,
 * and exchange the two in one step (renameat2(2), RENAME_EXCHANGE).  So whoever looks, and
 * whatever is killed or loses power, there is the one form or the other: no sample is missing or
 * there twice.  What is left behind by a kill has a name that begins with OP_PACK_TEMPORARY; the
 * next one removes it.
 */
#ifndef LIBOP_PACK_SESSION_H
#define LIBOP_PACK_SESSION_H

#include <stdint.h>

#include "libop/base/error.h"

#define OP_PACK_TEMPORARY ".pack-"

struct op_pack_result {
	uint64_t done; /* files that were packed or unpacked, with those that were packed before */
	uint64_t left; /* files that stay loose: damaged, foreign or too large */
};

/* Told of each file that stays loose, and why. */
typedef void op_pack_report(void *context, const char *text);

/**
 * op_session_pack - pack what is loose in samples/NAME of a session
 * @dir: that directory.  Nobody may write to it; of samples/current, the caller holds the lock
 * @report: may be NULL
 *
 * A pack that is there already becomes part of the new one.  With nothing loose, nothing is done.
 *
 * Return: 0, or -1 with @error set and nothing changed: EBUSY if a file is being written to,
 * EOPNOTSUPP if the file system has no links, or cannot exchange directories.
 */
int op_session_pack(const char *dir, op_pack_report *report, void *context,
		    struct op_pack_result *result, struct op_error *error);

/**
 * op_session_unpack - make sample files and stack files again of what is packed
 *
 * They hold the same counts; what is loose already is added to.
 *
 * Return: as op_session_pack(); ENOENT if there is no pack, EEXIST if a loose file has another
 * header than the packed one of its name.
 */
int op_session_unpack(const char *dir, struct op_pack_result *result, struct op_error *error);

#endif
