/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings: the raw event stream, with what is needed to interpret it later and elsewhere.
 *
 * oprofile-record(5) describes the format: a head, then chunks with a type and a length.  A
 * recording that ends within a chunk is good up to the chunk before.
 */
#ifndef DAEMON_SOURCES_RECORDING_H
#define DAEMON_SOURCES_RECORDING_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "source.h"

#define RECORD_MAGIC	  "OPRECORD"
#define RECORD_VERSION	  1
#define RECORD_BYTE_ORDER 0x01020304 /* as its writer keeps it */

/* struct record_head - the first bytes of a recording */
struct record_head {
	char magic[8] OP_NONSTRING;
	uint32_t version;
	uint32_t byte_order;
};

_Static_assert(sizeof(struct record_head) == 16, "on disk");

#define RECORD_TYPE(a, b, c, d)                                                                    \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum record_type {
	RECORD_FACTS = RECORD_TYPE('F', 'A', 'C', 'T'),	   /* lines "key value"; the first chunk */
	RECORD_BUFFER = RECORD_TYPE('B', 'U', 'F', 'F'),   /* the words of one read */
	RECORD_IMAGE = RECORD_TYPE('I', 'M', 'A', 'G'),	   /* struct record_image and a path */
	RECORD_MAPS = RECORD_TYPE('M', 'A', 'P', 'S'),	   /* struct record_maps and a text */
	RECORD_MODULES = RECORD_TYPE('M', 'O', 'D', 'S'),  /* as of source_modules() */
	RECORD_KALLSYMS = RECORD_TYPE('K', 'S', 'Y', 'M'), /* as of source_kallsyms() */
	RECORD_STATS = RECORD_TYPE('S', 'T', 'A', 'T'),	   /* as of source_stats() */
};

/* struct record_chunk - the head of a chunk; its bytes follow, and zeros up to a multiple of 8 */
struct record_chunk {
	uint32_t type;
	uint32_t reserved; /* 0 */
	uint64_t length;   /* of what follows, without the zeros at its end */
};

_Static_assert(sizeof(struct record_chunk) == 16, "on disk");

/* No chunk is longer: the event buffer has 2^27 words at most. */
#define RECORD_LENGTH_MOST (UINT64_C(1) << 30)

#define RECORD_IMAGE_UNKNOWN (1U << 0) /* the source did not know the cookie */
#define RECORD_IMAGE_PRESENT (1U << 1) /* image_facts::present */

/* struct record_image - what a cookie stands for; the path follows, without NUL */
struct record_image {
	uint64_t cookie, device, inode, mtime;
	uint32_t generation;
	uint32_t flags;	 /* of oprofile_image::flags */
	uint32_t answer; /* RECORD_IMAGE_* */
	uint32_t build_id_size;
	uint8_t build_id[OPROFILE_BUILD_ID_MAX];
};

_Static_assert(sizeof(struct record_image) == 80, "on disk");

#define RECORD_MAPS_NONE (1U << 0) /* there was no such process */

/* struct record_maps - the memory of a process; the text of /proc/TGID/maps follows */
struct record_maps {
	uint32_t tgid;
	uint32_t answer;  /* RECORD_MAPS_* */
	uint64_t process; /* as of source_process() */
};

_Static_assert(sizeof(struct record_maps) == 16, "on disk");

/**
 * source_record_open - a source that records another one
 * @inner: belongs to the new source, also on error
 * @path: the recording, which must not exist
 *
 * If the recording cannot be written, this is logged, and sampling continues.
 *
 * Return: the source, or NULL with @error set.
 */
struct source *source_record_open(struct source *inner, const char *path, struct op_error *error);

/**
 * source_replay_open - a source that replays a recording
 *
 * Return: the source, or NULL with @error set.
 */
struct source *source_replay_open(const char *path, struct op_error *error);

#endif
