/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of what is packed in a session: "pack", and what a running daemon adds to it.
 *
 *	pack		of op_session_pack()
 *	journal.N	the N-th journal of the daemon
 *	pack.N-M	what the journals N to M had
 *
 * A part whose numbers are among those of another one is superseded: it counts no more, and is to
 * be removed.  So the name of a new part takes the place of all that it was made of in one step.
 * Readers see one pack, which is made in memory if there is more than the first.
 */
#ifndef LIBOP_PACK_PARTS_H
#define LIBOP_PACK_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pack.h"

/* Whether the file of this name, in samples/NAME, is a part. */
bool op_pack_is_part(const char *name);

/**
 * op_pack_open_session - open all parts of a session as one pack
 * @samples_dir: its samples/NAME; the pack's path is that of "pack" in it
 *
 * Return: as op_pack_open(); ENOENT if there is no part.
 */
int op_pack_open_session(struct op_pack **out, const char *samples_dir, struct op_error *error);

/* The greatest number of a part, or 0. */
uint64_t op_pack_last_part(const char *samples_dir);

/* The path of a journal, which the caller frees. */
char *op_pack_journal_path(const char *samples_dir, uint64_t number);

/**
 * op_pack_journals - pack all journals, and packs of earlier ones, that have ended
 * @last: number of the last journal that has ended; no process writes to it
 *
 * A new part is joined with those before it while they are not larger than what is joined, so
 * there are few parts, and each count is written again few times.  What was superseded is removed.
 *
 * Return: 0, or -1 with @error set; no count is lost then.
 */
int op_pack_journals(const char *samples_dir, uint64_t last, struct op_error *error);

#endif
