// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the tables of pprof profiles. */
#include "tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"

/* A file of a few bytes may unpack to anything: this is for profiles, not for zip bombs. */
#define TABLES_MOST  ((size_t)160 << 20)
#define MESSAGE_MOST ((size_t)32 << 20)

int pprof_field(struct input *input, unsigned int bytes_of, struct wire_field *field, uint64_t *at,
		struct op_error *error)
{
	const uint8_t *head;
	ptrdiff_t n = input_peek(input, WIRE_HEAD_MOST, &head, error);
	int taken;

	if (n <= 0)
		return (int)n;
	*at = input_offset(input);
	taken = wire_head(head, (size_t)n, field);
	if (taken <= 0)
		return input_fail(input, error, EINVAL, *at, "not a field of a pprof profile");
	if (!input_take(input, (size_t)taken, error))
		return -1;
	if (!field->bytes)
		return 1;
	if (bytes_of && field->number != bytes_of) {
		field->bytes = NULL;
		return input_skip(input, field->length, error) ? -1 : 1;
	}
	if (field->length > MESSAGE_MOST)
		return input_fail(input, error, EFBIG, *at, "a field of %zu bytes is too large",
				  field->length);
	field->bytes = input_take(input, field->length, error);
	return field->bytes ? 1 : -1;
}

/* Room for one more in an array of the tables. */
#define GROW(tables, array)                                                                        \
	((tables)->array = op_grow((tables)->array, &(tables)->array##_capacity,                   \
				   (tables)->n_##array + 1, sizeof(*(tables)->array)))

static bool read_type(struct pprof_type *type, struct op_reader message)
{
	struct wire_field field;

	*type = (struct pprof_type){0};
	while (wire_next(&message, &field)) {
		if (field.number == PPROF_TYPE_TYPE)
			type->type = field.value;
		else if (field.number == PPROF_TYPE_UNIT)
			type->unit = field.value;
	}
	return !message.failed;
}

/* Reads a message of numbers only: field n goes to numbers[n]. */
static bool read_numbers(uint64_t *numbers, size_t most, struct op_reader message)
{
	struct wire_field field;

	while (wire_next(&message, &field))
		if (!field.bytes && field.number <= most)
			numbers[field.number] = field.value;
	return !message.failed;
}

static bool read_mapping(struct pprof_tables *tables, struct op_reader message)
{
	uint64_t numbers[PPROF_MAPPING_BUILD_ID + 1] = {0};

	if (!read_numbers(numbers, PPROF_MAPPING_BUILD_ID, message))
		return false;
	GROW(tables, mappings);
	tables->mappings[tables->n_mappings++] = (struct pprof_mapping){
		.id = numbers[PPROF_MAPPING_ID],
		.start = numbers[PPROF_MAPPING_START],
		.limit = numbers[PPROF_MAPPING_LIMIT],
		.offset = numbers[PPROF_MAPPING_OFFSET],
		.file = numbers[PPROF_MAPPING_FILE],
		.build_id = numbers[PPROF_MAPPING_BUILD_ID],
	};
	return true;
}

static bool read_function(struct pprof_tables *tables, struct op_reader message)
{
	uint64_t numbers[PPROF_FUNCTION_START_LINE + 1] = {0};

	if (!read_numbers(numbers, PPROF_FUNCTION_START_LINE, message))
		return false;
	GROW(tables, functions);
	tables->functions[tables->n_functions++] = (struct pprof_function){
		.id = numbers[PPROF_FUNCTION_ID],
		.name = numbers[PPROF_FUNCTION_NAME],
		.system_name = numbers[PPROF_FUNCTION_SYSTEM_NAME],
		.file = numbers[PPROF_FUNCTION_FILE],
		.start_line = numbers[PPROF_FUNCTION_START_LINE],
	};
	return true;
}

static bool read_line(struct pprof_tables *tables, const struct wire_field *field)
{
	uint64_t numbers[PPROF_LINE_LINE + 1] = {0};

	if (!field->bytes ||
	    !read_numbers(numbers, PPROF_LINE_LINE, wire_message(field->bytes, field->length)))
		return false;
	GROW(tables, lines);
	tables->lines[tables->n_lines++] = (struct pprof_line){
		.function = numbers[PPROF_LINE_FUNCTION],
		.line = numbers[PPROF_LINE_LINE],
	};
	return true;
}

static bool read_location(struct pprof_tables *tables, struct op_reader message)
{
	struct pprof_location location = {.first_line = (uint32_t)tables->n_lines};
	struct wire_field field;

	while (wire_next(&message, &field)) {
		if (field.number == PPROF_LOCATION_ID)
			location.id = field.value;
		else if (field.number == PPROF_LOCATION_MAPPING)
			location.mapping = field.value;
		else if (field.number == PPROF_LOCATION_ADDRESS)
			location.address = field.value;
		else if (field.number == PPROF_LOCATION_LINE && !read_line(tables, &field))
			return false;
	}
	location.n_lines = (uint32_t)(tables->n_lines - location.first_line);
	GROW(tables, locations);
	tables->locations[tables->n_locations++] = location;
	return !message.failed;
}

static bool read_string(struct pprof_tables *tables, const struct wire_field *field)
{
	size_t length = field->length;

	/* What is behind a NUL can't be part of a name. */
	tables->text =
		op_grow(tables->text, &tables->text_capacity, tables->text_length + length + 1, 1);
	GROW(tables, strings);
	tables->strings[tables->n_strings++] = tables->text_length;
	if (length)
		memcpy(tables->text + tables->text_length, field->bytes, length);
	tables->text_length += length;
	tables->text[tables->text_length++] = '\0';
	return true;
}

static bool read_comments(struct pprof_tables *tables, const struct wire_field *field)
{
	struct op_reader numbers = wire_message(field->bytes, field->length);
	uint64_t number = field->value;

	while (!field->bytes || wire_next_number(&numbers, &number)) {
		GROW(tables, comments);
		tables->comments[tables->n_comments++] = number;
		if (!field->bytes)
			return true;
	}
	return !numbers.failed;
}

static bool read_message(struct pprof_tables *tables, const struct wire_field *field)
{
	struct op_reader message = wire_message(field->bytes, field->length);

	switch (field->number) {
	case PPROF_SAMPLE_TYPE:
		GROW(tables, types);
		return read_type(&tables->types[tables->n_types++], message);
	case PPROF_PERIOD_TYPE:
		return read_type(&tables->period_type, message);
	case PPROF_SAMPLE:
		tables->n_samples++;
		return true;
	case PPROF_MAPPING:
		return read_mapping(tables, message);
	case PPROF_LOCATION:
		return read_location(tables, message);
	case PPROF_FUNCTION:
		return read_function(tables, message);
	case PPROF_STRING_TABLE:
		return read_string(tables, field);
	}
	return true;
}

static bool is_message(uint64_t number)
{
	return (number >= PPROF_SAMPLE_TYPE && number <= PPROF_STRING_TABLE) ||
	       number == PPROF_PERIOD_TYPE;
}

/* Return: false if the field is invalid. */
static bool read_field(struct pprof_tables *tables, const struct wire_field *field)
{
	if (field->number == PPROF_COMMENT)
		return read_comments(tables, field);
	if (field->number >= PPROF_FIELDS)
		return true;
	if (is_message(field->number))
		return field->bytes && read_message(tables, field);
	if (!field->bytes)
		tables->numbers[field->number] = field->value;
	return !field->bytes;
}

static bool are_too_large(const struct pprof_tables *tables)
{
	return tables->n_locations * sizeof(*tables->locations) +
		       tables->n_lines * sizeof(*tables->lines) +
		       tables->n_functions * sizeof(*tables->functions) +
		       tables->n_mappings * sizeof(*tables->mappings) +
		       tables->n_strings * sizeof(*tables->strings) +
		       tables->n_comments * sizeof(*tables->comments) +
		       tables->n_types * sizeof(*tables->types) + tables->text_length >
	       TABLES_MOST;
}

static int compare_ids(const void *a, const void *b)
{
	const uint64_t *id = a, *other = b; /* the first member of each */

	return op_compare_u64(*id, *other);
}

/* Puts a table in the order of its ids.  Return: 0, or -1 with @error set. */
static int sort(const struct input *input, void *items, size_t n, size_t size, const char *what,
		struct op_error *error)
{
	const char *item = items;

	if (!n)
		return 0;
	qsort(items, n, size, compare_ids);
	if (!*(const uint64_t *)item)
		return op_error_set(error, EINVAL, "%s: a %s has the id 0", input_name(input),
				    what);
	for (size_t i = 1; i < n; i++) {
		uint64_t id = *(const uint64_t *)(item + i * size);

		if (id == *(const uint64_t *)(item + (i - 1) * size))
			return op_error_set(error, EINVAL, "%s: two %ss have the id %" PRIu64,
					    input_name(input), what, id);
	}
	return 0;
}

/* Most ids are 1, 2, 3... */
static void *tables_find(void *items, size_t n, size_t size, uint64_t id)
{
	char *item = items;

	if (id && id <= n && *(const uint64_t *)(item + (size_t)(id - 1) * size) == id)
		return item + (size_t)(id - 1) * size;
	return n ? bsearch(&id, items, n, size, compare_ids) : NULL;
}

struct pprof_mapping *pprof_mapping(const struct pprof_tables *tables, uint64_t id)
{
	return tables_find(tables->mappings, tables->n_mappings, sizeof(*tables->mappings), id);
}

struct pprof_location *pprof_location(const struct pprof_tables *tables, uint64_t id)
{
	return tables_find(tables->locations, tables->n_locations, sizeof(*tables->locations), id);
}

struct pprof_function *pprof_function(const struct pprof_tables *tables, uint64_t id)
{
	return tables_find(tables->functions, tables->n_functions, sizeof(*tables->functions), id);
}

const char *pprof_string(const struct pprof_tables *tables, uint64_t number)
{
	if (number < tables->n_strings)
		return tables->text + tables->strings[number];
	return number ? NULL : "";
}

static int missing(const struct input *input, const char *what, uint64_t number, const char *by,
		   uint64_t id, struct op_error *error)
{
	return op_error_set(error, EINVAL,
			    "%s: %s %" PRIu64 " has the %s %" PRIu64 ", which is undefined",
			    input_name(input), by, id, what, number);
}

static int check_locations(const struct pprof_tables *tables, const struct input *input,
			   struct op_error *error)
{
	for (size_t i = 0; i < tables->n_locations; i++) {
		const struct pprof_location *location = &tables->locations[i];

		if (location->mapping && !pprof_mapping(tables, location->mapping))
			return missing(input, "mapping", location->mapping, "location",
				       location->id, error);
		for (uint32_t j = 0; j < location->n_lines; j++) {
			uint64_t id = tables->lines[location->first_line + j].function;

			if (!pprof_function(tables, id))
				return missing(input, "function", id, "location", location->id,
					       error);
		}
	}
	return 0;
}

static int check_strings(const struct pprof_tables *tables, const struct input *input,
			 struct op_error *error)
{
	for (size_t i = 0; i < tables->n_mappings; i++) {
		const struct pprof_mapping *mapping = &tables->mappings[i];

		if (!pprof_string(tables, mapping->file))
			return missing(input, "string", mapping->file, "mapping", mapping->id,
				       error);
		if (!pprof_string(tables, mapping->build_id))
			return missing(input, "string", mapping->build_id, "mapping", mapping->id,
				       error);
	}
	for (size_t i = 0; i < tables->n_functions; i++) {
		const struct pprof_function *function = &tables->functions[i];
		const uint64_t texts[] = {function->name, function->system_name, function->file};

		for (size_t j = 0; j < 3; j++)
			if (!pprof_string(tables, texts[j]))
				return missing(input, "string", texts[j], "function", function->id,
					       error);
	}
	for (size_t i = 0; i < tables->n_types; i++) {
		const struct pprof_type *type = &tables->types[i];

		if (!pprof_string(tables, type->type) || !pprof_string(tables, type->unit))
			return missing(input, "string",
				       pprof_string(tables, type->type) ? type->unit : type->type,
				       "sample type", i, error);
	}
	return 0;
}

static int order_tables(struct pprof_tables *tables, const struct input *input,
			struct op_error *error)
{
	if (tables->n_mappings)
		tables->main_mapping = tables->mappings[0].id;
	if (sort(input, tables->mappings, tables->n_mappings, sizeof(*tables->mappings), "mapping",
		 error) ||
	    sort(input, tables->locations, tables->n_locations, sizeof(*tables->locations),
		 "location", error) ||
	    sort(input, tables->functions, tables->n_functions, sizeof(*tables->functions),
		 "function", error) ||
	    check_locations(tables, input, error) || check_strings(tables, input, error))
		return -1;
	if (tables->n_samples && !tables->n_types)
		return op_error_set(error, EINVAL, "%s: samples without sample types",
				    input_name(input));
	return 0;
}

int pprof_tables_read(struct pprof_tables *tables, struct input *input, struct op_error *error)
{
	struct wire_field field;
	uint64_t at;
	int found;

	*tables = (struct pprof_tables){0};
	while ((found = pprof_field(input, 0, &field, &at, error)) > 0) {
		if (!read_field(tables, &field))
			return input_fail(input, error, EINVAL, at,
					  "field %" PRIu64 " of the profile is malformed",
					  field.number);
		if (are_too_large(tables))
			return input_fail(
				input, error, EFBIG, at,
				"the profile is too large: its tables would take more than %zu MiB",
				TABLES_MOST >> 20);
	}
	return found ? -1 : order_tables(tables, input, error);
}

void pprof_tables_free(struct pprof_tables *tables)
{
	free(tables->types);
	free(tables->mappings);
	free(tables->locations);
	free(tables->functions);
	free(tables->lines);
	free(tables->strings);
	free(tables->text);
	free(tables->comments);
	*tables = (struct pprof_tables){0};
}
