/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables that were made once and are kept, in the directories of store.h: by all of the
 * identity of their file, as symbols are (symbols.h).  oprofile-unwind(5) describes the files.
 */
#ifndef LIBOP_SAVED_UNWIND_H
#define LIBOP_SAVED_UNWIND_H

#include "libop/base/error.h"
#include "libop/elf/identity.h"
#include "libop/unwind/table.h"

/**
 * saved_unwind_open - the unwind table of a file
 * @fd: the file; its position does not change
 * @is_apart: a process apart (libop/foreign/apart.h) reads it
 * @identity: of it; NULL: it is not known, and the table is not kept
 *
 * It is read, or, if there is none that is whole, made and kept.
 *
 * Return: a table, which free() frees and which may have no rows; NULL with @error set if none can
 * be made: EAGAIN as of apart_ask().
 */
struct unwind_table *saved_unwind_open(int fd, bool is_apart, const struct op_identity *identity,
				       struct op_error *error);

#endif
