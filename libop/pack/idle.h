/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a running session does not use any more, on the way into a pack.
 *
 *	idle.N/names	the names that they had below samples/NAME, each with a NUL behind
 *	idle.N/K	the file of name K, from 0, if it has been moved
 *
 * The directory is a part (parts.h).  One rename moves a file: it counts in the tree or here,
 * whenever the mover is killed.  Readers, who look at parts and tree one after the other, keep
 * files where they are (hold.h).
 */
#ifndef LIBOP_PACK_IDLE_H
#define LIBOP_PACK_IDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

struct op_pack_writer;

/* The file of names, in its directory. */
#define OP_IDLE_NAMES "names"

/* Larger files stay where they are: that there are many is what costs, not that they are large. */
#define OP_IDLE_BYTES_MOST ((uint64_t)4 << 20)

/**
 * op_idle_list - find loose files that may be idle: those that no writer has locked
 * @most: how many names to add
 *
 * Return: 0, or -1 with @error set.
 */
int op_idle_list(const char *samples_dir, size_t most, struct op_strings *names,
		 struct op_error *error);

/**
 * op_idle_move - move loose files to a part
 * @part: its directory, in @samples_dir, which must not exist: op_pack_idle_path()
 * @stop: when it is set, the rest stays; may be NULL
 * @moved: set to how many were moved
 *
 * Each of them is locked while it is moved, so a writer finds it in use, or gone.  Those that are
 * in use, or that a pack cannot have, stay; so do all that are left once a reader holds the
 * session.  Directories that are empty then are removed, so a writer may have to make them more
 * than once.
 *
 * Return: 0, or -1 with @error set; no count is lost then.
 */
int op_idle_move(const char *samples_dir, const char *part, const struct op_strings *names,
		 const atomic_bool *stop, size_t *moved, struct op_error *error);

/**
 * op_idle_pack - write what such a part has to a pack
 * @part: its directory
 *
 * Files that are damaged, and names that are not those of files in packs, are left out.
 *
 * Return: 0, or -1 with @error set.
 */
int op_idle_pack(const char *part, struct op_pack_writer *writer, struct op_error *error);

#endif
