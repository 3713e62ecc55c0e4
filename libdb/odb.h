/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sample files: a count for each key, in a file that is mapped into memory.
 *
 * This library creates, updates, reads, checks and repairs them.  It knows the layout
 * (oprofile-sample-file(5)) and nothing of profiling.
 */
#ifndef LIBDB_ODB_H
#define LIBDB_ODB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct odb;

#define ODB_VERSION 0x13 /* what is written; 0x11 and 0x12 are read as well */

/**
 * struct odb_header - the facts in front of the counts, whatever version and byte order
 *	the file has; meanings as in oprofile-sample-file(5)
 */
struct odb_header {
	uint32_t version; /* of the file; ignored when a file is created */
	uint32_t cpu_type;
	uint32_t ctr_event;
	uint32_t ctr_um;
	uint32_t ctr_count;
	uint32_t is_kernel;
	double cpu_speed; /* MHz; a value in kHz written by 0.9.9 is scaled when it is read */
	uint64_t mtime;
	uint32_t cg_to_is_kernel;
	uint64_t anon_start;
	uint64_t cg_to_anon_start;
};

/* What went wrong: one line that names the file, the place in it and the cause. */
struct odb_error {
	int code; /* an errno value: EINVAL for a file that is no valid sample file */
	char text[512];
};

enum odb_mode {
	ODB_READ,   /* any version, any byte order; the file is never changed */
	ODB_WRITE,  /* our version and byte order; a file left by a crash is mended */
	ODB_CREATE, /* as ODB_WRITE; a missing file is made, complete and empty, in one step */
};

/**
 * odb_open - open a sample file
 * @out: set to the handle, which odb_close() frees; untouched on error
 * @path: the file; its directory must exist
 * @mode: see enum odb_mode
 * @fresh: the header of a file that is made; may be NULL unless @mode is ODB_CREATE
 * @error: filled in on error
 *
 * Nothing that the file says is believed before it is checked against its length.
 *
 * Return: 0, or -1 with @error set.
 */
int odb_open(struct odb **out, const char *path, enum odb_mode mode,
	     const struct odb_header *fresh, struct odb_error *error);

/* Unmaps and frees; @db may be NULL.  What was added is in the file already. */
void odb_close(struct odb *db);

/* The header of an open file; lives as long as @db. */
const struct odb_header *odb_header(const struct odb *db);

/**
 * odb_add - add @n to the count of @key
 *
 * The sum of all counts grows by exactly @n: a full 32-bit node is followed by another
 * node of the same key.  When 0 is returned the addition survives the death of the process.
 *
 * Return: 0, or -1 with @error set (disk full, file too large); then nothing has changed.
 */
int odb_add(struct odb *db, uint64_t key, uint64_t n, struct odb_error *error);

/* Writes dirty pages to the disk (msync).  Return: 0, or -1 with @error set. */
int odb_sync(struct odb *db, struct odb_error *error);

struct odb_entry {
	uint64_t key;
	uint64_t count; /* of one node: several entries may have the same key; sum them */
};

/**
 * odb_entries - read all entries, in native byte order, in the order of the file
 * @out: set to an array that the caller frees with free(); NULL if there are none
 *
 * Return: the number of entries, or -1 with @error set (out of memory).
 */
ptrdiff_t odb_entries(const struct odb *db, struct odb_entry **out, struct odb_error *error);

/**
 * odb_entries_by_key - as odb_entries(), sorted by key, one entry a key, counts summed
 */
ptrdiff_t odb_entries_by_key(const struct odb *db, struct odb_entry **out, struct odb_error *error);

#endif
