/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions as text, through libopcodes: without names, so that it can be done in a process that
 * knows nothing but the bytes.
 */
#ifndef PP_ANNOTATE_INSTRUCTIONS_H
#define PP_ANNOTATE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/buffer.h"
#include "pp/symbols/symbols.h"

/* Maximum length of an instruction, in bytes. */
#define PP_INSTRUCTION_MOST 32

/* Room for its text, of which each address is this mark and so many hexadecimal digits. */
#define PP_INSTRUCTION_TEXT 256
#define PP_ADDRESS_MARK	    '\1'
#define PP_ADDRESS_DIGITS   16

/* struct pp_instructions - code of a file */
struct pp_instructions {
	struct pp_machine machine;
	uint64_t offset, vma; /* where it is */
	uint64_t size;
	bool is_end;	     /* else the last PP_INSTRUCTION_MOST bytes are left out */
	const char *options; /* of libopcodes; or NULL */
};

bool pp_instructions_are_known(const struct pp_machine *machine);

/**
 * pp_instructions_put - disassemble code
 * @out: one instruction after another is added: a byte with its length, 1 to PP_INSTRUCTION_MOST, a
 *	byte with the length of its text, and the text; nothing if there are no such bytes
 *
 * Bytes that are no instruction are shown as ".byte 0x..", one at a time.
 */
void pp_instructions_put(int fd, const struct pp_instructions *what, struct op_buffer *out);

#endif
