/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session as one pack, loose files and parts, that is right although it could not be held
 * (hold.h): whoever owns a session may lock it for ever, and readers do not wait for that.
 */
#ifndef LIBOP_PACK_WHOLE_H
#define LIBOP_PACK_WHOLE_H

#include "libop/base/strings.h"
#include "pack.h"

/* Bytes of loose files that are read into memory. */
#define OP_WHOLE_BYTES_MOST (UINT64_C(1) << 30)

/**
 * op_pack_open_whole - open all files of a session as one pack, which is made in memory
 * @samples_dir: its samples/NAME
 * @wrong: what cannot be had is added, a text for each file
 *
 * Each file that is moved to a part leaves a trace there, so that what was read while files were
 * moved is noticed, and read again, a few times.
 *
 * Return: 0, or -1 with @error set: ESTALE: files are moved all the time; E2BIG: there is too much;
 * ENOENT: there is nothing.
 */
int op_pack_open_whole(struct op_pack **out, const char *samples_dir, struct op_strings *wrong,
		       struct op_error *error);

#endif
