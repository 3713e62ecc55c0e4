// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing pprof profiles.  Messages of the profile may come in any order, so samples are written
 * as they are met, and what they turned out to refer to behind them.
 */
#include "pprof.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "libop/base/hash.h"
#include "libop/base/number.h"
#include "libop/base/utf8.h"
#include "pp/formats/model/mapped_image.h"
#include "pp/formats/session/symbolize.h"
#include "tables.h"
#include "values.h"
#include "wire.h"
#include "libop/base/memory.h"
#include "libop/text/cells.h"

#define FLUSH_BYTES (64u << 10)
#define GZIP	    (15 + 16) /* zlib: the largest window, and gzip's header and end */

struct function {
	uint64_t name, system_name, file; /* numbers of strings */
	int64_t start_line;
};

struct writer {
	struct prof *prof;
	struct output *output;
	z_stream stream;
	unsigned char *packed;
	struct op_buffer out, message, part; /* part: of the message */
	char **strings;
	size_t n_strings, strings_capacity;
	struct op_hash by_string;
	struct function *functions; /* id - 1 */
	size_t n_functions, functions_capacity;
	struct op_hash by_function;
	struct prof_frame *locations; /* id - 1; places to look up */
	size_t n_locations, locations_capacity;
	struct op_hash by_location;
	uint32_t app;	    /* the file of the program with the most samples; 0: there is none */
	bool has_files;	    /* among the images */
	uint64_t *mappings; /* ids by image; 0: it has none */
	bool *has_functions, *has_lines; /* by image */
	uint64_t n_mappings;
	/* By event: the names of its columns; samples is NULL if it has none. */
	struct {
		char *samples, *events;
	} * columns;
};

/* ---- bytes ---- */

static void pack(struct writer *writer, int flush)
{
	z_stream *z = &writer->stream;

	pp_buffer_check(&writer->out);
	z->next_in = writer->out.bytes;
	z->avail_in = (uInt)writer->out.used;
	do {
		z->next_out = writer->packed;
		z->avail_out = FLUSH_BYTES;
		deflate(z, flush);
		fwrite(writer->packed, 1, FLUSH_BYTES - z->avail_out, writer->output->file);
	} while (!z->avail_out);
	writer->out.used = 0;
}

/* Ends a message of the profile. */
static void put_message(struct writer *writer, enum pprof_profile_field field)
{
	wire_put_message(&writer->out, field, &writer->message);
	if (writer->out.used >= FLUSH_BYTES)
		pack(writer, Z_NO_FLUSH);
}

/* ---- tables ---- */

static uint64_t string(struct writer *writer, const char *text)
{
	uint64_t hash = op_hash_text(0, text);
	uint32_t id;

	op_hash_for_each_possible (&writer->by_string, hash, id)
		if (!strcmp(writer->strings[id], text))
			return id;
	writer->strings = pp_grow(writer->strings, &writer->strings_capacity, writer->n_strings + 1,
				  sizeof(*writer->strings));
	writer->strings[writer->n_strings] = pp_copy(text);
	pp_hash_add(&writer->by_string, hash, (uint32_t)writer->n_strings);
	return writer->n_strings++;
}

static uint64_t hash_of_function(const struct function *function)
{
	uint64_t hash = op_hash_mix(0, function->name);

	hash = op_hash_mix(hash, function->system_name);
	hash = op_hash_mix(hash, function->file);
	return op_hash_mix(hash, (uint64_t)function->start_line);
}

static bool same_function(const struct function *a, const struct function *b)
{
	return a->name == b->name && a->system_name == b->system_name && a->file == b->file &&
	       a->start_line == b->start_line;
}

/* The id of the function of a line. */
static uint64_t function(struct writer *writer, const struct prof_line *line)
{
	const char *system_name = line->system_name ? line->system_name : line->function;
	const struct function wanted = {
		.name = string(writer, line->function),
		.system_name = string(writer, system_name),
		.file = string(writer, line->file ? line->file : ""),
		.start_line = line->start_line,
	};
	uint64_t hash = hash_of_function(&wanted);
	uint32_t id;

	op_hash_for_each_possible (&writer->by_function, hash, id)
		if (same_function(&writer->functions[id], &wanted))
			return id + 1;
	writer->functions = pp_grow(writer->functions, &writer->functions_capacity,
				    writer->n_functions + 1, sizeof(*writer->functions));
	writer->functions[writer->n_functions] = wanted;
	pp_hash_add(&writer->by_function, hash, (uint32_t)writer->n_functions);
	return ++writer->n_functions;
}

static uint64_t hash_of_place(const struct prof_frame *place)
{
	return op_hash_mix(op_hash_mix(0, place->image), place->offset);
}

/* The id of the mapping of an image; 0: it has none. */
static uint64_t mapping(struct writer *writer, uint32_t image)
{
	if (image <= PROF_NO_KERNEL_IMAGE)
		return 0;
	if (!writer->mappings[image])
		writer->mappings[image] = ++writer->n_mappings;
	return writer->mappings[image];
}

/* Of places that are known by their functions only there is none. */
static uint64_t address_of(const struct writer *writer, const struct prof_frame *place, bool named)
{
	const struct prof_image *image = &writer->prof->images[place->image];

	if (named && image->kind == PROF_UNKNOWN && place->image > PROF_NO_KERNEL_IMAGE)
		return 0;
	/* one may be before its mapping, which was found for return addresses */
	if (place->offset < image->offset)
		return image->start;
	return prof_address(writer->prof, place);
}

/* What is there besides the image, as far as it is known. */
static size_t lines_at(const struct writer *writer, const struct prof_frame *place,
		       const struct prof_line **lines)
{
	const struct prof_name *name;

	if (!writer->output->names)
		return prof_lines(writer->prof, place, lines);
	name = names_at(writer->output->names, place, 0);
	*lines = name->lines;
	return name->is_known ? name->n : 0;
}

static void put_location(struct writer *writer, const struct prof_frame *place)
{
	const struct prof_line *lines;
	size_t n = lines_at(writer, place, &lines);

	wire_put_number(&writer->message, PPROF_LOCATION_ID, writer->n_locations);
	wire_put_number(&writer->message, PPROF_LOCATION_MAPPING, mapping(writer, place->image));
	wire_put_number(&writer->message, PPROF_LOCATION_ADDRESS, address_of(writer, place, n > 0));
	for (size_t i = 0; i < n; i++) {
		wire_put_number(&writer->part, PPROF_LINE_FUNCTION, function(writer, &lines[i]));
		wire_put_number(&writer->part, PPROF_LINE_LINE, (uint64_t)lines[i].line);
		wire_put_message(&writer->message, PPROF_LOCATION_LINE, &writer->part);
		writer->has_lines[place->image] |= lines[i].line > 0;
	}
	writer->has_functions[place->image] |= n > 0;
	put_message(writer, PPROF_LOCATION);
}

/* The id of a place. */
static uint64_t location(struct writer *writer, const struct prof_frame *place)
{
	uint64_t hash = hash_of_place(place);
	uint32_t id;

	op_hash_for_each_possible (&writer->by_location, hash, id)
		if (writer->locations[id].image == place->image &&
		    writer->locations[id].offset == place->offset)
			return id + 1;
	writer->locations = pp_grow(writer->locations, &writer->locations_capacity,
				    writer->n_locations + 1, sizeof(*writer->locations));
	writer->locations[writer->n_locations] = *place;
	pp_hash_add(&writer->by_location, hash, (uint32_t)writer->n_locations);
	id = (uint32_t)++writer->n_locations;
	put_location(writer, place);
	return id;
}

/* ---- samples ---- */

/* A fact of the profile that it was read with: what follows "EVENT", and the blank after it. */
static const char *samples_fact(const struct prof *prof, const char *event)
{
	size_t length = strlen(event);

	for (size_t i = 0; i < prof->n_facts; i++) {
		const char *value = prof->facts[i].value;

		if (!strcmp(prof->facts[i].key, PPROF_FACT_SAMPLES) &&
		    !strncmp(value, event, length) && (!value[length] || value[length] == ' '))
			return value + length + (value[length] == ' ');
	}
	return NULL;
}

static void put_type(struct writer *writer, enum pprof_profile_field field, const char *type,
		     const char *unit)
{
	wire_put_number(&writer->message, PPROF_TYPE_TYPE, string(writer, type));
	wire_put_number(&writer->message, PPROF_TYPE_UNIT, string(writer, unit));
	put_message(writer, field);
}

static void name_columns(struct writer *writer, size_t i)
{
	const struct prof_event *event = &writer->prof->events[i];
	const char *fact = samples_fact(writer->prof, event->name);

	if (fact) {
		writer->columns[i].samples = *fact ? pp_copy(fact) : NULL;
		writer->columns[i].events = pp_copy(event->name);
	} else if (writer->prof->n_events == 1) {
		writer->columns[i].samples = pp_copy("samples");
		writer->columns[i].events = pp_copy(event->name);
	} else {
		writer->columns[i].samples = pp_format("%s_sample", event->name);
		writer->columns[i].events = pp_format("%s_event", event->name);
	}
}

static void put_types(struct writer *writer)
{
	const struct prof *prof = writer->prof;

	writer->columns = pp_alloc(prof->n_events, sizeof(*writer->columns));
	for (size_t i = 0; i < prof->n_events; i++) {
		const char *unit = prof->events[i].unit ? prof->events[i].unit : "count";

		name_columns(writer, i);
		if (writer->columns[i].samples)
			put_type(writer, PPROF_SAMPLE_TYPE, writer->columns[i].samples, "count");
		put_type(writer, PPROF_SAMPLE_TYPE, writer->columns[i].events, unit);
	}
}

/* A sample that is no sample of pprof's: values are below 2^63 there. */
static void add_value(struct writer *writer, uint64_t value)
{
	op_buffer_leb128(&writer->part, value < INT64_MAX ? value : INT64_MAX);
}

static void put_values(struct writer *writer, const struct prof_sample *sample)
{
	for (size_t i = 0; i < writer->prof->n_events; i++) {
		struct prof_value value = {0};

		for (size_t j = 0; j < sample->n_values; j++)
			if (sample->values[j].event == i)
				value = sample->values[j];
		if (writer->columns[i].samples)
			add_value(writer, value.count);
		add_value(writer, value.events);
	}
	wire_put_message(&writer->message, PPROF_SAMPLE_VALUE, &writer->part);
}

static void put_label(struct writer *writer, const char *key, const char *text, int64_t number)
{
	wire_put_number(&writer->part, PPROF_LABEL_KEY, string(writer, key));
	if (text)
		wire_put_number(&writer->part, PPROF_LABEL_TEXT, string(writer, text));
	else
		wire_put_number(&writer->part, PPROF_LABEL_NUMBER, (uint64_t)number);
	wire_put_message(&writer->message, PPROF_SAMPLE_LABEL, &writer->part);
}

/* Without other information, readers take the file that is mapped first for the program. */
static void put_app(struct writer *writer, uint32_t app)
{
	struct mapping mapping;

	if (app == writer->app && app)
		return;
	if (app <= PROF_NO_KERNEL_IMAGE) {
		if (writer->has_files)
			put_label(writer, PPROF_LABEL_APP, PPROF_NO_APP, 0);
		return;
	}
	mapping = mapping_of(&writer->prof->images[app]);
	put_label(writer, PPROF_LABEL_APP, mapping.name, 0);
	free(mapping.name);
}

static void put_labels(struct writer *writer, const struct prof_sample *sample)
{
	const struct prof *prof = writer->prof;

	if (sample->comm)
		put_label(writer, PPROF_LABEL_THREAD, prof->strings[sample->comm], 0);
	if (sample->pid != PROF_ANY)
		put_label(writer, PPROF_LABEL_PID, NULL, sample->pid);
	if (sample->tid != PROF_ANY)
		put_label(writer, PPROF_LABEL_TID, NULL, sample->tid);
	if (sample->cpu != PROF_ANY)
		put_label(writer, PPROF_LABEL_CPU, NULL, sample->cpu);
	put_app(writer, sample->app);
}

static void put_sample(struct writer *writer, const struct prof_sample *sample)
{
	struct op_buffer ids = {0};

	for (size_t i = 0; i < sample->depth; i++) {
		const struct prof_frame place = {
			.image = sample->frames[i].image,
			.offset = prof_lookup_offset(&sample->frames[i], i),
		};

		op_buffer_leb128(&ids, location(writer, &place));
	}
	wire_put_message(&writer->message, PPROF_SAMPLE_LOCATION, &ids);
	op_buffer_free(&ids);
	put_values(writer, sample);
	put_labels(writer, sample);
	put_message(writer, PPROF_SAMPLE);
}

static void find_app(struct writer *writer)
{
	uint64_t *apps = pp_alloc(writer->prof->n_images, sizeof(*apps));
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	while (prof_next(writer->prof, &cursor, &sample))
		if (sample.n_values)
			apps[sample.app] += sample.values[0].count;
	for (uint32_t i = PROF_NO_KERNEL_IMAGE + 1; i < writer->prof->n_images; i++) {
		if (writer->prof->images[i].kind != PROF_FILE)
			continue;
		writer->has_files = true;
		if (apps[i] && (!writer->app || apps[i] > apps[writer->app]))
			writer->app = i;
	}
	free(apps);
	prof_cursor_free(&cursor);
}

static void put_samples(struct writer *writer)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	/* pprof takes the first mapping for the program's */
	find_app(writer);
	mapping(writer, writer->app);
	while (prof_next(writer->prof, &cursor, &sample))
		put_sample(writer, &sample);
	prof_cursor_free(&cursor);
}

/* ---- what samples refer to ---- */

static void put_functions(struct writer *writer)
{
	for (size_t i = 0; i < writer->n_functions; i++) {
		const struct function *f = &writer->functions[i];

		wire_put_number(&writer->message, PPROF_FUNCTION_ID, i + 1);
		wire_put_number(&writer->message, PPROF_FUNCTION_NAME, f->name);
		wire_put_number(&writer->message, PPROF_FUNCTION_SYSTEM_NAME, f->system_name);
		wire_put_number(&writer->message, PPROF_FUNCTION_FILE, f->file);
		wire_put_number(&writer->message, PPROF_FUNCTION_START_LINE,
				(uint64_t)f->start_line);
		put_message(writer, PPROF_FUNCTION);
	}
}

static void put_mapping(struct writer *writer, uint32_t image)
{
	const struct prof_image *of = &writer->prof->images[image];
	struct mapping mapping = mapping_of(of);
	char *build_id = of->build_id_length ? pp_hex(of->build_id, of->build_id_length) : NULL;

	wire_put_number(&writer->message, PPROF_MAPPING_ID, writer->mappings[image]);
	wire_put_number(&writer->message, PPROF_MAPPING_START, mapping.start);
	wire_put_number(&writer->message, PPROF_MAPPING_LIMIT, mapping.end);
	wire_put_number(&writer->message, PPROF_MAPPING_OFFSET, mapping.offset);
	wire_put_number(&writer->message, PPROF_MAPPING_FILE, string(writer, mapping.name));
	wire_put_number(&writer->message, PPROF_MAPPING_BUILD_ID,
			string(writer, build_id ? build_id : ""));
	wire_put_number(&writer->message, PPROF_MAPPING_HAS_FUNCTIONS,
			writer->has_functions[image]);
	wire_put_number(&writer->message, PPROF_MAPPING_HAS_FILES, writer->has_lines[image]);
	wire_put_number(&writer->message, PPROF_MAPPING_HAS_LINES, writer->has_lines[image]);
	wire_put_number(&writer->message, PPROF_MAPPING_HAS_INLINES, writer->has_lines[image]);
	put_message(writer, PPROF_MAPPING);
	free(mapping.name);
	free(build_id);
}

static void put_mappings(struct writer *writer)
{
	uint32_t *images = pp_alloc(writer->n_mappings, sizeof(*images)); /* by id - 1 */

	for (uint32_t i = 0; i < writer->prof->n_images; i++)
		if (writer->mappings[i])
			images[writer->mappings[i] - 1] = i;
	for (size_t i = 0; i < writer->n_mappings; i++)
		put_mapping(writer, images[i]);
	free(images);
}

/* ---- what is about the whole profile ---- */

/* "N TYPE UNIT"; either may have any bytes but blanks. */
static bool put_period_fact(struct writer *writer, const char *fact)
{
	char type[128], unit[128];
	uint64_t period;

	/* sscanf() splits words here; the number is read before */
	if (!op_number_take(&fact, 10, UINT64_MAX, &period) ||
	    sscanf(fact, " %127s %127s", type, unit) != 2)
		return false;
	put_type(writer, PPROF_PERIOD_TYPE, type, unit);
	wire_put_number(&writer->out, PPROF_PERIOD, period);
	return true;
}

static void put_period(struct writer *writer)
{
	const struct prof *prof = writer->prof;

	for (size_t i = 0; i < prof->n_events; i++) {
		const struct prof_event *event = &prof->events[i];

		if (!event->period)
			continue;
		put_type(writer, PPROF_PERIOD_TYPE, writer->columns[i].events,
			 event->unit ? event->unit : "count");
		wire_put_number(&writer->out, PPROF_PERIOD, event->period);
		return;
	}
	for (size_t i = 0; i < prof->n_facts; i++)
		if (!strcmp(prof->facts[i].key, PPROF_FACT_PERIOD) &&
		    put_period_fact(writer, prof->facts[i].value))
			return;
}

static void put_facts(struct writer *writer)
{
	static const struct {
		const char *key;
		enum pprof_profile_field field;
	} fields[] = {
		{PPROF_FACT_COMMENT, PPROF_COMMENT},
		{PPROF_FACT_DROP_FRAMES, PPROF_DROP_FRAMES},
		{PPROF_FACT_KEEP_FRAMES, PPROF_KEEP_FRAMES},
		{PPROF_FACT_DEFAULT_TYPE, PPROF_DEFAULT_SAMPLE_TYPE},
		{PPROF_FACT_DOC_URL, PPROF_DOC_URL},
	};
	const struct prof *prof = writer->prof;

	for (size_t i = 0; i < prof->n_facts; i++)
		for (size_t j = 0; j < sizeof(fields) / sizeof(fields[0]); j++)
			if (!strcmp(prof->facts[i].key, fields[j].key))
				wire_put_number(&writer->out, fields[j].field,
						string(writer, prof->facts[i].value));
	wire_put_number(&writer->out, PPROF_TIME_NANOS, prof->host.start_time);
	wire_put_number(&writer->out, PPROF_DURATION_NANOS, prof->host.duration);
}

/* protobuf has only UTF-8 in strings, control characters included. */
static void put_string(struct writer *writer, const char *text)
{
	struct pp_line line = {0};

	if (op_utf8_is_valid(text)) {
		wire_put_text(&writer->out, PPROF_STRING_TABLE, text);
		return;
	}
	pp_line_safe(&line, text);
	wire_put_bytes(&writer->out, PPROF_STRING_TABLE, line.text, line.n);
	pp_line_free(&line);
}

static void put_strings(struct writer *writer)
{
	for (size_t i = 0; i < writer->n_strings; i++) {
		put_string(writer, writer->strings[i]);
		if (writer->out.used >= FLUSH_BYTES)
			pack(writer, Z_NO_FLUSH);
	}
}

static void free_writer(struct writer *writer)
{
	for (size_t i = 0; i < writer->n_strings; i++)
		free(writer->strings[i]);
	for (size_t i = 0; i < writer->prof->n_events && writer->columns; i++) {
		free(writer->columns[i].samples);
		free(writer->columns[i].events);
	}
	free(writer->strings);
	free(writer->columns);
	free(writer->functions);
	free(writer->locations);
	free(writer->mappings);
	free(writer->has_functions);
	free(writer->has_lines);
	free(writer->packed);
	op_hash_free(&writer->by_string);
	op_hash_free(&writer->by_function);
	op_hash_free(&writer->by_location);
	op_buffer_free(&writer->out);
	op_buffer_free(&writer->message);
	op_buffer_free(&writer->part);
}

int pprof_write(struct prof *prof, struct output *output, struct op_error *error)
{
	struct writer writer = {.prof = prof, .output = output};

	if (deflateInit2(&writer.stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return op_error_memory(error);
	prof_layout(prof);
	writer.packed = pp_alloc(FLUSH_BYTES, 1);
	writer.mappings = pp_alloc(prof->n_images, sizeof(*writer.mappings));
	writer.has_functions = pp_alloc(prof->n_images, sizeof(*writer.has_functions));
	writer.has_lines = pp_alloc(prof->n_images, sizeof(*writer.has_lines));
	string(&writer, ""); /* number 0 must be it */
	put_types(&writer);
	put_samples(&writer);
	put_functions(&writer);
	put_mappings(&writer);
	put_period(&writer);
	put_facts(&writer);
	put_strings(&writer);
	pack(&writer, Z_FINISH);
	deflateEnd(&writer.stream);
	free_writer(&writer);
	return 0;
}
