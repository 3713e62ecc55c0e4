/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who holds a session: readers, while a daemon moves files from its tree to its packs.
 *
 * A reader takes the parts that there are (parts.h), then walks the tree.  A file that is moved in
 * between would count twice, or not at all; so readers hold samples/NAME, shared, and nothing is
 * moved meanwhile.  The daemon never waits for them: it moves files another time.
 */
#ifndef LIBOP_PACK_HOLD_H
#define LIBOP_PACK_HOLD_H

/* How long a reader waits for a session of its user's, or of root's: files are moved in a moment.
 */
#define OP_HOLD_SECONDS 5

/**
 * op_hold_to_read - keep the files of a session where they are
 * @samples_dir: its samples/NAME
 *
 * A session that cannot be held is read another way (whole.h): the owner of a foreign one can lock
 * it for ever, so that is not waited for.
 *
 * Return: for op_hold_release(); -1: it is not held.
 */
int op_hold_to_read(const char *samples_dir);

/* Return: for op_hold_release(); -1: somebody reads the session. */
int op_hold_to_move(const char *samples_dir);

void op_hold_release(int hold);

#endif
