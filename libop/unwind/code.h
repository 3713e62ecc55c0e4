/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caller of code that no table describes, such as code made at run time: from an address on,
 * the instructions up to the return say how far the stack is undone by then.
 */
#ifndef LIBOP_UNWIND_CODE_H
#define LIBOP_UNWIND_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "module/uapi/unwind.h"

/* Bytes of code that are looked at, at most. */
#define UNWIND_CODE_MOST 256

/**
 * unwind_code_row - follow code of x86-64 up to its return
 * @code: from the address on at which it goes on; any bytes: nothing they say is trusted
 * @is_exact: this is the next instruction, not the one behind a call
 * @row: filled in: as if a table said it of this address, and of no other
 *
 * Calls are taken to leave the stack as it was, and conditional jumps not to be taken; other jumps
 * are followed forward.  What writes the stack pointer is understood or ends it, and so does any
 * instruction that is not known here.
 *
 * Return: false if it leads to no return within @size bytes; then @row is of UNWIND_NONE.
 */
bool unwind_code_row(const uint8_t *code, size_t size, bool is_exact, struct unwind_row *row);

#endif
