// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading JSON by libyajl: see json_input.h. */
#include "json_input.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"

#define PIECE	 ((size_t)64 << 10)
#define UNWANTED (-1)

#define NATURAL_REAL_MOST 0x1p53 /* beyond, a double leaves out numbers */

struct level {
	int place; /* of the object or array, or UNWANTED */
};

struct json_input {
	const struct json_reader *reader;
	struct input *input;
	struct op_error *error;
	yajl_handle parser;
	uint64_t at;	   /* of the piece that is parsed */
	uint64_t token_at; /* behind the last token, in the file */
	struct level levels[JSON_DEPTH_MOST + 1];
	size_t depth;
	char *key, *text;
	size_t key_capacity, text_capacity;
	bool failed;
};

void *json_context(const struct json_input *json)
{
	return json->reader->context;
}

struct op_error *json_error(struct json_input *json)
{
	return json->error;
}

static uint64_t offset(const struct json_input *json)
{
	return json->at + yajl_get_bytes_consumed(json->parser);
}

int json_fail(struct json_input *json, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return input_fail(json->input, json->error, EINVAL, offset(json), "%s", text);
}

/* ---- places ---- */

static int find_step(const struct json_input *json, int from, const char *key)
{
	for (const struct json_step *step = json->reader->steps; step->to; step++)
		if (step->from == from && !step->key == !key && (!key || !strcmp(step->key, key)))
			return step->to;
	return UNWANTED;
}

/* The key of the next value, or NULL in an array. */
static const char *take_key(struct json_input *json)
{
	const char *key = json->key && *json->key ? json->key + 1 : NULL;

	if (json->key)
		*json->key = '\0';
	return key;
}

/* For libyajl: 1 is to go on. */
static int go_on(struct json_input *json, int result)
{
	json->token_at = offset(json);
	json->failed = result != 0;
	return !result;
}

static char *json_input_keep(char **text, size_t *capacity, const unsigned char *bytes, size_t n,
			     bool mark)
{
	*text = op_grow(*text, capacity, n + 2, 1);
	**text = 'k';
	memcpy(*text + mark, bytes, n);
	(*text)[n + mark] = '\0';
	return *text;
}

static int take_value(struct json_input *json, const struct json_value *value)
{
	const char *key = take_key(json);
	int place = json->depth ? json->levels[json->depth].place : UNWANTED;

	if (place == UNWANTED)
		return go_on(json, 0);
	return go_on(json, json->reader->value(json, place, key, value));
}

/* ---- what libyajl calls ---- */

static int on_null(void *context)
{
	return take_value(context, &(struct json_value){0});
}

static int on_bool(void *context, int is_true)
{
	return take_value(context, &(struct json_value){.is_true = is_true});
}

static int on_text(struct json_input *json, const unsigned char *bytes, size_t n, bool is_string)
{
	struct json_value value = {.is_string = is_string};

	if (json->depth && json->levels[json->depth].place == UNWANTED)
		n = 0;
	value.text = json_input_keep(&json->text, &json->text_capacity, bytes, n, false);
	return take_value(json, &value);
}

static int on_number(void *context, const char *bytes, size_t n)
{
	return on_text(context, (const unsigned char *)bytes, n, false);
}

static int on_string(void *context, const unsigned char *bytes, size_t n)
{
	return on_text(context, bytes, n, true);
}

static int on_key(void *context, const unsigned char *bytes, size_t n)
{
	struct json_input *json = context;

	json_input_keep(&json->key, &json->key_capacity, bytes, n, true);
	return go_on(json, 0);
}

static int on_begin(void *context)
{
	struct json_input *json = context;
	const char *key = take_key(json);
	int from = json->depth ? json->levels[json->depth].place : JSON_TOP, place = UNWANTED;

	if (json->depth == JSON_DEPTH_MOST)
		return go_on(json, json_fail(json, "objects and arrays are more than %d deep",
					     JSON_DEPTH_MOST));
	if (from != UNWANTED)
		place = find_step(json, from, key);
	json->levels[++json->depth].place = place;
	return go_on(json, place == UNWANTED || !json->reader->begin
				   ? 0
				   : json->reader->begin(json, place));
}

static int on_end(void *context)
{
	struct json_input *json = context;
	int place = json->levels[json->depth--].place;

	if (place == UNWANTED || !json->reader->end)
		return go_on(json, 0);
	return go_on(json, json->reader->end(json, place));
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_bool,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_begin,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end,
	.yajl_start_array = on_begin,
	.yajl_end_array = on_end,
};

/* ---- all of it ---- */

static int fail_to_parse(struct json_input *json, const uint8_t *bytes, size_t n)
{
	unsigned char *text;

	if (json->failed)
		return -1;
	text = yajl_get_error(json->parser, 0, bytes, n);
	if (text)
		text[strcspn((char *)text, "\n")] = '\0';
	json_fail(json, "the JSON is damaged: %s", text ? (char *)text : "unknown cause");
	yajl_free_error(json->parser, text);
	return -1;
}

static int parse_piece(struct json_input *json, const uint8_t *bytes, size_t n)
{
	yajl_status status =
		n ? yajl_parse(json->parser, bytes, n) : yajl_complete_parse(json->parser);

	if (status != yajl_status_ok)
		return fail_to_parse(json, bytes, n);
	if (json->at + n > json->token_at + JSON_TEXT_MOST)
		return json_fail(json, "a string, or what is between two, is longer than %zu bytes",
				 JSON_TEXT_MOST);
	return 0;
}

static int json_input_parse(struct json_input *json)
{
	const uint8_t *bytes;
	ptrdiff_t n;

	if (input_skip_mark(json->input, json->error))
		return -1;
	do {
		json->at = input_offset(json->input);
		n = input_peek(json->input, PIECE, &bytes, json->error);
		if (n < 0 || parse_piece(json, bytes, (size_t)n) ||
		    input_skip(json->input, (uint64_t)n, json->error))
			return -1;
	} while (n);
	return 0;
}

int json_input_read(struct input *input, const struct json_reader *reader, struct op_error *error)
{
	struct json_input *json = op_alloc(1, sizeof(*json));
	int result;

	json->reader = reader;
	json->input = input;
	json->error = error;
	json->token_at = input_offset(input);
	json->parser = yajl_alloc(&callbacks, NULL, json);
	if (!json->parser)
		op_out_of_memory();
	/* names that are not UTF-8 are escaped when they are shown */
	yajl_config(json->parser, yajl_dont_validate_strings, 1);
	result = json_input_parse(json);
	yajl_free(json->parser);
	free(json->key);
	free(json->text);
	free(json);
	return result;
}

/* ---- values ---- */

bool json_real(const struct json_value *value, double *number)
{
	char *end;

	if (!value->text || value->is_string)
		return false;
	*number = strtod(value->text, &end);
	return !*end && isfinite(*number);
}

bool json_natural(const struct json_value *value, uint64_t *number)
{
	double real;

	if (!value->text || value->is_string)
		return false;
	if (op_number_all(value->text, 10, INT64_MAX, number))
		return true;
	/* "1e3" and "12.0" are whole numbers, too */
	if (!json_real(value, &real) || real < 0 || real > NATURAL_REAL_MOST || real != floor(real))
		return false;
	*number = (uint64_t)real;
	return true;
}

/* ---- recognising ---- */

struct keys {
	const char *const *wanted;
	size_t depth, found;
};

static int count_key(void *context, const unsigned char *bytes, size_t n)
{
	struct keys *keys = context;

	for (const char *const *key = keys->wanted; keys->depth == 1 && *key; key++)
		keys->found += strlen(*key) == n && !memcmp(*key, bytes, n);
	return 1;
}

static int count_begin(void *context)
{
	return ++((struct keys *)context)->depth <= JSON_DEPTH_MOST;
}

static int count_end(void *context)
{
	((struct keys *)context)->depth--;
	return 1;
}

size_t json_keys(const uint8_t *bytes, size_t n, const char *const *wanted)
{
	static const yajl_callbacks counting = {
		.yajl_start_map = count_begin,
		.yajl_map_key = count_key,
		.yajl_end_map = count_end,
		.yajl_start_array = count_begin,
		.yajl_end_array = count_end,
	};
	struct keys keys = {.wanted = wanted};
	yajl_handle parser;
	size_t at = 0;

	while (at < n && strchr(" \t\r\n", bytes[at]))
		at++;
	if (at >= n || bytes[at] != '{')
		return 0;
	parser = yajl_alloc(&counting, NULL, &keys);
	if (!parser)
		op_out_of_memory();
	yajl_config(parser, yajl_dont_validate_strings, 1);
	yajl_parse(parser, bytes + at, n - at);
	yajl_free(parser);
	return keys.found;
}
