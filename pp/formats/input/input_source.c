// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the bytes of an input come from: a descriptor, memory, or what unpacks a descriptor.
 */
#include "input_state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/memory.h"

ptrdiff_t input_read_raw(struct input *input, uint8_t *to, size_t room, struct op_error *error)
{
	ptrdiff_t got;

	do
		got = read(input->fd, to, room);
	while (got < 0 && errno == EINTR);
	return got < 0 ? input_fail_to_read(input, error) : got;
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

			input->buffer = op_grow(input->buffer, &input->capacity, wanted, 1);
		}
		if (input->fd < 0)
			got = read_bytes(input, input->buffer + input->end,
					 input->capacity - input->end);
		else if (input->packing)
			got = input_unpack(input, input->buffer + input->end,
					   input->capacity - input->end, error);
		else
			got = input_read_raw(input, input->buffer + input->end,
					     input->capacity - input->end, error);
		if (got < 0)
			return -1;
		input->ended = !got;
		input->end += (size_t)got;
	}
	return 0;
}
