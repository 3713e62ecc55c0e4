/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the session of an import may take of the disk, by the size of what is imported.
 *
 * A profile names an image in a few bytes, a pair of images in fewer; a file for each of them, with
 * the directories of its name, takes many pages.  So there is room for some files, what is beyond
 * is packed, and what is beyond that is counted in {other}.
 */
#ifndef PP_FORMATS_SESSION_ROOM_H
#define PP_FORMATS_SESSION_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"

/* A session takes at most so many bytes for each of its input, or of SESSION_ROOM_LEAST. */
#define SESSION_ROOM_RATIO 64
#define SESSION_ROOM_LEAST ((uint64_t)512 << 10)

/* Bytes that are left. */
struct session_room {
	uint64_t files;	 /* for sample files of their own */
	uint64_t stacks; /* for stack files */
	uint64_t packed; /* for what is packed, before it is */
	uint64_t others; /* for {other} */
};

/* @input: bytes of what is imported; 0: there is no limit */
void session_room_open(struct session_room *room, uint64_t input);

/* Takes bytes of one of the rooms.  Return: whether there were so many. */
bool session_room_take(uint64_t *left, uint64_t bytes);

/* What a file takes on the disk, with the directories of its name that are not there yet. */
uint64_t session_room_of_file(const char *dir, const char *name, uint64_t length);

/* Whether files can have that name below a directory: it and its parts are not too long. */
bool session_room_is_name(const char *dir, const char *name);

/**
 * session_room_check - compare what was written with what an input may become
 * @dir: with all that was written; symbols that are kept for all sessions do not count
 *
 * Return: 0, or -1 with @error set (EFBIG).
 */
int session_room_check(const char *dir, uint64_t input, struct op_error *error);

#endif
