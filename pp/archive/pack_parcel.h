/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packed files as bytes, from the process that has read a pack to the one that writes another
 * (libop/foreign/apart.h).  Both are the same program: the bytes have no version.
 */
#ifndef PP_ARCHIVE_PACK_PARCEL_H
#define PP_ARCHIVE_PACK_PARCEL_H

#include <stddef.h>

#include "libop/base/buffer.h"
#include "libop/base/reader.h"
#include "libop/pack/pack.h"

/* Puts in all files of a pack, and for those that cannot be read, why. */
void pack_parcel_put(struct op_buffer *out, struct op_pack *pack);

/* struct pack_parcel_file - a file, or why there is none */
struct pack_parcel_file {
	const char *wrong; /* NULL: there is a file */
	struct op_pack_file file;
	struct odb_entry *entries;     /* of a sample file: file.n */
	struct stacks_content content; /* of a stack file; names are those of the parcel */
};

/**
 * pack_parcel_take - take the next file out
 * @file: filled in; pack_parcel_free() frees it
 *
 * Nothing in it is believed: a pack that has what is taken can be read.  Whether the names are in
 * order is left to the writer of the pack.
 *
 * Return: 1; 0: there are no more; or -1 with @error set (EBADMSG, or ENOMEM).
 */
int pack_parcel_take(struct op_reader *in, struct pack_parcel_file *file, struct op_error *error);
void pack_parcel_free(struct pack_parcel_file *file);

#endif
