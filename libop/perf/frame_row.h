/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of call frame information: for a range of code, where the caller's registers are.  Of files
 * that others own, a process apart (libop/foreign/apart.h) reads them for root.
 */
#ifndef LIBOP_PERF_FRAME_ROW_H
#define LIBOP_PERF_FRAME_ROW_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/elf/frame_value.h"

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
};

/* The caller's registers.  Return: whether there is a caller that is known. */
bool frame_row_apply(const struct frame_row *row, struct frame_state *state);

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

/* Bytes that it keeps of rows. */
size_t frame_file_kept(const struct frame_file *file);

/**
 * frame_file_step - go to the caller
 * @offset: of the code, in the file
 *
 * Return: false if there is none that is known.
 */
bool frame_file_step(struct frame_file *file, uint64_t offset, struct frame_state *state);

#endif
