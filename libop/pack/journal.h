/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of a session: many small sample files as records of one file.
 *
 * A sample file of its own takes a name, several directories and a page.  Programs that run for a
 * moment, or whose paths are thousands of characters, take less here: their names and counts are
 * appended.  A full journal is packed (parts.h) and the next one begins.
 *
 * A writer may be killed at any time: records are valid up to the length in the header, which is
 * stored last, and a count that is there already grows by one aligned store.  Layout:
 * oprofile-pack(5).
 */
#ifndef LIBOP_PACK_JOURNAL_H
#define LIBOP_PACK_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "libdb/odb/odb.h"
#include "libop/base/error.h"

/* Bytes of a journal; of these, what is kept for calls with @reserve. */
#define OP_JOURNAL_MOST ((uint64_t)8 << 20)
#define OP_JOURNAL_KEPT ((uint64_t)64 << 10)
/* The file gets blocks for so much at a time, at first and whenever they are used up. */
#define OP_JOURNAL_STEP ((uint64_t)256 << 10)

struct op_journal;
struct op_pack_writer;

/**
 * op_journal_create - create a journal, which must not exist
 * @out: set to the handle; op_journal_close() frees it
 *
 * It is written as `PATH.new` and renamed when it has its header, so that a reader that meets
 * the name meets the header.  The caller has the session's lock.
 *
 * Return: 0, or -1 with @error set.
 */
int op_journal_create(struct op_journal **out, const char *path, struct op_error *error);

/**
 * op_journal_name - add the name of a sample file
 * @name: as in packs
 * @reserve: whether to use the room that is kept
 *
 * Return: its number in the journal, or 0 with @error set: EFBIG if the journal is full.
 */
uint32_t op_journal_name(struct op_journal *journal, const char *name,
			 const struct odb_header *header, bool reserve, struct op_error *error);

/**
 * op_journal_add - add @n to the count of @key
 * @file: of op_journal_name()
 * @reserve: as of op_journal_name()
 * @fresh: set to whether it is the first count of the key
 *
 * Return: 0, or -1 with @error set: EFBIG if the journal is full.
 */
int op_journal_add(struct op_journal *journal, uint32_t file, uint64_t key, uint64_t n,
		   bool reserve, bool *fresh, struct op_error *error);

/* Bytes that are in use, and for which the file has blocks. */
uint64_t op_journal_used(const struct op_journal *journal);
uint64_t op_journal_backed(const struct op_journal *journal);

/* Whether what was added is there: as odb_is_whole(). */
bool op_journal_is_whole(const struct op_journal *journal);

const char *op_journal_path(const struct op_journal *journal);
void op_journal_close(struct op_journal *journal);

/* Whether an open file begins as journals do. */
bool op_journal_is(int fd);

/**
 * op_journal_pack - write what is in a journal to a pack
 * @fd: the journal; may be in use by a writer
 * @path: its name in errors
 *
 * Return: 0, or -1 with @error set.
 */
int op_journal_pack(int fd, const char *path, struct op_pack_writer *writer,
		    struct op_error *error);

#endif
