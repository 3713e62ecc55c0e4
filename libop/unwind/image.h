/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind table of an image: compiled from its call frame information.
 */
#ifndef LIBOP_UNWIND_IMAGE_H
#define LIBOP_UNWIND_IMAGE_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "table.h"

/* Bytes of a section of call frame information at most; a browser has 20 MiB. */
#define UNWIND_SECTION_MOST (256u << 20)

/**
 * unwind_image_compile - the table of a file
 * @fd: any file; its position does not change
 *
 * Only ELF files for x86-64 have rows.  To be called in a process that may be lost: see
 * unwind_image_open().
 *
 * Return: the table, which free() frees and which may have no rows; NULL when out of memory, or if
 * it would be larger than UNWIND_TABLE_MOST.
 */
struct unwind_table *unwind_image_compile(int fd);

/**
 * unwind_image_open - as unwind_image_compile(), for any file
 * @is_apart: a process apart (libop/foreign/apart.h) reads it
 * @error: set if that fails
 */
struct unwind_table *unwind_image_open(int fd, bool is_apart, struct op_error *error);

#endif
