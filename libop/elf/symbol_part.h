/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of an ELF file that names of functions are read from: headers, symbol tables, their
 * strings and versions, notes, stubs of calls and .gnu_debugdata; no code but these stubs, and no
 * data.  What is made of it is a file of the same layout, with holes, that readers of symbols take
 * for the whole.
 */
#ifndef LIBOP_ELF_SYMBOL_PART_H
#define LIBOP_ELF_SYMBOL_PART_H

#include "libop/base/buffer.h"
#include "libop/base/error.h"

/* Bytes of one file that are kept at most: a program of a million functions has 100 MB. */
#define SYMBOL_PART_MOST (UINT64_C(128) << 20)

/**
 * symbol_part_read - take the part of a file
 * @fd: an ELF file, whose headers may say anything; root has one of others read apart
 * @most: bytes of it that are kept at most
 * @part: bytes are added; op_buffer_free() frees them, whatever is returned
 *
 * Return: 0, or -1 with @error set: ENOENT if it has no symbols, EFBIG if they are too many.
 */
int symbol_part_read(int fd, uint64_t most, struct op_buffer *part, struct op_error *error);

/**
 * symbol_part_open - make a file of a part
 * @bytes: of symbol_part_read(); may say anything
 *
 * Return: a descriptor of a file in memory, or -1 with @error set.
 */
int symbol_part_open(const void *bytes, size_t length, struct op_error *error);

#endif
