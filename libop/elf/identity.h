/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What identifies the file of an image: its build-id; without one, its inode, size, modification
 * time and a hash of its head.
 */
#ifndef LIBOP_ELF_IDENTITY_H
#define LIBOP_ELF_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "build_id.h"

struct op_identity {
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t build_id_size; /* 0: it has none, or it is not known */
	bool has_file;	       /* what follows is known */
	uint32_t owner;	       /* user */
	uint64_t size, inode;
	uint64_t mtime; /* nanoseconds since 1970 */
	uint64_t head;	/* hash of the first IDENTITY_HEAD bytes; 0: there is a build-id */
};

#define IDENTITY_HEAD 4096

/* Room for a build-id in hexadecimal, and a NUL. */
#define IDENTITY_TEXT (2 * BUILD_ID_MAX + 1)

/**
 * identity_of_open - the identity of an open file
 * @path: as of apart_is_needed(); may be NULL
 *
 * Of a file that others own, root has its bytes read apart (apart.h).
 *
 * Return: whether it is a file that can be read.
 */
bool identity_of_open(int fd, const char *path, struct op_identity *identity);

/**
 * identity_fits - whether two identities are of the same file, or of copies of it
 * @is_copy: one is a copy: its inode and fractions of a second of its time mean nothing
 *
 * Build-ids decide, if both have one.  A build-id and none are different files.
 */
bool identity_fits(const struct op_identity *a, const struct op_identity *b, bool is_copy);

/**
 * identity_is_of_file - whether two identities are of one file that has not changed
 * @is_copy: as of identity_fits()
 *
 * Builds that differ in names of static functions only may have one build-id: the linker does not
 * make it of symbol tables.
 */
bool identity_is_of_file(const struct op_identity *a, const struct op_identity *b, bool is_copy);

/* The build-id in hexadecimal; "" if there is none. */
const char *identity_text(const struct op_identity *identity, char text[static IDENTITY_TEXT]);

#endif
