/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information of files: their unwind tables; and, for code whose rules no table can
 * have, rows as libdw finds them.  Of files that others own, a process apart
 * (libop/foreign/apart.h) reads both for root.
 */
#ifndef LIBOP_PERF_FRAME_ROW_H
#define LIBOP_PERF_FRAME_ROW_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/elf/frame_value.h"
#include "libop/unwind/code_cache.h"
#include "libop/unwind/table.h"

enum frame_rule {
	FRAME_UNKNOWN, /* nothing is said, or the value is lost */
	FRAME_SAME,    /* it is as it was */
	FRAME_VALUE,   /* an expression says it */
};

struct frame_row {
	const Dwarf_Op *cfa;
	size_t n_cfa;
	struct {
		enum frame_rule rule;
		const Dwarf_Op *ops;
		size_t n;
	} registers[FRAME_REGISTERS];
	bool is_signal; /* the caller was interrupted, it has not called */
};

/* ---- files ---- */

struct frame_file;

/**
 * frame_file_open - the call frame information of a file
 * @fd: the file, or -1; it is closed with the file
 * @is_in_container: anybody may own it, whoever it says
 *
 * Return: NULL when out of memory; else a file, which may have no rows.
 */
struct frame_file *frame_file_open(int fd, bool is_in_container);
void frame_file_close(struct frame_file *file); /* may be NULL */

/*
 * frame_file_rest - close the descriptor, so that what the file is on can be unmounted
 *
 * The table and rows stay.
 */
void frame_file_rest(struct frame_file *file);

/* Whether the descriptor is closed, and frame_file_resume() may give another. */
bool frame_file_rests(const struct frame_file *file);

/* @fd: as of frame_file_open(); -1: the file cannot be opened, until it has rested again */
void frame_file_resume(struct frame_file *file, int fd);

/* Whether frame_file_table() is to read the file. */
bool frame_file_has_no_table_yet(const struct frame_file *file);

/* Bytes that it keeps of rows and its table. */
size_t frame_file_kept(const struct frame_file *file);

/**
 * frame_file_table - the unwind table of a file, which is made at the first call
 *
 * Return: a table, which may have no rows, and is there until the file is closed; NULL: it cannot
 * be made, or not yet.
 */
const struct unwind_table *frame_file_table(struct frame_file *file);

/**
 * frame_file_step - go to the caller, without the table
 * @offset: of the code, in the file
 *
 * Return: false if there is none that is known.
 */
bool frame_file_step(struct frame_file *file, uint64_t offset, struct frame_state *state);

/**
 * frame_file_code - code of the file
 * @offset: in the file
 * @cache: has what was read
 *
 * Return: how many of the @most bytes there are; 0: it cannot be read.
 */
size_t frame_file_code(const struct frame_file *file, struct code_cache *cache, uint64_t offset,
		       uint8_t *bytes, size_t most);

#endif
