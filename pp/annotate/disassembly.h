/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions of an image, with the names of its symbols.  For root, a process apart disassembles
 * files of others (libop/foreign/apart.h).
 */
#ifndef PP_ANNOTATE_DISASSEMBLY_H
#define PP_ANNOTATE_DISASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "pp/symbols/symbols.h"

struct pp_disassembly;

/**
 * pp_disassembly_open - open an image for disassembly
 * @out: set to what pp_disassembly_close() frees; untouched on error
 * @path: of the image
 * @symbols: those of the image, for names of jump targets; must outlive the handle
 * @options: options of libopcodes, such as "intel"; or NULL
 *
 * Return: 0, or -1 with @error set: the image can't be read, or its instructions are unknown.
 */
int pp_disassembly_open(struct pp_disassembly **out, const char *path,
			const struct pp_symbols *symbols, const char *options,
			struct op_error *error);
void pp_disassembly_close(struct pp_disassembly *disassembly); /* may be NULL */

/**
 * pp_disassembly_next - disassemble one instruction
 * @key: where, a key of @symbols
 * @end: where the code ends
 * @text: set to the instruction, which lives until the next call
 *
 * Bytes that are no instruction are shown as ".byte 0x..", one at a time.
 *
 * Return: its length in bytes, at least 1; 0: @key is in no code.
 */
size_t pp_disassembly_next(struct pp_disassembly *disassembly, uint64_t key, uint64_t end,
			   const char **text);

/* Why there are no more instructions: the process that read them ended.  NULL: it did not. */
const char *pp_disassembly_failure(const struct pp_disassembly *disassembly);

#endif
