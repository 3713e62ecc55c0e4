/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Object files as libbfd sees them.
 *
 * libbfd parses what anybody may have left on the disk.  Its messages are kept as the error
 * of the image, sizes are checked against that of the file before they are used, and what
 * it can't read is left out.
 */
#ifndef PP_BFD_FILE_H
#define PP_BFD_FILE_H

#include <stdint.h>

#define PACKAGE "oprofile" /* bfd.h insists */
#include <bfd.h>

#include "libop/base/error.h"

struct pp_bfd_file {
	bfd *bfd;
	uint64_t size;
	asymbol **symbols;
};

/* Forgets the message; must be called before an image is opened. */
void pp_bfd_start(void);

/* What libbfd said first since then; "" for nothing. */
const char *pp_bfd_message(void);

/**
 * pp_bfd_open - open an object file
 * @file: must be zeroed; pp_bfd_close() closes it, also after an error
 *
 * Return: 0, or -1 with @error set, which may be NULL.
 */
int pp_bfd_open(struct pp_bfd_file *file, const char *path, struct op_error *error);

/* As pp_bfd_open(); @fd is closed in the end, @path is for messages. */
int pp_bfd_open_descriptor(struct pp_bfd_file *file, int fd, const char *path,
			   struct op_error *error);
void pp_bfd_close(struct pp_bfd_file *file);

/* @bytes, if a table of pointers to symbols can be so long in this file, or 0. */
long pp_bfd_table_room(const struct pp_bfd_file *file, long bytes);

/* Reads the symbol table into file->symbols.  Return: how many there are. */
long pp_bfd_read_symbols(struct pp_bfd_file *file);

#endif
