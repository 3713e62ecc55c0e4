/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sample files: a count for each key, in a file.
 *
 * This library creates, updates, reads, checks and repairs them.  It knows the layout
 * (oprofile-sample-file(5)) and nothing of profiling.
 *
 * A writer maps its file; readers read(2) theirs, so that nothing another process does to
 * a file can kill them with a signal.  One writer and any number of readers may use a file
 * at the same time.  A handle belongs to one thread at a time.
 */
#ifndef LIBDB_ODB_ODB_H
#define LIBDB_ODB_ODB_H

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
	uint32_t version;	  /* of the file; ignored when a file is created */
	uint32_t cpu_type;	  /* as it stands: 0x11 and 0x12 number the types in another way */
	uint32_t ctr_event;	  /* event code */
	uint32_t ctr_um;	  /* unit mask */
	uint32_t ctr_count;	  /* sample period */
	uint32_t is_kernel;	  /* 0 or 1; of the caller's side in a call graph file */
	double cpu_speed;	  /* MHz, 0 if unknown; a value in kHz written by 0.9.9 is scaled */
	uint64_t mtime;		  /* of the profiled file, seconds since 1970; 0 if unknown */
	uint32_t cg_to_is_kernel; /* 0 or 1, of the callee's side */
	uint64_t anon_start;	  /* start of the anonymous mapping, else 0 */
	uint64_t cg_to_anon_start; /* the same of the callee's side */
};

/* The form of an open file. */
struct odb_format {
	const char *abi;	/* whose C structs the header follows: "x86-64" or "i386" */
	bool big_endian;	/* byte order */
	uint32_t header_length; /* bytes; the descriptor follows */
	uint32_t size;		/* node slots, and hash buckets */
	uint32_t current_size;	/* slots used, slot 0 (always empty) included */
	uint64_t length;	/* bytes of the file */
};

/* What went wrong: one line that names the file, the place in it and the cause. */
struct odb_error {
	int code; /* an errno value: EINVAL for a file that is no valid sample file,
		   * ENOTSUP for one that can only be read, EBUSY if another writes to it */
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
 * A file that is open for writing is locked (fcntl F_OFD_SETLK) against other writers,
 * where the file system can do that; readers never wait.  ODB_CREATE makes the file with
 * mode 0644 less the umask, under a name ODB_TEMPORARY... that becomes @path in one step.
 * The lock is advisory: a process that cuts a file while a writer has it mapped kills the
 * writer with SIGBUS, unless there is a page guard (libop/base/page_guard.h); odb_is_whole()
 * tells.
 *
 * Return: 0, or -1 with @error set.
 */
int odb_open(struct odb **out, const char *path, enum odb_mode mode, const struct odb_header *fresh,
	     struct odb_error *error);

/* Start of the names of unfinished files, of which only a kill leaves one: odb_leftover(). */
#define ODB_TEMPORARY ".odb-"

/* Unmaps and frees; @db may be NULL.  What was added is in the file already. */
void odb_close(struct odb *db);

/* The header of an open file; lives as long as @db. */
const struct odb_header *odb_header(const struct odb *db);

/* The form of an open file; of a file that is open for reading, as it was when opened. */
struct odb_format odb_format(const struct odb *db);

/**
 * odb_add - add @n to the count of @key
 *
 * The sum of all counts grows by exactly @n: a node whose 32 bits cannot hold the sum is
 * followed by another node of the same key.  The addition takes place in one store, so
 * readers and a kill see it whole or not at all; when 0 is returned it survives the death
 * of the process.  No set of keys makes it slow.
 *
 * Return: 0, or -1 with @error set (disk full, file too large, not open for writing); then
 * no count has changed.
 */
int odb_add(struct odb *db, uint64_t key, uint64_t n, struct odb_error *error);

/* Writes dirty pages to the disk (msync): only what was synced survives a loss of power.
 * Return: 0, or -1 with @error set. */
int odb_sync(struct odb *db, struct odb_error *error);

/* Gives back the memory in which a file is mapped; it comes again from the system's cache. */
void odb_rest(struct odb *db);

/*
 * Whether what was added to a file that is open for writing is there: it has its name and its
 * length, and no page of its mapping was replaced (libop/base/page_guard.h).
 */
bool odb_is_whole(const struct odb *db);

/* The sum of all counts of a file that is open for writing. */
uint64_t odb_sum(const struct odb *db);

/* Bytes that it takes of the disk. */
uint64_t odb_disk_bytes(const struct odb *db);

struct odb_entry {
	uint64_t key;
	uint64_t count; /* of one node: several entries may have the same key; sum them */
};

/**
 * odb_entries - read all entries, in native byte order, in the order of the file
 * @out: set to an array that the caller frees with free(); NULL if there are none
 *
 * A file that a writer is using is read as it is now, not as it was when opened.
 *
 * Return: the number of entries, or -1 with @error set (out of memory, read error, file
 * was cut meanwhile).
 */
ptrdiff_t odb_entries(const struct odb *db, struct odb_entry **out, struct odb_error *error);

/**
 * odb_entries_by_key - as odb_entries(), sorted by key, one entry a key, counts summed
 */
ptrdiff_t odb_entries_by_key(const struct odb *db, struct odb_entry **out, struct odb_error *error);

/**
 * struct odb_load - a file that was read by odb_load(); all zero before the first
 *
 * The memory is used again for the next file, which is what makes it fast to read thousands.
 */
struct odb_load {
	struct odb_header header;
	size_t n; /* entries */
	/* For the functions below: */
	uint8_t *bytes;
	size_t room, nodes;
	bool swapped;
};

/**
 * odb_load - read a whole file without opening a handle
 * @load: filled in; odb_load_free() frees what it holds, whatever is returned
 * @directory: where @name is looked for, or AT_FDCWD
 * @path: the file's name in errors
 *
 * It is read as odb_entries() reads it, with four system calls.  Files may be loaded in
 * several threads, each with its own @load.
 *
 * Return: 0, or -1 with @error set.
 */
int odb_load(struct odb_load *load, int directory, const char *name, const char *path,
	     struct odb_error *error);

/* The sum of all counts of the file that was loaded last. */
uint64_t odb_load_sum(const struct odb_load *load);

/* Copies its @load->n entries, in the order of the file, to @entries. */
void odb_load_entries(const struct odb_load *load, struct odb_entry *entries);

void odb_load_free(struct odb_load *load);

/**
 * odb_write - write a whole file at once, for readers of one version
 * @path: must not exist; its directory must
 * @version: 0x12 or 0x13, in the form of x86-64
 * @entries: each key once; entries that count 0 are left out
 *
 * Return: 0, or -1 with @error set: nothing is at @path.
 */
int odb_write(const char *path, uint32_t version, const struct odb_header *header,
	      const struct odb_entry *entries, size_t n, struct odb_error *error);

struct odb_problem {
	uint64_t offset; /* byte of the file */
	/* A kill or a loss of power leaves it, no synced count is lost, a writer mends it. */
	bool harmless;
	char text[232]; /* cause, one line */
};

typedef void odb_report(void *context, const struct odb_problem *problem);

/**
 * odb_check - compare a file with every rule of oprofile-sample-file(5)
 * @report: called for each problem; may be NULL
 * @context: passed to @report
 * @busy: set to whether a writer has the file open; then the hash chains, which change all
 *	the time, were not looked at.  May be NULL.
 *
 * The file is not changed.
 *
 * Return: the number of problems that are not harmless, or -1 with @error set: the file could
 *	not be read at all.
 */
ptrdiff_t odb_check(const char *path, odb_report *report, void *context, bool *busy,
		    struct odb_error *error);

struct odb_repair {
	bool changed;	  /* false: there was nothing to repair, the file was left alone */
	uint64_t kept;	  /* nodes in the file now */
	uint64_t emptied; /* nodes that had the count 0 and were left out */
	uint64_t lost;	  /* nodes that the file said it has but that are beyond its end */
	uint64_t sum;	  /* of all counts in the file now */
};

/**
 * odb_repair - replace a damaged file with a sound one that has every count still there
 * @result: filled in on success
 *
 * The sound copy has the version, the byte order and the header of the file, its owner and
 * mode, is written beside it and takes its place in one step; a file without problems is
 * not touched.
 *
 * Return: 0, or -1 with @error set: the file is as it was.
 */
int odb_repair(const char *path, struct odb_repair *result, struct odb_error *error);

/**
 * odb_leftover - whether an unfinished file was left by a writer that was killed
 * @path: a file whose name begins with ODB_TEMPORARY
 * @remove: remove it, if so
 *
 * A writer that is still at work and loses its file by bad luck begins again.
 *
 * Return: 1 if it is (and has been removed), 0 if a writer is at work on it or it is gone,
 * -1 and errno if it cannot be opened or removed.
 */
int odb_leftover(const char *path, bool remove);

#endif
