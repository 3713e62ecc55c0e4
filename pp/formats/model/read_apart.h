/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles that others own: a process without rights (libop/foreign/apart.h) recognises and reads
 * them, unwinds stacks in them, and sends what it found (parcel.h).
 */
#ifndef PP_FORMATS_MODEL_READ_APART_H
#define PP_FORMATS_MODEL_READ_APART_H

#include "format.h"
#include "profile.h"

/* What it computes at most, in seconds, and answers at most, in bytes. */
#define READ_APART_SECONDS 300
#define READ_APART_MOST	   (UINT64_C(1) << 30)
/* Of a packed profile, what it unpacks to, if its reader moves in it. */
#define READ_APART_UNPACKED_MOST (UINT64_C(1) << 30)

/**
 * read_apart_open - open an input that is to be read apart
 * @path: a file or a directory; "-" is the standard input
 *
 * @fd: set to a descriptor, or -1: this process may read it itself, or will say what is wrong with
 * it
 *
 * What is not root's nor this user's is read apart; for root, a directory if a file below it is
 * such a one, and what comes by a pipe, which nobody knows the owner of: that is copied first.
 *
 * Return: 0, or -1 with @error set.
 */
int read_apart_open(const char *path, int *fd, struct op_error *error);

/* The format of such an input, or NULL with @error set. */
const struct format *read_apart_format(int fd, const char *path, struct op_error *error);

/**
 * read_apart - read such an input into a sink
 * @by: as of prof_new()
 * @stored: as of input_stored_size()
 *
 * Return: 0, or -1 with @error set; the sink has what came before an error in the input.
 */
int read_apart(int fd, const char *path, const struct format *format, unsigned int by,
	       struct prof_sink *sink, uint64_t *stored, struct op_error *error);

#endif
