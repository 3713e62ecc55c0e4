/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open input, for input_read.c and input_source.c only. */
#ifndef PP_FORMATS_MODEL_INPUT_STATE_H
#define PP_FORMATS_MODEL_INPUT_STATE_H

#include <zlib.h>
#include "input.h"

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

	bool is_packed;
	bool between; /* packed: a member has ended, another may follow */
	z_stream stream;
	uint8_t *packed;

	uint8_t *buffer;
	size_t begin, end, capacity;
	uint64_t offset; /* of buffer[begin] */
};

/* Reads until @n bytes are in the buffer or the source ends.  Return: 0, or -1 with @error set. */
int input_fill(struct input *input, size_t n, struct op_error *error);
int input_fail_to_read(const struct input *input, struct op_error *error);

#endif
