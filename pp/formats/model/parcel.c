// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A profile as bytes: see parcel.h.  Texts, events, images, places, samples, branches, calls, then
 * what is known of the recording; each table begins with the number of its rows.
 */
#include "parcel.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "pp/symbols/image_name.h"
#include "tables.h"

/* Rows take a byte at least, so a table has no more than there are bytes left. */
#define FIRST_IMAGE (PROF_NO_KERNEL_IMAGE + 1)

/* ---- writing ---- */

void parcel_put_text(struct op_buffer *out, const char *text)
{
	size_t length = text ? strlen(text) + 1 : 0;

	op_buffer_leb128(out, length);
	op_buffer_put(out, text ? text : "", length);
}

static void put_signed(struct op_buffer *out, int64_t number)
{
	op_buffer_u64(out, (uint64_t)number);
}

static void parcel_put_event(struct op_buffer *out, const struct prof_event *event)
{
	parcel_put_text(out, event->name);
	parcel_put_text(out, event->unit);
	op_buffer_leb128(out, event->period);
	op_buffer_leb128(out, event->frequency);
	op_buffer_leb128(out, event->unit_mask);
	op_buffer_leb128(out, event->code);
	op_buffer_leb128(out, event->type);
	op_buffer_u8(out, event->is_negative);
}

static void parcel_put_image(struct op_buffer *out, const struct prof_image *image)
{
	op_buffer_u8(out, (uint8_t)image->kind);
	op_buffer_u8(out, image->is_kernel);
	parcel_put_text(out, image->path);
	op_buffer_leb128(out, image->build_id_length);
	op_buffer_put(out, image->build_id, image->build_id_length);
	op_buffer_leb128(out, image->mtime);
	op_buffer_leb128(out, image->inode);
	put_signed(out, image->pid);
	op_buffer_leb128(out, image->start);
	op_buffer_leb128(out, image->end);
	op_buffer_leb128(out, image->offset);
}

static void put_frame(struct op_buffer *out, const struct prof_frame *frame)
{
	op_buffer_leb128(out, frame->image);
	op_buffer_leb128(out, frame->offset);
}

static void put_places(struct op_buffer *out, const struct prof_tables *tables)
{
	op_buffer_leb128(out, tables->n_places);
	for (size_t i = 0; i < tables->n_places; i++) {
		const struct place_lines *place = &tables->places[i];

		put_frame(out, &place->place);
		op_buffer_leb128(out, place->n);
		for (size_t j = 0; j < place->n; j++) {
			parcel_put_text(out, place->lines[j].function);
			parcel_put_text(out, place->lines[j].system_name);
			parcel_put_text(out, place->lines[j].file);
			put_signed(out, place->lines[j].line);
			put_signed(out, place->lines[j].start_line);
		}
	}
}

static void put_sample(struct op_buffer *out, const struct prof_sample *sample)
{
	op_buffer_leb128(out, sample->depth);
	for (size_t i = 0; i < sample->depth; i++)
		put_frame(out, &sample->frames[i]);
	op_buffer_leb128(out, sample->n_values);
	for (size_t i = 0; i < sample->n_values; i++) {
		op_buffer_leb128(out, sample->values[i].event);
		op_buffer_leb128(out, sample->values[i].count);
		op_buffer_leb128(out, sample->values[i].events);
	}
	op_buffer_leb128(out, sample->app);
	op_buffer_leb128(out, sample->comm);
	put_signed(out, sample->pid);
	put_signed(out, sample->tid);
	put_signed(out, sample->cpu);
	op_buffer_leb128(out, sample->n_labels);
	for (size_t i = 0; i < sample->n_labels; i++) {
		op_buffer_leb128(out, sample->labels[i].name);
		op_buffer_leb128(out, sample->labels[i].value);
		put_signed(out, sample->labels[i].number);
		op_buffer_leb128(out, sample->labels[i].unit);
	}
}

/* Of times, the first and the last are known. */
static void parcel_put_samples(struct op_buffer *out, const struct prof *prof)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	op_buffer_u8(out, prof->has_entries);
	op_buffer_u64(out, prof->first_time);
	op_buffer_u64(out, prof->last_time);
	while (prof_next(prof, &cursor, &sample)) {
		op_buffer_u8(out, 1);
		put_sample(out, &sample);
	}
	op_buffer_u8(out, 0);
	prof_cursor_free(&cursor);
}

static void put_branches(struct op_buffer *out, const struct prof *prof)
{
	op_buffer_leb128(out, prof->n_branches);
	for (size_t i = 0; i < prof->n_branches; i++) {
		const struct prof_branch *branch = &prof->branches[i];

		put_frame(out, &branch->from);
		put_frame(out, &branch->to);
		op_buffer_leb128(out, branch->count);
		op_buffer_leb128(out, branch->mispredicted);
		op_buffer_leb128(out, branch->cycles);
	}
}

static void put_calls(struct op_buffer *out, const struct prof *prof)
{
	op_buffer_leb128(out, prof->n_calls);
	for (size_t i = 0; i < prof->n_calls; i++) {
		const struct prof_call *call = &prof->calls[i];

		put_frame(out, &call->caller);
		put_frame(out, &call->callee);
		op_buffer_leb128(out, call->app);
		op_buffer_leb128(out, call->value.event);
		op_buffer_leb128(out, call->value.count);
		op_buffer_leb128(out, call->value.events);
		op_buffer_leb128(out, call->calls);
	}
}

static void put_host(struct op_buffer *out, const struct prof_host *host)
{
	parcel_put_text(out, host->hostname);
	parcel_put_text(out, host->os_release);
	parcel_put_text(out, host->arch);
	parcel_put_text(out, host->cpu_description);
	parcel_put_text(out, host->cpu_id);
	parcel_put_text(out, host->cpu_type);
	parcel_put_text(out, host->tool);
	parcel_put_text(out, host->command_line);
	op_buffer_leb128(out, host->cpus_online);
	op_buffer_leb128(out, host->cpus_available);
	op_buffer_leb128(out, host->memory);
	op_buffer_put(out, &host->cpu_mhz, sizeof(host->cpu_mhz));
	op_buffer_leb128(out, host->start_time);
	op_buffer_leb128(out, host->duration);
}

static void put_rest(struct op_buffer *out, const struct prof *prof)
{
	op_buffer_leb128(out, prof->n_losses);
	for (size_t i = 0; i < prof->n_losses; i++) {
		parcel_put_text(out, prof->losses[i].cause);
		op_buffer_leb128(out, prof->losses[i].count);
	}
	op_buffer_leb128(out, prof->n_facts);
	for (size_t i = 0; i < prof->n_facts; i++) {
		parcel_put_text(out, prof->facts[i].key);
		parcel_put_text(out, prof->facts[i].value);
	}
	op_buffer_leb128(out, prof->n_notes);
	for (size_t i = 0; i < prof->n_notes; i++)
		parcel_put_text(out, prof->notes[i]);
}

void parcel_put(struct op_buffer *out, const struct prof *prof)
{
	op_buffer_leb128(out, prof->n_strings);
	for (size_t i = 0; i < prof->n_strings; i++)
		parcel_put_text(out, prof->strings[i]);
	op_buffer_leb128(out, prof->n_events);
	for (size_t i = 0; i < prof->n_events; i++)
		parcel_put_event(out, &prof->events[i]);
	op_buffer_leb128(out, prof->n_images);
	for (size_t i = FIRST_IMAGE; i < prof->n_images; i++)
		parcel_put_image(out, &prof->images[i]);
	put_places(out, (const struct prof_tables *)prof);
	parcel_put_samples(out, prof);
	put_branches(out, prof);
	put_calls(out, prof);
	put_host(out, &prof->host);
	put_rest(out, prof);
}

/* ---- reading ---- */

/* struct taking - what came before, by the number that the parcel has for it */
struct taking {
	struct op_reader *in;
	struct prof_sink *sink;
	uint32_t *strings, *events, *images;
	size_t n_strings, n_events, n_images;
	bool *is_named;	      /* by number in the parcel: the image is no file */
	uint64_t first_place; /* of such images */
	struct prof_frame *frames; /* of the largest sample so far */
	struct prof_value *values;
	struct prof_label *labels;
	size_t frames_capacity, values_capacity, labels_capacity;
};

const char *parcel_text(struct op_reader *in)
{
	uint64_t length = op_reader_leb128(in);

	return length ? op_reader_text(in, length) : NULL;
}

/* A text that must be there. */
static const char *text_of(struct op_reader *in)
{
	const char *text = parcel_text(in);

	if (!text)
		op_reader_fail(in);
	return text ? text : "";
}

static int64_t signed_of(struct op_reader *in)
{
	return (int64_t)op_reader_u64(in);
}

/* Return: a number of rows that there may be; 0 if that is damaged. */
static size_t rows_of(struct op_reader *in)
{
	uint64_t n = op_reader_leb128(in);

	if (n <= op_reader_left(in))
		return (size_t)n;
	op_reader_fail(in);
	return 0;
}

/* Return: what the sink calls row @number of a table, or 0. */
static uint32_t known(struct op_reader *in, uint64_t number, const uint32_t *table, size_t n)
{
	if (number < n)
		return table[number];
	op_reader_fail(in);
	return 0;
}

static uint32_t image_of(struct taking *taking)
{
	return known(taking->in, op_reader_leb128(taking->in), taking->images, taking->n_images);
}

static struct prof_frame frame_of(struct taking *taking)
{
	uint64_t number = op_reader_leb128(taking->in);
	struct prof_frame frame = {
		.image = known(taking->in, number, taking->images, taking->n_images)};

	frame.offset = op_reader_leb128(taking->in);
	if (number < taking->n_images && taking->is_named[number])
		frame.offset += taking->first_place;
	return frame;
}

static void take_strings(struct taking *taking)
{
	size_t n = rows_of(taking->in);

	taking->strings = op_alloc(n + 1, sizeof(*taking->strings));
	for (; taking->n_strings < n && !taking->in->failed; taking->n_strings++)
		taking->strings[taking->n_strings] =
			taking->sink->string(taking->sink, text_of(taking->in));
}

static uint32_t take_event(struct taking *taking)
{
	struct op_reader *in = taking->in;
	struct prof_event event = {.name = text_of(in)};

	event.unit = parcel_text(in);
	event.period = op_reader_leb128(in);
	event.frequency = op_reader_leb128(in);
	event.unit_mask = op_reader_leb128(in);
	event.code = op_reader_leb128(in);
	event.type = (uint32_t)op_reader_leb128(in);
	event.is_negative = op_reader_u8(in);
	return in->failed ? 0 : taking->sink->event(taking->sink, &event);
}

static void take_events(struct taking *taking)
{
	size_t n = rows_of(taking->in);

	taking->events = op_alloc(n + 1, sizeof(*taking->events));
	for (; taking->n_events < n && !taking->in->failed; taking->n_events++)
		taking->events[taking->n_events] = take_event(taking);
}

static bool is_kernel(const struct prof_image *image)
{
	return image->kind == PROF_KERNEL || image->kind == PROF_MODULE || image->kind == PROF_BPF;
}

static uint32_t parcel_take_image(struct taking *taking)
{
	struct op_reader *in = taking->in;
	struct prof_image image = {.kind = op_reader_u8(in)};
	bool in_kernel = op_reader_u8(in);

	image.path = text_of(in);
	image.is_kernel = is_kernel(&image);
	image.build_id_length = (unsigned int)op_reader_leb128(in);
	if (image.kind > PROF_UNKNOWN || image.build_id_length > PROF_BUILD_ID_MOST)
		op_reader_fail(in);
	else
		op_reader_copy(in, image.build_id, image.build_id_length);
	image.mtime = op_reader_leb128(in);
	image.inode = op_reader_leb128(in);
	image.pid = signed_of(in);
	image.start = op_reader_leb128(in);
	image.end = op_reader_leb128(in);
	image.offset = op_reader_leb128(in);
	if (in->failed || image.kind == PROF_UNKNOWN)
		return in_kernel ? PROF_NO_KERNEL_IMAGE : PROF_NO_IMAGE;
	taking->is_named[taking->n_images] = pp_image_is_named(image.path);
	return taking->sink->image(taking->sink, &image);
}

static void take_images(struct taking *taking)
{
	size_t n = rows_of(taking->in);

	taking->images = op_alloc(n + FIRST_IMAGE, sizeof(*taking->images));
	taking->is_named = op_alloc(n + FIRST_IMAGE, sizeof(*taking->is_named));
	taking->first_place = taking->sink->free_place(taking->sink);
	taking->images[PROF_NO_KERNEL_IMAGE] = PROF_NO_KERNEL_IMAGE;
	for (taking->n_images = FIRST_IMAGE; taking->n_images < n && !taking->in->failed;
	     taking->n_images++)
		taking->images[taking->n_images] = parcel_take_image(taking);
}

static void take_place(struct taking *taking)
{
	struct op_reader *in = taking->in;
	const struct prof_frame place = frame_of(taking);
	size_t n = rows_of(in);
	struct prof_line *lines = op_alloc(n + 1, sizeof(*lines));

	for (size_t i = 0; i < n && !in->failed; i++) {
		lines[i].function = text_of(in);
		lines[i].system_name = parcel_text(in);
		lines[i].file = parcel_text(in);
		lines[i].line = signed_of(in);
		lines[i].start_line = signed_of(in);
	}
	if (!in->failed && n)
		taking->sink->lines(taking->sink, &place, lines, n);
	free(lines);
}

static size_t take_frames(struct taking *taking)
{
	size_t n = rows_of(taking->in);

	if (n > PROF_DEPTH_MOST) {
		op_reader_fail(taking->in);
		return 0;
	}
	taking->frames =
		op_grow(taking->frames, &taking->frames_capacity, n + 1, sizeof(*taking->frames));
	for (size_t i = 0; i < n && !taking->in->failed; i++)
		taking->frames[i] = frame_of(taking);
	return n;
}

static size_t take_values(struct taking *taking)
{
	struct op_reader *in = taking->in;
	size_t n = rows_of(in);

	taking->values =
		op_grow(taking->values, &taking->values_capacity, n + 1, sizeof(*taking->values));
	for (size_t i = 0; i < n && !in->failed; i++) {
		taking->values[i].event =
			known(in, op_reader_leb128(in), taking->events, taking->n_events);
		taking->values[i].count = op_reader_leb128(in);
		taking->values[i].events = op_reader_leb128(in);
	}
	return n;
}

static uint32_t string_of(struct taking *taking)
{
	struct op_reader *in = taking->in;

	return known(in, op_reader_leb128(in), taking->strings, taking->n_strings);
}

static size_t take_labels(struct taking *taking)
{
	size_t n = rows_of(taking->in);

	taking->labels =
		op_grow(taking->labels, &taking->labels_capacity, n + 1, sizeof(*taking->labels));
	for (size_t i = 0; i < n && !taking->in->failed; i++) {
		taking->labels[i].name = string_of(taking);
		taking->labels[i].value = string_of(taking);
		taking->labels[i].number = signed_of(taking->in);
		taking->labels[i].unit = string_of(taking);
	}
	return n;
}

/* Fills in the sample that comes next. */
static void parcel_take_sample(struct taking *taking, struct prof_sample *sample)
{
	struct op_reader *in = taking->in;

	sample->depth = take_frames(taking);
	sample->n_values = take_values(taking);
	sample->frames = taking->frames;
	sample->values = taking->values;
	sample->app = image_of(taking);
	sample->comm = string_of(taking);
	sample->pid = signed_of(in);
	sample->tid = signed_of(in);
	sample->cpu = signed_of(in);
	sample->n_labels = take_labels(taking);
	sample->labels = taking->labels;
}

static int take_samples(struct taking *taking, struct op_error *error)
{
	struct op_reader *in = taking->in;
	struct prof_sample sample = {.has_entry = op_reader_u8(in)};
	uint64_t last;
	size_t n = 0;

	sample.time = op_reader_u64(in);
	last = op_reader_u64(in);
	for (; op_reader_u8(in) && !in->failed; n++) {
		parcel_take_sample(taking, &sample);
		if (in->failed)
			return 0;
		if (taking->sink->sample(taking->sink, &sample, error))
			return -1;
		sample.time = last;
	}
	sample.n_values = 0; /* for the last time only */
	return n == 1 ? taking->sink->sample(taking->sink, &sample, error) : 0;
}

static int take_branches(struct taking *taking, struct op_error *error)
{
	struct op_reader *in = taking->in;
	size_t n = rows_of(in);

	for (size_t i = 0; i < n && !in->failed; i++) {
		struct prof_branch branch = {.from = frame_of(taking)};

		branch.to = frame_of(taking);
		branch.count = op_reader_leb128(in);
		branch.mispredicted = op_reader_leb128(in);
		branch.cycles = op_reader_leb128(in);
		if (!in->failed && taking->sink->branch(taking->sink, &branch, error))
			return -1;
	}
	return 0;
}

static int take_calls(struct taking *taking, struct op_error *error)
{
	struct op_reader *in = taking->in;
	size_t n = rows_of(in);

	for (size_t i = 0; i < n && !in->failed; i++) {
		struct prof_call call = {.caller = frame_of(taking)};

		call.callee = frame_of(taking);
		call.app = known(in, op_reader_leb128(in), taking->images, taking->n_images);
		call.value.event =
			known(in, op_reader_leb128(in), taking->events, taking->n_events);
		call.value.count = op_reader_leb128(in);
		call.value.events = op_reader_leb128(in);
		call.calls = op_reader_leb128(in);
		if (!in->failed && taking->sink->call(taking->sink, &call, error))
			return -1;
	}
	return 0;
}

static void take_host(struct taking *taking)
{
	struct op_reader *in = taking->in;
	struct prof_host host = {.hostname = parcel_text(in)};

	host.os_release = parcel_text(in);
	host.arch = parcel_text(in);
	host.cpu_description = parcel_text(in);
	host.cpu_id = parcel_text(in);
	host.cpu_type = parcel_text(in);
	host.tool = parcel_text(in);
	host.command_line = parcel_text(in);
	host.cpus_online = op_reader_leb128(in);
	host.cpus_available = op_reader_leb128(in);
	host.memory = op_reader_leb128(in);
	op_reader_copy(in, &host.cpu_mhz, sizeof(host.cpu_mhz));
	host.start_time = op_reader_leb128(in);
	host.duration = op_reader_leb128(in);
	if (!isfinite(host.cpu_mhz))
		host.cpu_mhz = 0;
	if (!in->failed)
		taking->sink->host(taking->sink, &host);
}

static void take_rest(struct taking *taking)
{
	struct op_reader *in = taking->in;
	struct prof_sink *sink = taking->sink;

	for (size_t n = rows_of(in); n && !in->failed; n--) {
		const char *cause = text_of(in);
		uint64_t count = op_reader_leb128(in);

		if (!in->failed)
			sink->lost(sink, cause, count);
	}
	for (size_t n = rows_of(in); n && !in->failed; n--) {
		const char *key = text_of(in), *value = text_of(in);

		if (!in->failed)
			sink->fact(sink, key, value);
	}
	for (size_t n = rows_of(in); n && !in->failed; n--) {
		const char *note = text_of(in);

		if (!in->failed)
			sink->note(sink, note);
	}
}

static int take_all(struct taking *taking, struct op_error *error)
{
	take_strings(taking);
	take_events(taking);
	take_images(taking);
	for (size_t n = rows_of(taking->in); n && !taking->in->failed; n--)
		take_place(taking);
	if (take_samples(taking, error) || take_branches(taking, error) ||
	    take_calls(taking, error))
		return -1;
	take_host(taking);
	take_rest(taking);
	return taking->in->failed ? op_error_set(error, EBADMSG, "what was read of it is damaged")
				  : 0;
}

int parcel_take(struct op_reader *in, struct prof_sink *sink, struct op_error *error)
{
	struct taking taking = {.in = in, .sink = sink};
	int result = take_all(&taking, error);

	free(taking.strings);
	free(taking.events);
	free(taking.images);
	free(taking.is_named);
	free(taking.frames);
	free(taking.values);
	free(taking.labels);
	return result;
}
