/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that a JIT compiler put into memory, as the program itself wrote them down for
 * profilers: perf-TGID.map, lines "START SIZE NAME", or jit-TGID.dump, perf's jitdump.
 *
 * In a directory where others may write, such as /tmp, a file is only believed if it is a regular
 * one (no symbolic link) of root, of the user who makes the report, or of the user whose process
 * TGID still runs.
 */
#ifndef PP_JIT_H
#define PP_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/symbols/symbols.h"

#define PP_JIT_DIR "/tmp"

/* A stretch of code; those of one table do not overlap. */
struct pp_jit_symbol {
	uint64_t start, end; /* addresses, without end */
	const char *name;    /* lives as long as the table */
};

struct pp_jit {
	uint32_t tgid;
	struct pp_jit_symbol *symbols; /* by address */
	size_t n;
	char *text; /* what the names are in */
};

enum pp_jit_result {
	PP_JIT_READ,
	PP_JIT_NONE,	/* the process wrote none */
	PP_JIT_REFUSED, /* what is there is not believed or damaged; the error says why */
};

/**
 * pp_jit_read - read what a process wrote
 * @jit: filled in; pp_jit_free() frees what it holds, whatever is returned
 * @dir: where the files are
 *
 * Where functions overlap, the one that was written last has the addresses: memory of functions
 * that are no longer used is used again.  A damaged jitdump is read up to the damage.
 */
enum pp_jit_result pp_jit_read(struct pp_jit *jit, const char *dir, uint32_t tgid,
			       struct op_error *error);
void pp_jit_free(struct pp_jit *jit);

/* Adds the symbols between @start and @end to @symbols, whose keys count from @start. */
void pp_jit_symbols(const struct pp_jit *jit, uint64_t start, uint64_t end,
		    struct pp_symbols *symbols);

/* Where the files are: @given, or else PP_JIT_DIR below @archive, which may be NULL.  The caller
 * frees it. */
char *pp_jit_dir(const char *given, const char *archive);

/* True if @path is a file that pp_jit_read() would read. */
bool pp_jit_is_believed(const char *path, const char *dir, uint32_t tgid);

/* The names of the two files, in @dir; the caller frees them. */
char *pp_jit_map_path(const char *dir, uint32_t tgid);
char *pp_jit_dump_path(const char *dir, uint32_t tgid);

#endif
