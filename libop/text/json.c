// SPDX-License-Identifier: GPL-2.0-or-later
/* A JSON writer: see json.h. */
#include "json.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/number.h"
#include "libop/base/utf8.h"

static void text_json_put(struct op_json *json, const char *text)
{
	fputs_unlocked(text, json->out);
}

/*
 * The escape of a character that a string must not have as it is; NULL: none.  JSON allows DEL and
 * C1, terminals obey them.
 */
static const char *escape(uint32_t code, char room[static 8])
{
	static const char *const known[] = {
		['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f",
		['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\"};

	if (code < OP_ARRAY_SIZE(known) && known[code])
		return known[code];
	if (code >= ' ' && (code < 0x7f || code >= 0xa0))
		return NULL;
	snprintf(room, 8, "\\u%04x", (unsigned int)code);
	return room;
}

void op_json_quote(FILE *out, const char *text)
{
	size_t n = strlen(text), plain = 0;
	char room[8];

	putc_unlocked('"', out);
	while (plain < n) {
		uint32_t code = 0;
		size_t length = op_utf8_character(text + plain, n - plain, &code);
		const char *escaped = length ? escape(code, room) : OP_UTF8_REPLACEMENT;

		if (!escaped) {
			plain += length;
			continue;
		}
		fwrite_unlocked(text, 1, plain, out);
		fputs_unlocked(escaped, out);
		plain += length ? length : 1;
		text += plain;
		n -= plain;
		plain = 0;
	}
	fwrite_unlocked(text, 1, n, out);
	putc_unlocked('"', out);
}

/* Writes what precedes a value: comma, new line, key. */
static void text_json_begin(struct op_json *json, const char *key)
{
	bool is_array = !json->depth || (json->arrays >> (json->depth - 1) & 1);

	assert(is_array == !key);
	if (json->follows)
		text_json_put(json, json->spaced && !json->newline ? ", " : ",");
	if (json->newline)
		text_json_put(json, "\n");
	json->newline = false;
	json->follows = true;
	if (!key)
		return;
	op_json_quote(json->out, key);
	text_json_put(json, json->spaced ? ": " : ":");
}

static void begin_container(struct op_json *json, const char *key, bool is_array)
{
	text_json_begin(json, key);
	assert(json->depth < OP_JSON_DEPTH);
	json->arrays &= ~(1ull << json->depth);
	json->arrays |= (uint64_t)is_array << json->depth;
	json->depth++;
	json->follows = false;
	text_json_put(json, is_array ? "[" : "{");
}

void op_json_object(struct op_json *json, const char *key)
{
	begin_container(json, key, false);
}

void op_json_array(struct op_json *json, const char *key)
{
	begin_container(json, key, true);
}

void op_json_end(struct op_json *json)
{
	assert(json->depth);
	json->depth--;
	if (json->newline)
		text_json_put(json, "\n");
	text_json_put(json, json->arrays >> json->depth & 1 ? "]" : "}");
	json->newline = false;
	json->follows = true;
}

void op_json_newline(struct op_json *json)
{
	json->newline = true;
}

void op_json_string(struct op_json *json, const char *key, const char *text)
{
	text_json_begin(json, key);
	if (text)
		op_json_quote(json->out, text);
	else
		text_json_put(json, "null");
}

void op_json_number(struct op_json *json, const char *key, uint64_t value)
{
	char digits[OP_NUMBER_TEXT];

	text_json_begin(json, key);
	text_json_put(json, op_number_text(value, 10, digits));
}

void op_json_hex(struct op_json *json, const char *key, uint64_t value)
{
	char digits[OP_NUMBER_TEXT];

	text_json_begin(json, key);
	text_json_put(json, "\"0x");
	text_json_put(json, op_number_text(value, 16, digits));
	text_json_put(json, "\"");
}

void op_json_bool(struct op_json *json, const char *key, bool value)
{
	text_json_begin(json, key);
	text_json_put(json, value ? "true" : "false");
}

void op_json_null(struct op_json *json, const char *key)
{
	text_json_begin(json, key);
	text_json_put(json, "null");
}

void op_json_raw(struct op_json *json, const char *key, const char *format, ...)
{
	va_list args;

	text_json_begin(json, key);
	va_start(args, format);
	vfprintf(json->out, format, args);
	va_end(args);
}
