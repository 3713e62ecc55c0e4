// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading pprof profiles: the tables first, then the samples, one at a time. */
#include "pprof.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pp/formats/model/mapped_image.h"
#include "tables.h"
#include "values.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"


struct reader {
	struct input *input;
	struct prof_sink *sink;
	struct op_error *error;
	struct pprof_tables tables;
	struct pprof_values events;
	uint32_t app;
	uint64_t first_place; /* of those without an address */
	uint64_t at; /* of the sample that is read */
	struct prof_frame *frames;
	int64_t *columns;
	struct prof_value *values;
	struct prof_line *lines;
	size_t lines_capacity;
	struct prof_label *labels; /* of the sample, beside those that have a place of their own */
	size_t n_labels, labels_capacity;
};

static const char *text(const struct reader *reader, uint64_t number)
{
	const char *string = pprof_string(&reader->tables, number);

	return string ? string : "";
}

static int pprof_read_fail(struct reader *reader, const char *what, uint64_t number)
{
	return input_fail(reader->input, reader->error, EINVAL, reader->at,
			  "the sample here has %s (%" PRIu64 ")", what, number);
}

/* ---- images, functions ---- */

static uint32_t image_of(struct reader *reader, struct pprof_mapping *mapping)
{
	struct prof_image image;

	if (mapping->image || !*text(reader, mapping->file))
		return mapping->image;
	image = mapped_image(text(reader, mapping->file), mapping->start, mapping->limit,
			     mapping->offset);
	mapped_image_build_id(&image, text(reader, mapping->build_id));
	if (image.end <= image.start)
		image.start = image.end = image.offset = 0;
	mapping->start = image.start;
	mapping->offset = image.offset;
	mapping->image = reader->sink->image(reader->sink, &image);
	return mapping->image;
}

/* A place without an address, of which only functions are known: its number is as good as one; an
 * odd one is a return address. */
static void place_by_id(struct reader *reader, struct pprof_location *location,
			const struct pprof_mapping *mapping)
{
	const struct prof_image image = {
		.kind = PROF_UNKNOWN,
		.path = mapping && *text(reader, mapping->file) ? text(reader, mapping->file)
								: "[no address]",
		.pid = PROF_ANY,
	};

	location->image = reader->sink->image(reader->sink, &image);
	location->offset = reader->first_place +
			   2 * (uint64_t)(location - reader->tables.locations + 1);
}

static void pprof_read_find_place(struct reader *reader, struct pprof_location *location)
{
	struct pprof_mapping *mapping = pprof_mapping(&reader->tables, location->mapping);

	location->image = PROF_NO_IMAGE;
	location->offset = location->address;
	if (!location->address && location->n_lines) {
		place_by_id(reader, location, mapping);
		return;
	}
	if (!mapping || location->address < mapping->start)
		return;
	location->image = image_of(reader, mapping);
	if (location->image)
		location->offset = location->address - mapping->start + mapping->offset;
}

static struct prof_line line_of(const struct reader *reader, const struct pprof_line *line)
{
	const struct pprof_function *function = pprof_function(&reader->tables, line->function);
	const char *name = text(reader, function->name);
	const char *system_name = text(reader, function->system_name);
	const char *file = text(reader, function->file);

	return (struct prof_line){
		.function = *name ? name : system_name,
		.system_name = *system_name ? system_name : NULL,
		.file = *file ? file : NULL,
		.line = line->line <= INT64_MAX ? (int64_t)line->line : 0,
		.start_line = function->start_line <= INT64_MAX ? (int64_t)function->start_line : 0,
	};
}

static void tell_lines(struct reader *reader, const struct pprof_location *location)
{
	const struct prof_frame place = {location->image, location->offset};
	size_t n = 0;

	reader->lines = op_grow(reader->lines, &reader->lines_capacity, location->n_lines,
				sizeof(*reader->lines));
	for (uint32_t i = 0; i < location->n_lines; i++) {
		reader->lines[n] = line_of(reader, &reader->tables.lines[location->first_line + i]);
		n += *reader->lines[n].function != '\0';
	}
	if (n)
		reader->sink->lines(reader->sink, &place, reader->lines, n);
}

/* ---- samples ---- */

struct labels {
	uint32_t app, comm;
	int64_t pid, tid, cpu;
};

static int pprof_read_add_frame(struct reader *reader, size_t *depth, uint64_t id)
{
	struct pprof_location *location = pprof_location(&reader->tables, id);
	struct prof_frame *frame = &reader->frames[*depth];

	if (!location)
		return pprof_read_fail(reader, "an undefined location", id);
	if (!location->is_known) {
		pprof_read_find_place(reader, location);
		tell_lines(reader, location);
		location->is_known = true;
	}
	if (*depth == PROF_DEPTH_MOST)
		return 0;
	frame->image = location->image;
	/* Addresses of callers are inside of the call. */
	frame->offset = location->offset + (*depth && location->offset < UINT64_MAX);
	++*depth;
	return 0;
}

static int add_column(struct reader *reader, size_t *columns, uint64_t value)
{
	if (*columns == reader->tables.n_types)
		return pprof_read_fail(reader, "more values than there are sample types",
				       *columns + 1);
	reader->columns[(*columns)++] = (int64_t)value;
	return 0;
}

static int64_t label_number(const struct reader *reader, uint64_t string, uint64_t number)
{
	const char *digits = string ? text(reader, string) : NULL;

	if (digits && !op_number_take(&digits, 10, INT64_MAX, &number))
		return PROF_ANY;
	return number <= INT64_MAX ? (int64_t)number : PROF_ANY;
}

static uint32_t app_image(struct reader *reader, const char *path)
{
	const struct prof_image image = mapped_image(path, 0, 0, 0);

	if (!strcmp(path, PPROF_NO_APP))
		return PROF_NO_IMAGE;
	for (size_t i = 0; i < reader->tables.n_mappings; i++) {
		struct pprof_mapping *mapping = &reader->tables.mappings[i];

		if (!strcmp(text(reader, mapping->file), path))
			return image_of(reader, mapping);
	}
	return reader->sink->image(reader->sink, &image);
}

static uint32_t string_of(struct reader *reader, uint64_t number)
{
	return number ? reader->sink->string(reader->sink, text(reader, number)) : 0;
}

/* Any label, by the name that the profile has for it. */
static void add_label(struct reader *reader, const uint64_t *numbers)
{
	struct prof_label label = {.name = string_of(reader, numbers[PPROF_LABEL_KEY]),
				   .value = string_of(reader, numbers[PPROF_LABEL_TEXT])};

	if (!label.name)
		return;
	if (!label.value) {
		label.number = (int64_t)numbers[PPROF_LABEL_NUMBER];
		label.unit = string_of(reader, numbers[PPROF_LABEL_UNIT]);
	}
	reader->labels = op_grow(reader->labels, &reader->labels_capacity, reader->n_labels + 1,
				 sizeof(*reader->labels));
	reader->labels[reader->n_labels++] = label;
}

static bool read_label(struct reader *reader, struct labels *labels, struct op_reader message)
{
	uint64_t numbers[PPROF_LABEL_UNIT + 1] = {0}, string;
	struct wire_field field;
	const char *key;

	while (wire_next(&message, &field))
		if (!field.bytes && field.number <= PPROF_LABEL_UNIT)
			numbers[field.number] = field.value;
	key = text(reader, numbers[PPROF_LABEL_KEY]);
	string = numbers[PPROF_LABEL_TEXT];
	if (!strcmp(key, PPROF_LABEL_THREAD) || !strcmp(key, "comm"))
		labels->comm = reader->sink->string(reader->sink, text(reader, string));
	else if (!strcmp(key, PPROF_LABEL_PID))
		labels->pid = label_number(reader, string, numbers[PPROF_LABEL_NUMBER]);
	else if (!strcmp(key, PPROF_LABEL_TID))
		labels->tid = label_number(reader, string, numbers[PPROF_LABEL_NUMBER]);
	else if (!strcmp(key, PPROF_LABEL_CPU))
		labels->cpu = label_number(reader, string, numbers[PPROF_LABEL_NUMBER]);
	else if (!strcmp(key, PPROF_LABEL_APP) && *text(reader, string))
		labels->app = app_image(reader, text(reader, string));
	else
		add_label(reader, numbers);
	return !message.failed;
}

/* Calls @add for each number of a field, whether they are packed or not. */
static int add_numbers(struct reader *reader, const struct wire_field *field, size_t *n,
		       int (*add)(struct reader *reader, size_t *n, uint64_t number))
{
	struct op_reader numbers = wire_message(field->bytes, field->length);
	uint64_t number;

	if (!field->bytes)
		return add(reader, n, field->value);
	while (wire_next_number(&numbers, &number))
		if (add(reader, n, number))
			return -1;
	return numbers.failed ? pprof_read_fail(reader, "a broken field", field->number) : 0;
}

static int pprof_read_take_sample(struct reader *reader, const struct labels *labels, size_t depth)
{
	struct prof_sample sample = {
		.frames = reader->frames,
		.depth = depth,
		.values = reader->values,
		.app = labels->app,
		.comm = labels->comm,
		.pid = labels->pid,
		.tid = labels->tid,
		.cpu = labels->cpu,
		.labels = reader->labels,
		.n_labels = reader->n_labels,
	};

	for (size_t i = 0; i < reader->events.n; i++)
		sample.n_values += pprof_value(&reader->events.items[i], reader->columns,
					       reader->sink, &reader->values[sample.n_values]);
	return sample.n_values ? reader->sink->sample(reader->sink, &sample, reader->error) : 0;
}

static int read_sample(struct reader *reader, const struct wire_field *bytes)
{
	struct op_reader message = wire_message(bytes->bytes, bytes->length);
	struct labels labels = {reader->app, 0, PROF_ANY, PROF_ANY, PROF_ANY};
	struct wire_field field;
	size_t depth = 0, columns = 0;

	reader->n_labels = 0;
	while (wire_next(&message, &field)) {
		if (field.number == PPROF_SAMPLE_LOCATION) {
			if (add_numbers(reader, &field, &depth, pprof_read_add_frame))
				return -1;
		} else if (field.number == PPROF_SAMPLE_VALUE) {
			if (add_numbers(reader, &field, &columns, add_column))
				return -1;
		} else if (field.number == PPROF_SAMPLE_LABEL) {
			if (!field.bytes ||
			    !read_label(reader, &labels, wire_message(field.bytes, field.length)))
				return pprof_read_fail(reader, "a broken field", field.number);
		}
	}
	if (message.failed)
		return pprof_read_fail(reader, "malformed bytes", bytes->length);
	if (columns != reader->tables.n_types)
		return pprof_read_fail(reader, "fewer values than there are sample types", columns);
	return pprof_read_take_sample(reader, &labels, depth);
}

static int read_samples(struct reader *reader)
{
	struct wire_field field;
	int found;

	if (input_seek(reader->input, 0, reader->error))
		return -1;
	while ((found = pprof_field(reader->input, PPROF_SAMPLE, &field, &reader->at,
				    reader->error)) > 0)
		if (field.number == PPROF_SAMPLE && read_sample(reader, &field))
			return -1;
	return found;
}

/* ---- the rest ---- */

static void tell_text(struct reader *reader, const char *key, uint64_t number)
{
	if (*text(reader, number))
		reader->sink->fact(reader->sink, key, text(reader, number));
}

static void tell_facts(struct reader *reader)
{
	const uint64_t *numbers = reader->tables.numbers;
	struct pprof_mapping *program = pprof_mapping(&reader->tables, reader->tables.main_mapping);
	const struct prof_host host = {
		.start_time = numbers[PPROF_TIME_NANOS],
		.duration = numbers[PPROF_DURATION_NANOS],
	};

	reader->sink->host(reader->sink, &host);
	tell_text(reader, PPROF_FACT_DROP_FRAMES, numbers[PPROF_DROP_FRAMES]);
	tell_text(reader, PPROF_FACT_KEEP_FRAMES, numbers[PPROF_KEEP_FRAMES]);
	tell_text(reader, PPROF_FACT_DEFAULT_TYPE, numbers[PPROF_DEFAULT_SAMPLE_TYPE]);
	tell_text(reader, PPROF_FACT_DOC_URL, numbers[PPROF_DOC_URL]);
	for (size_t i = 0; i < reader->tables.n_comments; i++)
		tell_text(reader, PPROF_FACT_COMMENT, reader->tables.comments[i]);
	if (program &&
	    mapped_image(text(reader, program->file), program->start, 0, 0).kind == PROF_FILE)
		reader->app = image_of(reader, program);
}

static int read_pprof(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {.input = input, .sink = sink, .error = error};
	int result = -1;

	if (input_seekable(input, error))
		return -1;
	reader.first_place = sink->free_place(sink);
	if (!pprof_tables_read(&reader.tables, input, error)) {
		tell_facts(&reader);
		pprof_values_make(&reader.events, &reader.tables, sink);
		reader.frames = op_alloc(PROF_DEPTH_MOST + 1, sizeof(*reader.frames));
		reader.columns = op_alloc(reader.tables.n_types, sizeof(*reader.columns));
		reader.values = op_alloc(2 * reader.events.n, sizeof(*reader.values));
		result = read_samples(&reader);
	}
	pprof_values_free(&reader.events);
	pprof_tables_free(&reader.tables);
	free(reader.frames);
	free(reader.columns);
	free(reader.values);
	free(reader.lines);
	free(reader.labels);
	return result;
}

/* Lengths of types, samples and functions are bytes that text does not have. */
static bool is_text(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] < ' ' && (!bytes[i] || !strchr("\t\n\r", bytes[i])))
			return false;
	return true;
}

/* There is no magic: it is one if the first fields are those of a profile, with its types. */
static int pprof_read_probe(const uint8_t *bytes, size_t n)
{
	size_t at = 0;
	int fields = 0;

	if (is_text(bytes, n))
		return 0;
	while (at < n) {
		struct wire_field field;
		int taken = wire_head(bytes + at, n - at, &field);

		if (!taken)
			break;
		if (taken < 0 || field.number >= PPROF_FIELDS)
			return 0;
		if ((field.number <= PPROF_STRING_TABLE || field.number == PPROF_PERIOD_TYPE) !=
			    (field.bytes != NULL) &&
		    field.number != PPROF_COMMENT)
			return 0;
		fields++;
		if (field.length > n - at - (size_t)taken)
			break;
		at += (size_t)taken + field.length;
	}
	return fields > 2 ? 50 : fields ? 20 : 0;
}

const struct format format_pprof = {
	.name = "pprof",
	.description = "profile.proto of pprof, packed by gzip",
	.probe = pprof_read_probe,
	.read = read_pprof,
	.write = pprof_write,
	.has_signs = true,
	.is_bounded = true,
	.by = PROF_BY_COMM | PROF_BY_PID | PROF_BY_TID | PROF_BY_CPU | PROF_BY_LABELS,
};
