// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing OpenTelemetry's profiles: one message ProfilesData, which is the body of the request that
 * exports it, too, with gzip around it.
 *
 * A profile has one type of value there, so each event makes two: the number of samples, and what
 * they stand for.  Tables precede nothing and follow nothing: all of them are one field of the
 * message, whose length stands before it, so what is written is made in memory first.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dictionary.h"
#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "libop/base/strings.h"
#include "pp/formats/input/wire.h"
#include "pp/formats/model/bounded.h"
#include "pp/formats/model/labels.h"
#include "pp/formats/model/mapped_image.h"
#include "pp/formats/session/symbolize.h"
#include "pp/symbols/image_name.h"

#define PACKED_BYTES	(64u << 10)
#define PART_MOST	(1u << 30) /* of what zlib is given at once */
#define GZIP		(15 + 16)  /* the largest window, and gzip's header and end */
#define ID_BYTES	16
#define ITEM_BYTES	64 /* numbers of a message, its length, and that of a text, are less */
#define NUMBER_BYTES	5
#define ATTRIBUTES_MOST (PROF_LABELS_MOST + 6)
#define SERVICE		"oprofile"

struct otlp_writer {
	struct prof *prof;
	struct output *output;
	struct otlp_dictionary dictionary;
	struct op_buffer *samples; /* of each profile: of event i are 2 * i and 2 * i + 1 */
	struct op_buffer message, part;
};

/* ---- samples ---- */

struct attributes {
	uint32_t keys[ATTRIBUTES_MOST]; /* numbers of strings */
	uint32_t numbers[ATTRIBUTES_MOST];
	size_t n;
};

/* A key may be there once. */
static bool has_key(const struct attributes *attributes, uint32_t key)
{
	for (size_t i = 0; i < attributes->n; i++)
		if (attributes->keys[i] == key)
			return true;
	return false;
}

/* @text: NULL: the number is it. */
static void add_attribute(struct otlp_writer *writer, struct attributes *attributes,
			  const char *key, const char *text, int64_t number, const char *unit)
{
	struct otlp_dictionary *dictionary = &writer->dictionary;
	uint32_t name = otlp_string(dictionary, key);

	if (attributes->n == ATTRIBUTES_MOST || has_key(attributes, name))
		return;
	attributes->keys[attributes->n] = name;
	attributes->numbers[attributes->n++] =
		text ? otlp_attribute(dictionary, key, text)
		     : otlp_attribute_number(dictionary, key, number, unit);
}

static void add_program(struct otlp_writer *writer, struct attributes *attributes, uint32_t app)
{
	struct mapping mapping;

	if (app <= PROF_NO_KERNEL_IMAGE)
		return;
	mapping = mapping_of(&writer->prof->images[app]);
	add_attribute(writer, attributes, "process.executable.path",
		      pp_image_without_named(mapping.name), 0, NULL);
	free(mapping.name);
}

/* A key is there once, so that several values of a label are a list. */
static void add_list(struct otlp_writer *writer, struct attributes *attributes,
		     const struct prof_label *labels, size_t n)
{
	const char *key = writer->prof->strings[labels->name];
	uint32_t name = otlp_string(&writer->dictionary, key);
	char **texts;

	if (attributes->n == ATTRIBUTES_MOST || has_key(attributes, name))
		return;
	texts = op_alloc(n, sizeof(*texts));
	for (size_t i = 0; i < n; i++)
		texts[i] = prof_label_text(writer->prof, &labels[i]);
	attributes->keys[attributes->n] = name;
	attributes->numbers[attributes->n++] =
		otlp_attribute_list(&writer->dictionary, key, texts, n);
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
}

/* The names are OpenTelemetry's, and those of labels are the profile's own. */
static void add_attributes(struct otlp_writer *writer, struct attributes *attributes,
			   const struct prof_sample *sample)
{
	const char *const *strings = writer->prof->strings;

	add_program(writer, attributes, sample->app);
	if (sample->comm)
		add_attribute(writer, attributes, "thread.name", strings[sample->comm], 0, NULL);
	if (sample->pid != PROF_ANY)
		add_attribute(writer, attributes, "process.pid", NULL, sample->pid, NULL);
	if (sample->tid != PROF_ANY)
		add_attribute(writer, attributes, "thread.id", NULL, sample->tid, NULL);
	if (sample->cpu != PROF_ANY)
		add_attribute(writer, attributes, "cpu.logical_number", NULL, sample->cpu, NULL);
	for (size_t i = 0, end; i < sample->n_labels; i = end) {
		const struct prof_label *label = &sample->labels[i];

		for (end = i + 1;
		     end < sample->n_labels && sample->labels[end].name == label->name;)
			end++;
		if (end > i + 1) {
			add_list(writer, attributes, label, end - i);
			continue;
		}
		add_attribute(writer, attributes, strings[label->name],
			      label->value ? strings[label->value] : NULL, label->number,
			      label->unit ? strings[label->unit] : NULL);
	}
}

static void put_sample(struct otlp_writer *writer, struct op_buffer *out, uint32_t stack,
		       const struct attributes *attributes, uint64_t value)
{
	wire_put_number(&writer->message, OTLP_SAMPLE_STACK, stack);
	otlp_put_numbers(&writer->message, OTLP_SAMPLE_ATTRIBUTES, attributes->numbers,
			 attributes->n);
	op_buffer_leb128(&writer->part, value < INT64_MAX ? value : INT64_MAX);
	wire_put_message(&writer->message, OTLP_SAMPLE_VALUES, &writer->part);
	wire_put_message(out, OTLP_SAMPLES, &writer->message);
}

/* Its values are of @stack. */
static void put_samples(struct otlp_writer *writer, const struct prof_sample *sample,
			uint32_t stack)
{
	struct attributes attributes = {.n = 0};

	add_attributes(writer, &attributes, sample);
	for (size_t i = 0; i < sample->n_values; i++) {
		const struct prof_value *value = &sample->values[i];
		struct op_buffer *out = &writer->samples[2 * (size_t)value->event];

		put_sample(writer, &out[0], stack, &attributes, value->count);
		put_sample(writer, &out[1], stack, &attributes, value->events);
	}
}

static void add_sample(void *context, const struct prof_sample *sample)
{
	struct otlp_writer *writer = context;

	put_samples(writer, sample, otlp_stack(&writer->dictionary, sample));
}

static void add_left_out(void *context, const struct prof_sample *sample)
{
	struct otlp_writer *writer = context;

	put_samples(writer, sample, otlp_stack_left_out(&writer->dictionary, sample->app));
}

/* ---- their bytes ---- */

static uint64_t bytes_used(void *context)
{
	const struct otlp_writer *writer = context;
	uint64_t bytes = otlp_dictionary_bytes(&writer->dictionary);

	for (size_t i = 0; i < 2 * writer->prof->n_events; i++)
		bytes += writer->samples[i].used;
	return bytes;
}

static uint64_t left_out_cost(void *context, const struct prof_sample *sample)
{
	const struct otlp_writer *writer = context;

	return (8 + 2 * sample->n_values) * ITEM_BYTES +
	       2 * bounded_text_bytes(writer->prof->images[sample->app].path);
}

static uint64_t cost_of_sample(void *context, const struct prof_sample *sample)
{
	struct otlp_writer *writer = context;
	const char *const *strings = writer->prof->strings;
	uint64_t bytes = left_out_cost(context, sample) + 5 * ITEM_BYTES +
			 2 * sample->n_values * sample->n_labels * NUMBER_BYTES +
			 strlen(strings[sample->comm]);

	bytes += bounded_labels_bytes(writer->prof, sample, 2 * ITEM_BYTES);
	/* a line has a function, and three texts; an image has a build-id, too */
	return bytes +
	       names_bytes_of_stack(writer->output->names, writer->prof, sample, 6 * ITEM_BYTES);
}

static const struct bounded_writer bounded_writer = {
	.used = bytes_used,
	.cost = cost_of_sample,
	.add = add_sample,
	.left_out_cost = left_out_cost,
	.add_left_out = add_left_out,
};

/* ---- profiles ---- */

static void put_type(struct otlp_writer *writer, struct op_buffer *out, unsigned int field,
		     const char *type, const char *unit)
{
	wire_put_number(&writer->part, OTLP_TYPE, otlp_string(&writer->dictionary, type));
	wire_put_number(&writer->part, OTLP_TYPE_UNIT, otlp_string(&writer->dictionary, unit));
	wire_put_message(out, field, &writer->part);
}

/* What is written again has the same, and two profiles of one time have not. */
static void put_id(struct otlp_writer *writer, struct op_buffer *out,
		   const struct op_buffer *samples, const char *type)
{
	const struct prof_host *host = &writer->prof->host;
	struct op_buffer content = {0}, id = {0};

	op_buffer_put(&content, type, strlen(type) + 1);
	if (host->hostname)
		op_buffer_put(&content, host->hostname, strlen(host->hostname) + 1);
	op_buffer_u64(&content, host->start_time);
	op_buffer_u64(&content, host->duration);
	op_buffer_put(&content, samples->bytes, samples->used);
	op_buffer_check(&content);
	for (uint64_t half = 0; half < 2; half++) {
		const struct op_siphash_key key = {{half, half}};

		op_buffer_u64(&id, op_siphash(&key, content.bytes, content.used));
	}
	op_buffer_check(&id);
	wire_put_bytes(out, OTLP_PROFILE_ID, id.bytes, ID_BYTES);
	op_buffer_free(&content);
	op_buffer_free(&id);
}

static void put_losses(struct otlp_writer *writer, struct op_buffer *out)
{
	uint64_t lost = 0;
	uint32_t attribute;

	for (size_t i = 0; i < writer->prof->n_losses; i++)
		lost += writer->prof->losses[i].count;
	if (!lost)
		return;
	attribute = otlp_attribute_number(&writer->dictionary, "oprofile.samples.lost",
					  (int64_t)lost, NULL);
	otlp_put_numbers(out, OTLP_PROFILE_ATTRIBUTES, &attribute, 1);
}

static void put_profile(struct otlp_writer *writer, struct op_buffer *scope, size_t event,
			bool is_weight)
{
	const struct prof_event *of = &writer->prof->events[event];
	struct op_buffer *samples = &writer->samples[2 * event + is_weight], out = {0};
	const char *unit = of->unit ? of->unit : "count";
	char *type = is_weight			  ? op_copy(of->name)
		     : writer->prof->n_events > 1 ? op_format("%s_sample", of->name)
						  : op_copy("samples");

	put_type(writer, &out, OTLP_SAMPLE_TYPE, type, is_weight ? unit : "count");
	op_buffer_put(&out, samples->bytes, samples->used);
	wire_put_fixed64(&out, OTLP_TIME, writer->prof->host.start_time);
	wire_put_number(&out, OTLP_DURATION, writer->prof->host.duration);
	if (of->period) {
		put_type(writer, &out, OTLP_PERIOD_TYPE, of->name, unit);
		wire_put_number(&out, OTLP_PERIOD, of->period);
	}
	put_id(writer, &out, samples, type);
	put_losses(writer, &out);
	out.failed |= samples->failed;
	wire_put_message(scope, OTLP_PROFILES, &out);
	op_buffer_free(&out);
	op_buffer_free(samples);
	free(type);
}

static void put_attribute(struct otlp_writer *writer, struct op_buffer *resource, const char *key,
			  const char *text)
{
	if (!text || !*text)
		return;
	wire_put_text(&writer->message, OTLP_KEY, key);
	wire_put_safe_text(&writer->part, OTLP_STRING_VALUE, text);
	wire_put_message(&writer->message, OTLP_VALUE, &writer->part);
	wire_put_message(resource, OTLP_RESOURCE_ATTRIBUTES, &writer->message);
}

static void put_resource(struct otlp_writer *writer, struct op_buffer *out)
{
	const struct prof_host *host = &writer->prof->host;
	const char *service = writer->output->service;
	const struct op_strings *labels = writer->output->host_labels;
	struct op_buffer resource = {0};

	put_attribute(writer, &resource, "service.name", service ? service : SERVICE);
	put_attribute(writer, &resource, "host.name", host->hostname);
	put_attribute(writer, &resource, "host.cpu.model.name", host->cpu_description);
	put_attribute(writer, &resource, "os.type", "linux");
	put_attribute(writer, &resource, "os.version", host->os_release);
	for (size_t i = 0; labels && i < labels->count; i++) {
		size_t n = strcspn(labels->item[i], "=");
		char *name = op_format("%.*s", (int)n, labels->item[i]);

		put_attribute(writer, &resource, name, labels->item[i] + n + 1);
		free(name);
	}
	wire_put_message(out, OTLP_RESOURCE, &resource);
	op_buffer_free(&resource);
}

/* ResourceProfiles. */
static void put_profiles(struct otlp_writer *writer, struct op_buffer *out)
{
	struct op_buffer scope = {0};

	put_resource(writer, out);
	wire_put_text(&writer->message, OTLP_SCOPE_NAME, "oprofile");
	wire_put_text(&writer->message, OTLP_SCOPE_VERSION, OP_VERSION);
	wire_put_message(&scope, OTLP_SCOPE, &writer->message);
	for (size_t i = 0; i < writer->prof->n_events; i++) {
		put_profile(writer, &scope, i, false);
		put_profile(writer, &scope, i, true);
	}
	wire_put_message(out, OTLP_SCOPE_PROFILES, &scope);
	op_buffer_free(&scope);
}

/* ---- the file ---- */

static void pack(z_stream *stream, FILE *file, const uint8_t *bytes, size_t n, int flush)
{
	uint8_t packed[PACKED_BYTES];

	stream->next_in = (uint8_t *)bytes;
	stream->avail_in = (uInt)n;
	do {
		stream->next_out = packed;
		stream->avail_out = PACKED_BYTES;
		deflate(stream, flush);
		fwrite(packed, 1, PACKED_BYTES - stream->avail_out, file);
	} while (!stream->avail_out);
}

/* A message of the file, whose bytes are not copied once more. */
static void pack_message(z_stream *stream, FILE *file, unsigned int field,
			 const struct op_buffer *message)
{
	struct op_buffer head = {0};

	op_buffer_check(message);
	op_buffer_leb128(&head, (uint64_t)field << 3 | 2);
	op_buffer_leb128(&head, message->used);
	op_buffer_check(&head);
	pack(stream, file, head.bytes, head.used, Z_NO_FLUSH);
	for (size_t at = 0; at < message->used; at += PART_MOST)
		pack(stream, file, message->bytes + at,
		     message->used - at < PART_MOST ? message->used - at : PART_MOST, Z_NO_FLUSH);
	op_buffer_free(&head);
}

static int otlp_write(struct prof *prof, struct output *output, struct op_error *error)
{
	struct otlp_writer writer = {.prof = prof, .output = output};
	struct op_buffer profiles = {0}, dictionary = {0};
	z_stream stream = {0};

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		return op_error_memory(error);
	prof_layout(prof);
	otlp_dictionary_begin(&writer.dictionary, prof, output->names);
	writer.samples = op_alloc(2 * prof->n_events, sizeof(*writer.samples));
	bounded_add_samples(prof, output->most, &bounded_writer, &writer);
	put_profiles(&writer, &profiles);
	otlp_dictionary_put(&writer.dictionary, &dictionary);
	pack_message(&stream, output->file, OTLP_RESOURCE_PROFILES, &profiles);
	pack_message(&stream, output->file, OTLP_DICTIONARY, &dictionary);
	pack(&stream, output->file, NULL, 0, Z_FINISH);
	deflateEnd(&stream);
	otlp_dictionary_free(&writer.dictionary);
	op_buffer_free(&profiles);
	op_buffer_free(&dictionary);
	op_buffer_free(&writer.message);
	op_buffer_free(&writer.part);
	free(writer.samples);
	return 0;
}

const struct format format_otlp = {
	.name = "otlp",
	.description = "profiles of OpenTelemetry 1.10 (development), packed by gzip",
	.write = otlp_write,
	.is_bounded = true,
	.has_service = true,
	.has_host_labels = true,
	.by = PROF_BY_COMM | PROF_BY_PID | PROF_BY_TID | PROF_BY_CPU | PROF_BY_LABELS,
};
