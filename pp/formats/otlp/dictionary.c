// SPDX-License-Identifier: GPL-2.0-or-later
/* What samples of OpenTelemetry's profiles refer to: see dictionary.h. */
#include "dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/text/cells.h"
#include "pp/formats/input/wire.h"
#include "pp/formats/model/bounded.h"
#include "pp/formats/model/mapped_image.h"
#include "pp/formats/session/symbolize.h"

#define BUILD_ID    "process.executable.build_id.gnu"
#define FRAME_TYPE  "profile.frame.type"
#define TRACE_BYTES 16
#define SPAN_BYTES  8
#define HEAD_BYTES  6 /* of an item of a table, at most */

/* ---- items ---- */

static size_t item_start(const struct otlp_items *items, uint32_t i)
{
	return i ? items->ends[i - 1] : 0;
}

static uint32_t item_number(struct otlp_items *items, const void *bytes, size_t n)
{
	uint64_t hash = op_hash_bytes(0, n ? bytes : "", n);
	uint32_t i;

	op_hash_for_each_possible (&items->by_content, hash, i)
		if (items->ends[i] - item_start(items, i) == n &&
		    (!n || !memcmp(items->bytes.bytes + item_start(items, i), bytes, n)))
			return i;
	op_buffer_put(&items->bytes, bytes, n);
	items->ends = op_grow(items->ends, &items->capacity, items->n + 1, sizeof(*items->ends));
	items->ends[items->n] = items->bytes.used;
	op_hash_add_or_exit(&items->by_content, hash, (uint32_t)items->n);
	return (uint32_t)items->n++;
}

/* Frees the message. */
static uint32_t number_of(struct otlp_dictionary *dictionary, enum otlp_table table,
			  struct op_buffer *message)
{
	uint32_t number;

	op_buffer_check(message);
	number = item_number(&dictionary->tables[table], message->bytes, message->used);
	op_buffer_free(message);
	return number;
}

uint32_t otlp_string(struct otlp_dictionary *dictionary, const char *text)
{
	return item_number(&dictionary->tables[OTLP_STRINGS], text, strlen(text));
}

/* Takes the value over. */
static uint32_t attribute_of(struct otlp_dictionary *dictionary, const char *key,
			     struct op_buffer *value, const char *unit)
{
	struct op_buffer message = {0};

	wire_put_number(&message, OTLP_KEY, otlp_string(dictionary, key));
	wire_put_message(&message, OTLP_VALUE, value);
	if (unit)
		wire_put_number(&message, OTLP_UNIT, otlp_string(dictionary, unit));
	op_buffer_free(value);
	return number_of(dictionary, OTLP_ATTRIBUTES, &message);
}

uint32_t otlp_attribute(struct otlp_dictionary *dictionary, const char *key, const char *text)
{
	struct op_buffer value = {0};

	wire_put_safe_text(&value, OTLP_STRING_VALUE, text);
	return attribute_of(dictionary, key, &value, NULL);
}

uint32_t otlp_attribute_list(struct otlp_dictionary *dictionary, const char *key,
			     char *const *texts, size_t n)
{
	struct op_buffer value = {0}, list = {0}, item = {0};

	for (size_t i = 0; i < n; i++) {
		wire_put_safe_text(&item, OTLP_STRING_VALUE, texts[i]);
		wire_put_message(&list, OTLP_ARRAY_VALUES, &item);
	}
	wire_put_message(&value, OTLP_ARRAY_VALUE, &list);
	op_buffer_free(&item);
	op_buffer_free(&list);
	return attribute_of(dictionary, key, &value, NULL);
}

uint32_t otlp_attribute_number(struct otlp_dictionary *dictionary, const char *key, int64_t number,
			       const char *unit)
{
	struct op_buffer value = {0};

	wire_put_present(&value, OTLP_INT_VALUE, (uint64_t)number);
	return attribute_of(dictionary, key, &value, unit);
}

void otlp_put_numbers(struct op_buffer *out, unsigned int field, const uint32_t *numbers, size_t n)
{
	struct op_buffer packed = {0};

	for (size_t i = 0; i < n; i++)
		op_buffer_leb128(&packed, numbers[i]);
	if (n)
		wire_put_message(out, field, &packed);
	op_buffer_free(&packed);
}

/* ---- places ---- */

static uint32_t mapping_number(struct otlp_dictionary *dictionary, uint32_t image)
{
	const struct prof_image *of = &dictionary->prof->images[image];
	struct op_buffer message = {0};
	struct mapping mapping;
	uint32_t attribute;
	char *build_id;

	if (image <= PROF_NO_KERNEL_IMAGE)
		return 0;
	mapping = mapping_of(of);
	wire_put_number(&message, OTLP_MAPPING_START, mapping.start);
	wire_put_number(&message, OTLP_MAPPING_LIMIT, mapping.end);
	wire_put_number(&message, OTLP_MAPPING_OFFSET, mapping.offset);
	wire_put_number(&message, OTLP_MAPPING_FILE, otlp_string(dictionary, mapping.name));
	if (of->build_id_length) {
		build_id = op_hex(of->build_id, of->build_id_length);
		attribute = otlp_attribute(dictionary, BUILD_ID, build_id);
		otlp_put_numbers(&message, OTLP_MAPPING_ATTRIBUTES, &attribute, 1);
		free(build_id);
	}
	free(mapping.name);
	return number_of(dictionary, OTLP_MAPPINGS, &message);
}

static uint32_t function_number(struct otlp_dictionary *dictionary, const struct prof_line *line)
{
	const char *system_name = line->system_name ? line->system_name : line->function;
	struct op_buffer message = {0};

	wire_put_number(&message, OTLP_FUNCTION_NAME, otlp_string(dictionary, line->function));
	wire_put_number(&message, OTLP_FUNCTION_SYSTEM_NAME, otlp_string(dictionary, system_name));
	wire_put_number(&message, OTLP_FUNCTION_FILE,
			otlp_string(dictionary, line->file ? line->file : ""));
	wire_put_number(&message, OTLP_FUNCTION_LINE, (uint64_t)line->start_line);
	return number_of(dictionary, OTLP_FUNCTIONS, &message);
}

/* @address: 0: it is not known */
static uint32_t make_location(struct otlp_dictionary *dictionary, uint32_t image, uint64_t address,
			      const struct prof_line *lines, size_t n)
{
	struct op_buffer message = {0}, part = {0};
	uint32_t type;

	wire_put_number(&message, OTLP_LOCATION_MAPPING, mapping_number(dictionary, image));
	wire_put_number(&message, OTLP_LOCATION_ADDRESS, address);
	for (size_t i = 0; i < n; i++) {
		wire_put_number(&part, OTLP_LINE_FUNCTION, function_number(dictionary, &lines[i]));
		wire_put_number(&part, OTLP_LINE_LINE, (uint64_t)lines[i].line);
		wire_put_message(&message, OTLP_LOCATION_LINES, &part);
	}
	type = otlp_attribute(dictionary, FRAME_TYPE,
			      dictionary->prof->images[image].is_kernel ? "kernel" : "native");
	otlp_put_numbers(&message, OTLP_LOCATION_ATTRIBUTES, &type, 1);
	op_buffer_free(&part);
	return number_of(dictionary, OTLP_LOCATIONS, &message);
}

static uint32_t location_number(struct otlp_dictionary *dictionary, const struct prof_frame *place)
{
	const uint64_t *known =
		op_pair_table_find(&dictionary->locations, place->image, place->offset);
	const struct prof_line *lines;
	uint32_t number;
	size_t n;

	if (known)
		return (uint32_t)*known;
	n = names_lines_or(dictionary->names, dictionary->prof, place, &lines);
	number = make_location(dictionary, place->image,
			       prof_mapped_address(dictionary->prof, place, n > 0), lines, n);
	*op_pair_table_get(&dictionary->locations, place->image, place->offset) = number;
	return number;
}

/* @numbers: of locations */
static uint32_t stack_of(struct otlp_dictionary *dictionary, const uint32_t *numbers, size_t n)
{
	struct op_buffer message = {0};

	otlp_put_numbers(&message, OTLP_STACK_LOCATIONS, numbers, n);
	return number_of(dictionary, OTLP_STACKS, &message);
}

uint32_t otlp_stack(struct otlp_dictionary *dictionary, const struct prof_sample *sample)
{
	uint32_t *numbers = op_alloc(sample->depth + 1, sizeof(*numbers)), stack;

	for (size_t i = 0; i < sample->depth; i++) {
		const struct prof_frame place =
			names_place_or(dictionary->names, dictionary->prof, sample, i);

		numbers[i] = location_number(dictionary, &place);
	}
	stack = stack_of(dictionary, numbers, sample->depth);
	free(numbers);
	return stack;
}

uint32_t otlp_stack_left_out(struct otlp_dictionary *dictionary, uint32_t image)
{
	static const struct prof_line line = {.function = BOUNDED_LEFT_OUT};
	uint32_t location = make_location(dictionary, image, 0, &line, 1);

	return stack_of(dictionary, &location, 1);
}

/* ---- all of it ---- */

void otlp_dictionary_begin(struct otlp_dictionary *dictionary, const struct prof *prof,
			   struct prof_names *names)
{
	static const uint8_t zeros[TRACE_BYTES];
	struct op_buffer link = {0};

	*dictionary = (struct otlp_dictionary){.prof = prof, .names = names};
	/* no link, in the form that all decoders take */
	wire_put_bytes(&link, 1, zeros, TRACE_BYTES);
	wire_put_bytes(&link, 2, zeros, SPAN_BYTES);
	number_of(dictionary, OTLP_LINKS, &link);
	for (int i = OTLP_MAPPINGS; i < OTLP_TABLES_END; i++)
		if (i != OTLP_LINKS)
			item_number(&dictionary->tables[i], NULL, 0);
}

void otlp_dictionary_put(const struct otlp_dictionary *dictionary, struct op_buffer *out)
{
	for (int table = OTLP_MAPPINGS; table < OTLP_TABLES_END; table++) {
		const struct otlp_items *items = &dictionary->tables[table];

		op_buffer_check(&items->bytes);
		for (uint32_t i = 0; i < items->n; i++) {
			size_t start = item_start(items, i), n = items->ends[i] - start;
			char *text;

			if (table != OTLP_STRINGS) {
				wire_put_bytes(out, (unsigned int)table, items->bytes.bytes + start,
					       n);
				continue;
			}
			text = op_format("%.*s", (int)n, (const char *)items->bytes.bytes + start);
			wire_put_safe_text(out, OTLP_STRINGS, n ? text : "");
			free(text);
		}
	}
}

uint64_t otlp_dictionary_bytes(const struct otlp_dictionary *dictionary)
{
	uint64_t bytes = 0;

	for (int table = OTLP_MAPPINGS; table < OTLP_TABLES_END; table++)
		bytes += dictionary->tables[table].bytes.used +
			 (uint64_t)dictionary->tables[table].n * HEAD_BYTES;
	return bytes;
}

void otlp_dictionary_free(struct otlp_dictionary *dictionary)
{
	for (int i = OTLP_MAPPINGS; i < OTLP_TABLES_END; i++) {
		op_buffer_free(&dictionary->tables[i].bytes);
		free(dictionary->tables[i].ends);
		op_hash_free(&dictionary->tables[i].by_content);
	}
	op_pair_table_free(&dictionary->locations);
}
