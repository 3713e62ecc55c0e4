/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of what is packed in a session: "pack", and what a running daemon adds to it.
 *
 *	pack		of op_session_pack()
 *	journal.N	a journal of the daemon (journal.h)
 *	idle.N		files that it does not use any more (idle.h)
 *	pack.N-M	what the journals and idle files N to M had
 *
 * A part whose numbers are among those of another one is superseded: it counts no more, and is to
 * be removed.  So the name of a new part takes the place of all that it was made of in one step.
 * Readers see one pack, which is made in memory if there is more than the first.
 */
#ifndef LIBOP_PACK_PARTS_H
#define LIBOP_PACK_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/strings.h"
#include "pack.h"

/* Whether the file of this name, below samples/NAME, is a part, or one of an idle part. */
bool op_pack_is_part(const char *name);

/**
 * op_pack_open_session - open all parts of a session as one pack
 * @samples_dir: its samples/NAME; the pack's path is that of "pack" in it
 *
 * Return: as op_pack_open(); ENOENT if there is no part.
 */
int op_pack_open_session(struct op_pack **out, const char *samples_dir, struct op_error *error);

/**
 * op_pack_open_recent - open the newest parts of a session as one pack, and name the others
 * @most: bytes that they have, or will have when they are packed
 * @others: the names of the parts before them, which are files
 * @name: set to the name of a part that takes the place of those that are opened, and comes behind
 *	the others; the caller frees it
 * @is_one: set to whether it is one pack already, of that name
 *
 * Return: as op_pack_open(); ENOENT if none is opened.
 */
int op_pack_open_recent(struct op_pack **out, const char *samples_dir, uint64_t most,
			struct op_strings *others, char **name, bool *is_one,
			struct op_error *error);

/*
 * Bytes of names, and of what a directory of a pack has beside them, that one pack of all parts
 * would have: at most OP_PACK_NAMES_MOST can be read.  Of journals and idle files it is an
 * estimate.
 */
uint64_t op_pack_names(const char *samples_dir);

/* The greatest number of a part, or 0. */
uint64_t op_pack_last_part(const char *samples_dir);

/* The path of a journal, or of a directory of idle files, which the caller frees. */
char *op_pack_journal_path(const char *samples_dir, uint64_t number);
char *op_pack_idle_path(const char *samples_dir, uint64_t number);

/**
 * op_pack_journals - pack all journals and idle files, and packs of earlier ones, that have ended
 * @last: number of the last of them that has ended; no process writes to it
 * @stop: when it is set, the rest is left for another time (ECANCELED); may be NULL
 *
 * A new part is joined with those before it while they are not larger than what is joined, so
 * there are few parts, and each count is written again few times.  What was superseded is removed.
 *
 * Return: 0, or -1 with @error set; no count is lost then.
 */
int op_pack_journals(const char *samples_dir, uint64_t last, const atomic_bool *stop,
		     struct op_error *error);

#endif
