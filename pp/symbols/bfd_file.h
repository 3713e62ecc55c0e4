/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Object files, read through libbfd.
 *
 * libbfd parses untrusted files.  Its messages become the error of the image, sizes are checked
 * against the size of the file before they are used, and unreadable parts are left out.
 */
#ifndef PP_SYMBOLS_BFD_FILE_H
#define PP_SYMBOLS_BFD_FILE_H

#include <stdint.h>

#define PACKAGE "oprofile" /* bfd.h requires it */
#include <bfd.h>

#include "libop/base/error.h"

struct pp_bfd_file {
	bfd *bfd;
	uint64_t size;
	asymbol **symbols;
};

/* Clears the message; call it before opening an image. */
void pp_bfd_start(void);

/* libbfd's first message since pp_bfd_start(); "" if there is none. */
const char *pp_bfd_message(void);

/**
 * pp_bfd_open - open an object file
 * @file: must be zeroed; pp_bfd_close() closes it, also after an error
 *
 * Return: 0, or -1 with @error set, which may be NULL.
 */
int pp_bfd_open(struct pp_bfd_file *file, const char *path, struct op_error *error);

/* As pp_bfd_open(); @fd is closed by pp_bfd_close(), @path is for messages. */
int pp_bfd_open_descriptor(struct pp_bfd_file *file, int fd, const char *path,
			   struct op_error *error);
void pp_bfd_close(struct pp_bfd_file *file);

/* @bytes, or 0 if a table of symbol pointers cannot be that long in this file. */
long pp_bfd_table_size(const struct pp_bfd_file *file, long bytes);

/* Reads the symbol table into file->symbols.  Return: the number of symbols. */
long pp_bfd_read_symbols(struct pp_bfd_file *file);

#endif
