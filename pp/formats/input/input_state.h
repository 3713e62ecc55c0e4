/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open input, for input_read.c and input_source.c only. */
#ifndef PP_FORMATS_INPUT_INPUT_STATE_H
#define PP_FORMATS_INPUT_INPUT_STATE_H

#include <zlib.h>
#include "input.h"

struct archive;
struct archive_library;

#define BUFFER_FIRST (256u << 10)
#define PACKED_BYTES (64u << 10)

struct input {
	char *path, *name;
	bool is_directory;
	int fd;	       /* -1: of bytes in memory */
	uint64_t base; /* of the first byte in the file: a descriptor may come with an offset */
	uint64_t size; /* if it is seekable */
	bool is_file;  /* a regular file, not packed, so it can be moved in */
	bool ended;    /* the source has no more */

	const uint8_t *bytes; /* of memory */
	size_t n_bytes, at_byte;

	const char *packing;	 /* what is around it: "gzip", "xz"...; NULL: nothing */
	bool between;		 /* gzip: a member has ended, another may follow */
	z_stream stream;	 /* of gzip */
	struct archive *archive; /* of the others, and what unpacks it */
	const struct archive_library *library;
	uint8_t *packed;
	size_t n_first;	   /* bytes of @packed that came before the first were unpacked */
	uint64_t n_packed; /* bytes that were read, and what they made */
	uint64_t n_unpacked;
	bool gathers; /* what is unpacked stays in memory */

	uint8_t *whole;	 /* of input_whole() */
	size_t n_mapped; /* of it; 0: it was read */

	uint8_t *buffer;
	size_t begin, end, capacity;
	uint64_t offset; /* of buffer[begin] */
};

/* Reads until @n bytes are in the buffer or the source ends.  Return: 0, or -1 with @error set. */
int input_fill(struct input *input, size_t n, struct op_error *error);
int input_fail_to_read(const struct input *input, struct op_error *error);

/* Unpacks what begins like something packed.  Return: 0, or -1 with @error set. */
int input_detect_packing(struct input *input, struct op_error *error);
/* The next bytes, unpacked.  Return: how many, 0 at the end, -1 with @error set. */
ptrdiff_t input_unpack(struct input *input, uint8_t *to, size_t room, struct op_error *error);
/* Frees what unpacking needs. */
void input_end_unpacking(struct input *input);
/* The next bytes of the descriptor.  Return: as input_unpack(). */
ptrdiff_t input_read_raw(struct input *input, uint8_t *to, size_t room, struct op_error *error);

#endif
