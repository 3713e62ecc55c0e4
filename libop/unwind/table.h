/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind table of an image, as module/uapi/unwind.h has it: rows by offset in the file.
 */
#ifndef LIBOP_UNWIND_TABLE_H
#define LIBOP_UNWIND_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "module/uapi/unwind.h"

/**
 * unwind_table_check - look at a table that came from elsewhere
 * @bytes: are aligned as memory of malloc() is
 *
 * Return: the same memory, a table that can be used; NULL if it is none.
 */
const struct unwind_table *unwind_table_check(const void *bytes, size_t length);

#endif
