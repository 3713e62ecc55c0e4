/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a pack, as oprofile-pack(5) describes it.
 *
 *	header | block | block | ... | directory
 *
 * Blocks and directory are zstd frames with checksums.  All fixed numbers are little-endian.
 */
#ifndef LIBOP_PACK_LAYOUT_H
#define LIBOP_PACK_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/strings.h"

#define PACK_MAGIC   "OPPACK\r\n"
#define PACK_VERSION 1

struct pack_header {
	char magic[8] OP_NONSTRING;
	uint32_t version;
	uint32_t header_length;	    /* 64 */
	uint64_t directory;	    /* its offset; blocks are between it and the header */
	uint64_t directory_length;  /* packed; the file ends with it */
	uint64_t directory_content; /* its length, unpacked */
	uint64_t files;		    /* in the directory */
	uint64_t zero;
	uint64_t checksum; /* FNV-1a of all before it */
};
_Static_assert(sizeof(struct pack_header) == 64, "the header as in oprofile-pack(5)");
_Static_assert(offsetof(struct pack_header, directory) == 16, "as in oprofile-pack(5)");
_Static_assert(offsetof(struct pack_header, checksum) == 56, "as in oprofile-pack(5)");

/* Bytes after which a block ends: less packs worse, more makes single files slower to read. */
#define PACK_BLOCK_LENGTH ((size_t)256 << 10)
/* Bytes that a body, and so a block, may have: the largest stack file has 20 MB. */
#define PACK_BODY_MOST ((size_t)64 << 20)
/* Bytes that a directory may have, unpacked: those of two million files. */
#define PACK_DIRECTORY_MOST ((size_t)128 << 20)
/* Bytes of a name: three paths, as in call graphs, an event, and what is between them. */
#define PACK_NAME_MOST 16383

/* Kinds of files in the directory. */
#define PACK_KIND_SAMPLES 0
#define PACK_KIND_STACKS  1

static inline uint64_t pack_checksum(const void *bytes, size_t n)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
	return sum;
}

#endif
