/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packs: the sample files and stack files of a session in one compressed file.
 *
 * Loose files have free space for further samples, and a directory for each part of their names.
 * After the end of a session both are waste, and opening thousands of files dominates the time of
 * a report.  oprofile-pack(5) describes the layout.
 *
 * A pack is written once and never changed.  Readers check each value, and allocate memory for data
 * that were unpacked, not for lengths that were promised.  One thread at a time may use a handle.
 */
#ifndef LIBOP_PACK_PACK_H
#define LIBOP_PACK_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"

/* Its name, beside {root} and stacks. */
#define OP_PACK_NAME "pack"

/* Bytes of all names of a pack, and of what its directory has beside them. */
#define OP_PACK_NAMES_MOST ((uint64_t)128 << 20)
/* What that is for each name. */
#define OP_PACK_NAME_BYTES 40

struct op_pack;

enum op_pack_kind {
	OP_PACK_SAMPLES,
	OP_PACK_STACKS,
};

/* Where the content of a packed file is. */
struct op_pack_place {
	uint32_t block;
	uint32_t begin, length; /* in the unpacked block, bytes */
	uint64_t n, sum;	/* as of struct op_pack_file */
};

/* An entry of the directory. */
struct op_pack_file {
	const char *name; /* path below the samples directory; valid until the next call */
	enum op_pack_kind kind;
	uint64_t n;   /* entries, of distinct keys; or nodes */
	uint64_t sum; /* of all counts */
	struct op_pack_place place;
	struct odb_header header; /* of sample files; their version is ODB_VERSION */
	uint64_t merged;	  /* of stack files: as in struct stacks_content */
};

/**
 * op_pack_open - open a pack and look through its directory
 * @path: a pack, or a journal (journal.h), which is packed in memory
 * @out: set to the handle, which op_pack_close() frees; untouched on error
 *
 * Return: 0, or -1 with @error set: ENOENT if there is none, EINVAL for a damaged one, ENOTSUP for
 * another version.
 */
int op_pack_open(struct op_pack **out, const char *path, struct op_error *error);
/* The same for an open file, which is closed with the pack, and on error. */
int op_pack_open_fd(struct op_pack **out, int fd, const char *path, struct op_error *error);
/* The same for a directory of idle files (idle.h), which is packed in memory. */
int op_pack_open_idle(struct op_pack **out, const char *path, struct op_error *error);
void op_pack_close(struct op_pack *pack); /* may be NULL */

/* Keeps at most @bytes of unpacked blocks, for a pack that is read in order. */
void op_pack_keep_less(struct op_pack *pack, size_t bytes);

/* Whether a file begins as packs or journals do. */
bool op_pack_is_file(const char *path);

const char *op_pack_path(const struct op_pack *pack);
uint64_t op_pack_files(const struct op_pack *pack); /* how many */

/* A way through the directory; all zero but for @pack at the beginning. */
struct op_pack_walk {
	const struct op_pack *pack;
	size_t next, begin; /* in the directory; in the block */
	uint32_t block, left;
	uint64_t seen;
	char name[16384];
};

/* The next file, in the order of op_pack_compare_names().  Return: whether there is one. */
bool op_pack_next(struct op_pack_walk *walk, struct op_pack_file *file);

/* The order of names: component by component, as a walk through directories would find them. */
int op_pack_compare_names(const char *a, const char *b);

/**
 * op_pack_samples - what is in a packed sample file
 * @place: of struct op_pack_file
 * @name: the file's, for errors
 * @entries: set to @place->n entries, sorted by key, which the caller frees; NULL if there are none
 *
 * Unpacked blocks are kept, up to a bound, for the files beside this one.
 *
 * Return: 0, or -1 with @error set.
 */
int op_pack_samples(struct op_pack *pack, const struct op_pack_place *place, const char *name,
		    struct odb_entry **entries, struct op_error *error);

/**
 * op_pack_stacks - what is in a packed stack file
 * @content: filled in; stacks_content_free() frees what it holds
 *
 * Return: 0, or -1 with @error set.
 */
int op_pack_stacks(struct op_pack *pack, const struct op_pack_file *file,
		   struct stacks_content *content, struct op_error *error);

/* ---- writing ---- */

struct op_pack_writer;

/* What one file may take in a pack, 64 MiB; tests make it less. */
extern size_t op_pack_body_most;

/* Creates a pack at @path, which must not exist.  Return: 0, or -1 with @error set. */
int op_pack_create(struct op_pack_writer **out, const char *path, struct op_error *error);
/* The same for an open, empty file in memory, which is closed with the writer, and on error. */
int op_pack_create_open(struct op_pack_writer **out, int fd, const char *path,
			struct op_error *error);

/* Sorts entries by key and adds up those of one key.  Return: how many are left. */
size_t op_pack_sum_entries(struct odb_entry *entries, size_t n);

/**
 * op_pack_add_samples - add a sample file
 * @file: name and header; names must be in the order of op_pack_compare_names()
 * @entries: sorted by key, each key once
 *
 * Return: 0, or -1 with @error set: EFBIG if the file alone is too large for a pack; others
 * can still be added.
 */
int op_pack_add_samples(struct op_pack_writer *writer, const struct op_pack_file *file,
			const struct odb_entry *entries, size_t n, struct op_error *error);

/**
 * op_pack_add_stacks - add a stack file
 * @contents: of one file or of several, which are joined
 *
 * Return: as op_pack_add_samples().
 */
int op_pack_add_stacks(struct op_pack_writer *writer, const struct op_pack_file *file,
		       const struct stacks_content *contents, size_t n_contents,
		       struct op_error *error);

/* Writes the rest and the directory; syncs a file on a disk.  Return: 0, or -1 with @error set. */
int op_pack_finish(struct op_pack_writer *writer, struct op_error *error);

/* Frees the writer, which may be NULL.  An unfinished pack stays and cannot be opened. */
void op_pack_writer_free(struct op_pack_writer *writer);

#endif
