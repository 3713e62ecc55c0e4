/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The build-id of an ELF file: the linker's hash of its contents, kept in a note.
 */
#ifndef OPROFILE_BUILD_ID_H
#define OPROFILE_BUILD_ID_H

#include <linux/types.h>

#include "uapi/oprofile.h"

struct file;

struct op_build_id {
	u32 size; /* bytes used; 0: none */
	u8 bytes[OPROFILE_BUILD_ID_MAX];
};

/**
 * op_build_id_read - the build-id of a file, as far as its pages are in memory
 * @file: open; need not be ELF, nor well-formed
 * @id: filled in; zeroed if there is none
 *
 * Looks at the program headers that lie in the first page and at the notes they name, at
 * most a page of each, if these are up to date in the page cache.  They are, as a rule, of a
 * program that runs; else the daemon reads the file.  No file is read, and no page waited for.
 * Context: process, may sleep.  Return: whether there is one.
 */
bool op_build_id_read(struct file *file, struct op_build_id *id);

/**
 * op_build_id_find_note - look for the build-id among ELF notes
 * @notes, @size: contents of a PT_NOTE segment, of the machine's byte order
 *
 * Context: any.  Return: whether there is one, then @id is filled in.
 */
bool op_build_id_find_note(const void *notes, size_t size, struct op_build_id *id);

#endif
