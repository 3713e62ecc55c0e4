// SPDX-License-Identifier: GPL-2.0-or-later
/* Protocol buffers, read and written. */
#include "wire.h"

#include <string.h>

#include "libop/base/utf8.h"
#include "libop/text/cells.h"

enum wire_type { WIRE_NUMBER, WIRE_8_BYTES, WIRE_BYTES, WIRE_4_BYTES = 5 };

static int read_value(const uint8_t *bytes, size_t n, enum wire_type type, struct wire_field *field)
{
	uint64_t length;
	int taken;

	switch (type) {
	case WIRE_NUMBER:
		return op_leb128_read(bytes, n, &field->value);
	case WIRE_8_BYTES:
		if (n < 8)
			return 0;
		field->value = op_load_u64(bytes, op_swap_for(false));
		return 8;
	case WIRE_4_BYTES:
		if (n < 4)
			return 0;
		field->value = op_load_u32(bytes, op_swap_for(false));
		return 4;
	case WIRE_BYTES:
		taken = op_leb128_read(bytes, n, &length);
		if (taken <= 0)
			return taken;
		if (length > SIZE_MAX / 2)
			return -1;
		field->length = (size_t)length;
		field->bytes = bytes + taken;
		return taken;
	}
	return -1;
}

int wire_head(const uint8_t *bytes, size_t n, struct wire_field *field)
{
	uint64_t tag;
	int tag_bytes = op_leb128_read(bytes, n, &tag), value_bytes;

	*field = (struct wire_field){0};
	if (tag_bytes <= 0)
		return tag_bytes;
	field->number = tag >> 3;
	if (!field->number)
		return -1;
	value_bytes = read_value(bytes + tag_bytes, n - (size_t)tag_bytes,
				 (enum wire_type)(tag & 7), field);
	return value_bytes > 0 ? tag_bytes + value_bytes : value_bytes;
}

bool wire_next(struct op_reader *message, struct wire_field *field)
{
	int taken;

	if (!op_reader_left(message))
		return false;
	taken = wire_head(message->at, op_reader_left(message), field);
	if (taken <= 0) {
		op_reader_fail(message);
		return false;
	}
	op_reader_take(message, (uint64_t)taken);
	return op_reader_take(message, field->length) != NULL;
}

bool wire_next_number(struct op_reader *numbers, uint64_t *value)
{
	if (!op_reader_left(numbers))
		return false;
	*value = op_reader_leb128(numbers);
	return !numbers->failed;
}

static void put_tag(struct op_buffer *buffer, unsigned int field, enum wire_type type)
{
	op_buffer_leb128(buffer, (uint64_t)field << 3 | type);
}

void wire_put_number(struct op_buffer *buffer, unsigned int field, uint64_t value)
{
	if (value)
		wire_put_present(buffer, field, value);
}

void wire_put_present(struct op_buffer *buffer, unsigned int field, uint64_t value)
{
	put_tag(buffer, field, WIRE_NUMBER);
	op_buffer_leb128(buffer, value);
}

void wire_put_fixed64(struct op_buffer *buffer, unsigned int field, uint64_t value)
{
	put_tag(buffer, field, WIRE_8_BYTES);
	op_buffer_u64(buffer, value);
}

void wire_put_bytes(struct op_buffer *buffer, unsigned int field, const void *bytes, size_t n)
{
	put_tag(buffer, field, WIRE_BYTES);
	op_buffer_leb128(buffer, n);
	op_buffer_put(buffer, bytes, n);
}

void wire_put_text(struct op_buffer *buffer, unsigned int field, const char *text)
{
	wire_put_bytes(buffer, field, text, strlen(text));
}

void wire_put_safe_text(struct op_buffer *buffer, unsigned int field, const char *text)
{
	struct op_line line = {0};

	if (op_utf8_is_valid(text)) {
		wire_put_text(buffer, field, text);
		return;
	}
	op_line_safe(&line, text);
	wire_put_bytes(buffer, field, line.text, line.n);
	op_line_free(&line);
}

void wire_put_message(struct op_buffer *buffer, unsigned int field, struct op_buffer *message)
{
	wire_put_bytes(buffer, field, message->bytes, message->used);
	buffer->failed |= message->failed;
	message->used = 0;
}
