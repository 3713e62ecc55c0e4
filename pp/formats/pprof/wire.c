// SPDX-License-Identifier: GPL-2.0-or-later
/* Protocol buffers, read and written. */
#include "pp/formats/pprof/wire.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

enum wire_type { WIRE_NUMBER, WIRE_8_BYTES, WIRE_BYTES, WIRE_4_BYTES = 5 };

struct wire_message wire_message(const uint8_t *bytes, size_t length)
{
	return (struct wire_message){bytes, bytes ? bytes + length : NULL, false};
}

/* Return: bytes of the number; 0: they are too few; -1: it is too long. */
static int read_number(const uint8_t *bytes, size_t n, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < n; i++) {
		if (i == WIRE_NUMBER_MOST)
			return -1;
		*value |= (uint64_t)(bytes[i] & 0x7f) << (7 * i);
		if (!(bytes[i] & 0x80))
			return (int)i + 1;
	}
	return n < WIRE_NUMBER_MOST ? 0 : -1;
}

static int read_fixed(const uint8_t *bytes, size_t n, size_t size, uint64_t *value)
{
	if (n < size)
		return 0;
	*value = 0;
	for (size_t i = size; i; i--)
		*value = *value << 8 | bytes[i - 1];
	return (int)size;
}

static int read_value(const uint8_t *bytes, size_t n, enum wire_type type, struct wire_field *field)
{
	uint64_t length;
	int taken;

	switch (type) {
	case WIRE_NUMBER:
		return read_number(bytes, n, &field->value);
	case WIRE_8_BYTES:
		return read_fixed(bytes, n, 8, &field->value);
	case WIRE_4_BYTES:
		return read_fixed(bytes, n, 4, &field->value);
	case WIRE_BYTES:
		taken = read_number(bytes, n, &length);
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
	int tag_bytes = read_number(bytes, n, &tag), value_bytes;

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

bool wire_next(struct wire_message *message, struct wire_field *field)
{
	size_t left = (size_t)(message->end - message->at);
	int taken;

	if (message->is_broken || !left)
		return false;
	taken = wire_head(message->at, left, field);
	if (taken <= 0 || field->length > left - (size_t)taken) {
		message->is_broken = true;
		return false;
	}
	message->at += (size_t)taken + field->length;
	return true;
}

bool wire_next_number(struct wire_message *numbers, uint64_t *value)
{
	size_t left = (size_t)(numbers->end - numbers->at);
	int taken;

	if (numbers->is_broken || !left)
		return false;
	taken = read_number(numbers->at, left, value);
	if (taken <= 0) {
		numbers->is_broken = true;
		return false;
	}
	numbers->at += taken;
	return true;
}

void wire_add_number(struct wire_buffer *buffer, uint64_t value)
{
	buffer->bytes = pp_grow(buffer->bytes, &buffer->capacity, buffer->n + WIRE_NUMBER_MOST, 1);
	for (; value > 0x7f; value >>= 7)
		buffer->bytes[buffer->n++] = (uint8_t)(value | 0x80);
	buffer->bytes[buffer->n++] = (uint8_t)value;
}

static void put_tag(struct wire_buffer *buffer, unsigned int field, enum wire_type type)
{
	wire_add_number(buffer, (uint64_t)field << 3 | type);
}

void wire_put_number(struct wire_buffer *buffer, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	put_tag(buffer, field, WIRE_NUMBER);
	wire_add_number(buffer, value);
}

void wire_put_bytes(struct wire_buffer *buffer, unsigned int field, const void *bytes, size_t n)
{
	put_tag(buffer, field, WIRE_BYTES);
	wire_add_number(buffer, n);
	buffer->bytes = pp_grow(buffer->bytes, &buffer->capacity, buffer->n + n, 1);
	if (n)
		memcpy(buffer->bytes + buffer->n, bytes, n);
	buffer->n += n;
}

void wire_put_text(struct wire_buffer *buffer, unsigned int field, const char *text)
{
	wire_put_bytes(buffer, field, text, strlen(text));
}

void wire_put_message(struct wire_buffer *buffer, unsigned int field, struct wire_buffer *message)
{
	wire_put_bytes(buffer, field, message->bytes, message->n);
	message->n = 0;
}

void wire_free(struct wire_buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct wire_buffer){0};
}
