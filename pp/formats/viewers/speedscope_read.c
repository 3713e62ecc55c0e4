// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading speedscope's JSON: the list of functions first, then the profiles, which may stand
 * before it: so it is read twice.
 */
#include "speedscope.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "pp/formats/input/json_input.h"
#include "pp/formats/model/named_places.h"

#define IMAGE "speedscope"

enum { TOP = 1, SHARED, FRAMES, FRAME, PROFILES, PROFILE, SAMPLES, SAMPLE, WEIGHTS, EVENTS, EVENT };

static const struct json_step frame_steps[] = {
	{JSON_TOP, NULL, TOP},	    {TOP, "shared", SHARED}, {SHARED, "frames", FRAMES},
	{FRAMES, NULL, FRAME},	    {0}};
static const struct json_step profile_steps[] = {
	{JSON_TOP, NULL, TOP},		{TOP, "profiles", PROFILES},
	{PROFILES, NULL, PROFILE},	{PROFILE, "samples", SAMPLES},
	{SAMPLES, NULL, SAMPLE},	{PROFILE, "weights", WEIGHTS},
	{PROFILE, "events", EVENTS},	{EVENTS, NULL, EVENT},
	{0}};

struct frame {
	char *name, *file;
	uint64_t line;
};

/* Of an evented profile: a function begins or ends. */
struct change {
	uint32_t frame;
	char type; /* 'O', 'C' */
	double at;
};

struct reader {
	struct prof_sink *sink;
	struct named_places *places;
	uint32_t image;
	bool is_ours;
	struct frame *frames;
	size_t n_frames, frames_capacity;

	/* Of the profile that is read: */
	char *name, *unit;
	uint32_t *stacks; /* root first, one after the other */
	size_t n_stacks, stacks_capacity;
	size_t *ends; /* of each stack in @stacks */
	size_t n_ends, ends_capacity;
	double *weights;
	size_t n_weights, weights_capacity;
	struct change *changes;
	size_t n_changes, changes_capacity;

	struct prof_frame *sample;
	uint64_t cut; /* frames */
	double rest;  /* of a weight that is no whole number */
};

static void speedscope_read_set_text(char **text, const struct json_value *value)
{
	free(*text);
	*text = op_copy(value->is_string ? value->text : "");
}

/* ---- functions ---- */

static int begin_frame(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);

	if (place != FRAME)
		return 0;
	reader->frames = op_grow(reader->frames, &reader->frames_capacity, reader->n_frames + 1,
				 sizeof(*reader->frames));
	reader->frames[reader->n_frames++] = (struct frame){0};
	return 0;
}

static int take_frame(struct json_input *json, int place, const char *key,
		      const struct json_value *value)
{
	struct reader *reader = json_context(json);
	struct frame *frame;

	if (place == TOP && key && !strcmp(key, "exporter"))
		reader->is_ours = value->is_string && !strncmp(value->text, "oprofile ", 9);
	if (place != FRAME || !key)
		return 0;
	frame = &reader->frames[reader->n_frames - 1];
	if (!strcmp(key, "name"))
		speedscope_read_set_text(&frame->name, value);
	else if (!strcmp(key, "file") && value->is_string)
		speedscope_read_set_text(&frame->file, value);
	else if (!strcmp(key, "line") &&
		 (!json_natural(value, &frame->line) || frame->line > INT32_MAX))
		frame->line = 0;
	return 0;
}

/* ---- what a profile counts ---- */

static const struct {
	const char *name;
	double ns;
} times[] = {
	{"nanoseconds", 1}, {"microseconds", 1e3}, {"milliseconds", 1e6}, {"seconds", 1e9}};

/* How many ns are in the unit; 0: it is no time. */
static double ns_of(const char *unit)
{
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (!strcmp(times[i].name, unit))
			return times[i].ns;
	return 0;
}

/* The root of our first stack is the program; NULL if there is none. */
static const char *own_program(const struct reader *reader)
{
	if (!reader->is_ours || !reader->n_ends || !reader->ends[0])
		return NULL;
	return reader->frames[reader->stacks[0]].name;
}

/* Ours are called "EVENT", "PROGRAM EVENT" or "PROGRAM PID/TID EVENT". */
static const char *own_event(const struct reader *reader, const char *name,
			     struct prof_sample *sample)
{
	const char *program = own_program(reader), *event, *digits;
	size_t n = program ? strlen(program) : 0;
	uint64_t pid, tid;

	if (!n || strncmp(name, program, n) || name[n] != ' ')
		return name;
	event = digits = name + n + 1;
	if (!op_number_take(&digits, 10, INT32_MAX, &pid) || *digits++ != '/' ||
	    !op_number_take(&digits, 10, INT32_MAX, &tid) || *digits++ != ' ')
		return event;
	sample->pid = (int64_t)pid;
	sample->tid = (int64_t)tid;
	return digits;
}

static uint32_t event_of(const struct reader *reader, const char *unit, struct prof_sample *sample)
{
	const char *name = reader->name ? reader->name : "";
	struct prof_event event = {.name = "samples", .period = 1, .type = PROF_NO_TYPE};

	if (ns_of(unit) > 0)
		event = (struct prof_event){
			.name = "time", .unit = "nanoseconds", .type = PROF_NO_TYPE};
	else if (!strcmp(unit, "bytes"))
		event = (struct prof_event){.name = "bytes", .unit = "bytes", .type = PROF_NO_TYPE};
	if (reader->is_ours && *name)
		event.name = own_event(reader, name, sample);
	return reader->sink->event(reader->sink, &event);
}

/* Fractions are carried to the next weight. */
static uint64_t whole(struct reader *reader, double weight)
{
	double sum = weight + reader->rest, number = floor(sum);

	if (!(number > 0))
		number = 0;
	if (number >= 0x1p62)
		number = 0x1p62;
	reader->rest = sum - number > 0 && sum - number < 1 ? sum - number : 0;
	return (uint64_t)number;
}

/* ---- samples ---- */

static int json_input_push(struct json_input *json, struct prof_sample *sample,
			   const uint32_t *stack, size_t depth, uint64_t weight)
{
	struct reader *reader = json_context(json);
	const bool counts = !strcmp(reader->unit ? reader->unit : "none", "none");
	struct prof_value value = {sample->values->event, counts ? weight : 1, weight};
	struct prof_sample copy = *sample;
	size_t n;

	if (!weight)
		return 0;
	/* the root of ours */
	if (reader->is_ours && depth) {
		const char *program = reader->frames[stack[0]].name;

		copy.app = named_places_image(reader->places, program ? program : "", false);
		copy.comm = reader->sink->string(reader->sink, program ? program : "");
		stack++;
		depth--;
	}
	n = depth < PROF_DEPTH_MOST ? depth : PROF_DEPTH_MOST;
	reader->cut += depth - n;
	for (size_t i = 0; i < n; i++) {
		const struct frame *frame = &reader->frames[stack[depth - 1 - i]];
		const struct prof_line line = {.function = frame->name ? frame->name : "",
					       .file = frame->file,
					       .line = (int64_t)frame->line,
					       .start_line = (int64_t)frame->line};

		reader->sample[i] =
			named_places_frame(reader->places, reader->image, &line, i > 0);
	}
	copy.frames = reader->sample;
	copy.depth = n;
	copy.values = &value;
	copy.n_values = 1;
	return reader->sink->sample(reader->sink, &copy, json_error(json));
}

static int push_samples(struct json_input *json, struct prof_sample *sample, double scale)
{
	struct reader *reader = json_context(json);

	if (reader->n_weights && reader->n_weights != reader->n_ends)
		return json_fail(json, "the profile before has %zu samples and %zu weights",
				 reader->n_ends, reader->n_weights);
	for (size_t i = 0, at = 0; i < reader->n_ends; at = reader->ends[i++]) {
		uint64_t weight =
			whole(reader, reader->n_weights ? reader->weights[i] * scale : 1);

		if (json_input_push(json, sample, reader->stacks + at, reader->ends[i] - at,
				    weight))
			return -1;
	}
	return 0;
}

/* A function ends that began last, or the profile is damaged. */
static int push_changes(struct json_input *json, struct prof_sample *sample, double scale)
{
	struct reader *reader = json_context(json);
	double last = reader->n_changes ? reader->changes[0].at : 0;
	uint32_t *stack = op_alloc(reader->n_changes, sizeof(*stack));
	size_t depth = 0;
	int result = 0;

	for (size_t i = 0; !result && i < reader->n_changes; i++) {
		const struct change *change = &reader->changes[i];

		if (change->at < last)
			result = json_fail(json, "the events before go back in time");
		else if (depth && change->at > last)
			result = json_input_push(json, sample, stack, depth,
						 whole(reader, (change->at - last) * scale));
		last = change->at;
		if (change->type == 'O')
			stack[depth++] = change->frame;
		else if (depth && stack[depth - 1] == change->frame)
			depth--;
		else if (!result)
			result = json_fail(json, "the events before end a function that did not "
						 "begin last");
	}
	free(stack);
	return result;
}

static int end_profile(struct json_input *json)
{
	struct reader *reader = json_context(json);
	const char *unit = reader->unit ? reader->unit : "none";
	double scale = ns_of(unit) > 0 ? ns_of(unit) : 1;
	struct prof_value value = {0};
	struct prof_sample sample = {
		.values = &value, .pid = PROF_ANY, .tid = PROF_ANY, .cpu = PROF_ANY};

	value.event = event_of(reader, unit, &sample);
	sample.app = reader->is_ours || !reader->name
			     ? reader->image
			     : named_places_image(reader->places, reader->name, false);
	return push_samples(json, &sample, scale) || push_changes(json, &sample, scale) ? -1 : 0;
}

/* ---- reading profiles ---- */

static int take_index(struct json_input *json, const struct json_value *value, uint32_t *index)
{
	struct reader *reader = json_context(json);
	uint64_t number;

	if (!json_natural(value, &number) || number >= reader->n_frames)
		return json_fail(json, "there is no frame %.40s", value->text ? value->text : "");
	*index = (uint32_t)number;
	return 0;
}

static int add_index(struct json_input *json, const struct json_value *value)
{
	struct reader *reader = json_context(json);

	reader->stacks = op_grow(reader->stacks, &reader->stacks_capacity, reader->n_stacks + 1,
				 sizeof(*reader->stacks));
	return take_index(json, value, &reader->stacks[reader->n_stacks++]);
}

static int add_weight(struct json_input *json, const struct json_value *value)
{
	struct reader *reader = json_context(json);

	reader->weights = op_grow(reader->weights, &reader->weights_capacity, reader->n_weights + 1,
				  sizeof(*reader->weights));
	if (!json_real(value, &reader->weights[reader->n_weights]) ||
	    reader->weights[reader->n_weights++] < 0)
		return json_fail(json, "a weight is no number, or below 0");
	return 0;
}

static int take_change(struct json_input *json, const char *key, const struct json_value *value)
{
	struct reader *reader = json_context(json);
	struct change *change = &reader->changes[reader->n_changes - 1];

	if (!strcmp(key, "type"))
		change->type = value->is_string ? *value->text : '\0';
	else if (!strcmp(key, "frame"))
		return take_index(json, value, &change->frame);
	else if (!strcmp(key, "at") && !json_real(value, &change->at))
		return json_fail(json, "the time of an event is no number");
	return 0;
}

static int take_profile(struct json_input *json, int place, const char *key,
			const struct json_value *value)
{
	struct reader *reader = json_context(json);

	if (place == SAMPLE)
		return add_index(json, value);
	if (place == WEIGHTS)
		return add_weight(json, value);
	if (place == EVENT && key)
		return take_change(json, key, value);
	if (place == PROFILE && key && !strcmp(key, "name"))
		speedscope_read_set_text(&reader->name, value);
	if (place == PROFILE && key && !strcmp(key, "unit"))
		speedscope_read_set_text(&reader->unit, value);
	return 0;
}

static void clear_profile(struct reader *reader)
{
	free(reader->name);
	free(reader->unit);
	reader->name = reader->unit = NULL;
	reader->n_stacks = reader->n_ends = reader->n_weights = reader->n_changes = 0;
	reader->rest = 0;
}

static int begin_place(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);

	if (place == PROFILE)
		clear_profile(reader);
	if (place != EVENT)
		return 0;
	reader->changes = op_grow(reader->changes, &reader->changes_capacity, reader->n_changes + 1,
				  sizeof(*reader->changes));
	reader->changes[reader->n_changes++] = (struct change){.frame = UINT32_MAX};
	return 0;
}

static int end_place(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);
	const struct change *change;

	if (place == PROFILE)
		return end_profile(json);
	if (place == SAMPLE) {
		reader->ends = op_grow(reader->ends, &reader->ends_capacity, reader->n_ends + 1,
				       sizeof(*reader->ends));
		reader->ends[reader->n_ends++] = reader->n_stacks;
	}
	if (place != EVENT)
		return 0;
	change = &reader->changes[reader->n_changes - 1];
	if ((change->type != 'O' && change->type != 'C') || change->frame == UINT32_MAX)
		return json_fail(json, "an event is neither the beginning nor the end of a frame");
	return 0;
}

/* ---- all ---- */

static int read_both(struct reader *reader, struct input *input, struct op_error *error)
{
	const struct json_reader frames = {.steps = frame_steps,
					   .value = take_frame,
					   .begin = begin_frame,
					   .context = reader};
	const struct json_reader profiles = {.steps = profile_steps,
					     .value = take_profile,
					     .begin = begin_place,
					     .end = end_place,
					     .context = reader};

	if (input_seekable(input, error))
		return -1;
	/* of a damaged file, the profiles before the damage are read all the same */
	json_input_read(input, &frames, error);
	return input_seek(input, 0, error) ? -1 : json_input_read(input, &profiles, error);
}

int speedscope_read(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {.sink = sink};
	int result;

	reader.places = named_places_new(sink);
	reader.image = named_places_image(reader.places, IMAGE, false);
	reader.sample = op_alloc(PROF_DEPTH_MOST, sizeof(*reader.sample));
	result = read_both(&reader, input, error);
	if (reader.cut)
		prof_sink_note(sink, "%" PRIu64 " frames beyond %d of a stack were left out",
			       reader.cut, PROF_DEPTH_MOST);
	clear_profile(&reader);
	for (size_t i = 0; i < reader.n_frames; i++) {
		free(reader.frames[i].name);
		free(reader.frames[i].file);
	}
	named_places_free(reader.places);
	free(reader.frames);
	free(reader.stacks);
	free(reader.ends);
	free(reader.weights);
	free(reader.changes);
	free(reader.sample);
	return result;
}

int speedscope_probe(const uint8_t *bytes, size_t n)
{
	static const char *const keys[] = {"profiles", "shared", NULL};
	static const char *const schema[] = {"$schema", "shared", "profiles", "activeProfileIndex",
					     "exporter", NULL};
	const char mark[] = "speedscope.app/file-format-schema";

	if (json_keys(bytes, n, schema) && memmem(bytes, n, mark, sizeof(mark) - 1))
		return 90;
	return json_keys(bytes, n, keys) == 2 ? 60 : 0;
}
