// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the bytes of an input come from: a descriptor, memory, or zlib over a descriptor.
 */
#include "input_state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/memory.h"

/* ---- sources ---- */

/* The next bytes of the descriptor.  Return: how many, 0 at the end, -1 with @error set. */
static ptrdiff_t read_raw(struct input *input, uint8_t *to, size_t room, struct op_error *error)
{
	ptrdiff_t got;

	do
		got = read(input->fd, to, room);
	while (got < 0 && errno == EINTR);
	return got < 0 ? input_fail_to_read(input, error) : got;
}

static int fail_to_unpack(const struct input *input, struct op_error *error)
{
	return input_fail(input, error, EINVAL, input->offset + (input->end - input->begin),
			  "the gzip data are damaged (%s)",
			  input->stream.msg ? input->stream.msg : "they end early");
}

/* As read_raw(), unpacked. */
static ptrdiff_t read_packed(struct input *input, uint8_t *to, size_t room, struct op_error *error)
{
	z_stream *z = &input->stream;
	ptrdiff_t got;
	int result;

	z->next_out = to;
	z->avail_out = (uInt)room;
	while (z->avail_out == room) {
		if (!z->avail_in) {
			got = read_raw(input, input->packed, PACKED_BYTES, error);
			if (got < 0)
				return -1;
			if (!got)
				return input->between ? 0 : fail_to_unpack(input, error);
			z->next_in = input->packed;
			z->avail_in = (uInt)got;
		}
		if (input->between) {
			/* what follows a member and is no other one is padding */
			if (*z->next_in != 0x1f)
				return 0;
			input->between = false;
			inflateReset(z);
		}
		result = inflate(z, Z_NO_FLUSH);
		if (result == Z_STREAM_END)
			input->between = true;
		else if (result != Z_OK && result != Z_BUF_ERROR)
			return fail_to_unpack(input, error);
	}
	return (ptrdiff_t)(room - z->avail_out);
}

static ptrdiff_t read_bytes(struct input *input, uint8_t *to, size_t room)
{
	size_t n = input->n_bytes - input->at_byte;

	if (n > room)
		n = room;
	if (n)
		memcpy(to, input->bytes + input->at_byte, n);
	input->at_byte += n;
	return (ptrdiff_t)n;
}

int input_fill(struct input *input, size_t n, struct op_error *error)
{
	ptrdiff_t got;

	while (input->end - input->begin < n && !input->ended) {
		if (input->begin && (input->end == input->capacity || input->begin == input->end)) {
			memmove(input->buffer, input->buffer + input->begin,
				input->end - input->begin);
			input->end -= input->begin;
			input->begin = 0;
		}
		if (input->end == input->capacity) {
			size_t wanted = input->capacity ? input->capacity * 2 : BUFFER_FIRST;

			input->buffer = pp_grow(input->buffer, &input->capacity, wanted, 1);
		}
		if (input->fd < 0)
			got = read_bytes(input, input->buffer + input->end,
					 input->capacity - input->end);
		else if (input->is_packed)
			got = read_packed(input, input->buffer + input->end,
					  input->capacity - input->end, error);
		else
			got = read_raw(input, input->buffer + input->end,
				       input->capacity - input->end, error);
		if (got < 0)
			return -1;
		input->ended = !got;
		input->end += (size_t)got;
	}
	return 0;
}
