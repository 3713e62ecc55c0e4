/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The encoding of protocol buffers, as far as profiles need it: numbers, texts, messages in
 * messages.
 *
 * By hand, for a generated parser makes objects of the whole message before any of it can be
 * looked at: that is many times the size of a file that may have been made to be unpacked.
 */
#ifndef PP_FORMATS_INPUT_WIRE_H
#define PP_FORMATS_INPUT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/buffer.h"
#include "libop/base/reader.h"

struct wire_field {
	uint64_t number;      /* of the field */
	uint64_t value;	      /* of a number, or of 4 or 8 bytes */
	const uint8_t *bytes; /* of a text or message; NULL: it is a number */
	size_t length;
};

/* Return: a reader of the fields of a message; of no bytes (NULL), there are none. */
static inline struct op_reader wire_message(const uint8_t *bytes, size_t length)
{
	return op_reader_of(bytes, length, op_swap_for(false));
}

/* The next field of a message.  Return: false at the end, or if the message is malformed: then
 * @message->failed is set. */
bool wire_next(struct op_reader *message, struct wire_field *field);

/* The next of numbers that are packed in one field.  Return: likewise. */
bool wire_next_number(struct op_reader *numbers, uint64_t *value);

/*
 * Reads the tag of a field, and its value or, for a text or message, its length.
 *
 * Return: how many bytes that took; 0: they are too few; -1: no field begins so.  A field->length
 * that is not 0, or field->bytes that is not NULL, says that such bytes follow.
 */
int wire_head(const uint8_t *bytes, size_t n, struct wire_field *field);
/* Bytes that wire_head() needs at most. */
#define WIRE_HEAD_MOST (2 * OP_LEB128_MOST)

/* Messages are put together in buffers; check ->failed before the bytes are used. */
void wire_put_number(struct op_buffer *buffer, unsigned int field, uint64_t value); /* 0: none */
/* The same with 0, for a field whose presence means something, as in a oneof. */
void wire_put_present(struct op_buffer *buffer, unsigned int field, uint64_t value);
void wire_put_fixed64(struct op_buffer *buffer, unsigned int field, uint64_t value);
void wire_put_bytes(struct op_buffer *buffer, unsigned int field, const void *bytes, size_t n);
void wire_put_text(struct op_buffer *buffer, unsigned int field, const char *text);
/* The same of any bytes: what a string cannot have is escaped (libop/base/safe_text.h). */
void wire_put_safe_text(struct op_buffer *buffer, unsigned int field, const char *text);
/* Puts @message into a field, and empties it. */
void wire_put_message(struct op_buffer *buffer, unsigned int field, struct op_buffer *message);

#endif
