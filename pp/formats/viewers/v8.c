// SPDX-License-Identifier: GPL-2.0-or-later
/* .cpuprofile files: what "node --cpu-prof" and the developer tools of Chrome save. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pp/formats/model/format.h"
#include "v8_profile.h"

enum { TOP = 1, NODES, NODE, FUNCTION, CHILDREN, TICKS, TICK, SAMPLES, DELTAS };

static const struct json_step steps[] = {{JSON_TOP, NULL, TOP},
					 {TOP, "nodes", NODES},
					 {NODES, NULL, NODE},
					 {NODE, "callFrame", FUNCTION},
					 {NODE, "children", CHILDREN},
					 {TOP, "samples", SAMPLES},
					 {NODE, "positionTicks", TICKS},
					 {TICKS, NULL, TICK},
					 {TOP, "timeDeltas", DELTAS},
					 {0}};

struct reader {
	struct v8_reader v8;
	struct v8_profile profile;
	struct v8_function function; /* of the node that is read */
	uint64_t line, ticks;	     /* of the tick that is read */
};

static struct v8_node *last_node(struct reader *reader)
{
	return &reader->profile.nodes[reader->profile.n_nodes - 1];
}

static int v8_begin(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);

	if (place == TICK)
		reader->line = reader->ticks = 0;
	if (place != NODE)
		return 0;
	v8_function_clear(&reader->function);
	return v8_profile_add_node(&reader->profile)
		       ? 0
		       : json_fail(json, "there are more nodes than can be counted");
}

static int v8_end(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);
	const char *fault;

	if (place == TICK)
		v8_profile_add_ticks(&reader->profile, reader->line, reader->ticks);
	if (place != NODE)
		return 0;
	fault = v8_profile_check_node(&reader->profile, reader->profile.n_nodes - 1);
	if (fault)
		return json_fail(json, "%s", fault);
	v8_name_node(&reader->v8, last_node(reader), &reader->function);
	return 0;
}

/* An element of an array. */
static int take_item(struct json_input *json, int place, const struct json_value *value)
{
	struct reader *reader = json_context(json);
	uint64_t id;
	int64_t ns;

	if (place == DELTAS) {
		if (!v8_time(value, &ns))
			return json_fail(json, "the time between two samples is no number of "
					       "microseconds");
		v8_profile_add_delta(&reader->profile, ns);
	} else if (!json_natural(value, &id)) {
		return json_fail(json, "the number of a node is none");
	} else if (place == CHILDREN) {
		v8_profile_add_child(&reader->profile, id);
	} else {
		v8_profile_add_sample(&reader->profile, id);
	}
	return 0;
}

static int take_time(struct json_input *json, const char *key, const struct json_value *value)
{
	struct v8_profile *profile = &((struct reader *)json_context(json))->profile;
	bool is_start = !strcmp(key, "startTime");

	if (!is_start && strcmp(key, "endTime") != 0)
		return 0;
	if (!v8_time(value, is_start ? &profile->start : &profile->end))
		return json_fail(json, "%s is no number of microseconds", key);
	profile->has_start |= is_start;
	profile->has_end |= !is_start;
	return 0;
}

static int v8_take(struct json_input *json, int place, const char *key,
		   const struct json_value *value)
{
	struct reader *reader = json_context(json);

	if (place == CHILDREN || place == SAMPLES || place == DELTAS)
		return take_item(json, place, value);
	if (!key)
		return 0;
	if (place == NODE)
		v8_take_of_node(last_node(reader), key, value);
	else if (place == FUNCTION)
		v8_take_of_function(&reader->function, key, value);
	else if (place == TICK && !strcmp(key, "line"))
		json_natural(value, &reader->line);
	else if (place == TICK && !strcmp(key, "ticks"))
		json_natural(value, &reader->ticks);
	return place == TOP ? take_time(json, key, value) : 0;
}

static int push_all(struct reader *reader, struct input *input, struct op_error *error)
{
	struct v8_profile *profile = &reader->profile;
	const struct v8_thread thread = {.app = reader->v8.image, .pid = PROF_ANY, .tid = PROF_ANY};
	const struct prof_host host = {
		.tool = "V8",
		.duration = profile->has_start && profile->has_end && profile->end > profile->start
				    ? (uint64_t)profile->end - (uint64_t)profile->start
				    : 0,
	};

	reader->v8.sink->host(reader->v8.sink, &host);
	if (profile->n_samples && profile->n_deltas != profile->n_samples)
		return input_fail(input, error, EINVAL, input_offset(input),
				  "there are %zu samples and %zu times between them",
				  profile->n_samples, profile->n_deltas);
	return v8_profile_push(&reader->v8, profile, &thread, error);
}

static int read_v8(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {0};
	struct v8_profile *profile = &reader.profile;
	const struct json_reader json = {.steps = steps,
					 .value = v8_take,
					 .begin = v8_begin,
					 .end = v8_end,
					 .context = &reader};
	struct op_error cause;
	int result;

	v8_reader_open(&reader.v8, sink);
	input_gather(input);
	result = json_input_read(input, &json, error);
	/* of a damaged file, what is there of both */
	if (result && profile->n_deltas < profile->n_samples)
		profile->n_samples = profile->n_deltas;
	if (result)
		profile->n_deltas = profile->n_samples;
	if (push_all(&reader, input, &cause) && !result)
		result = op_error_set(error, cause.code, "%s", cause.text);
	v8_reader_tell(&reader.v8);
	v8_reader_close(&reader.v8);
	v8_profile_clear(profile);
	v8_function_clear(&reader.function);
	return result;
}

static int v8_probe(const uint8_t *bytes, size_t n)
{
	static const char *const keys[] = {"nodes", NULL};
	const char mark[] = "\"callFrame\"";

	return json_keys(bytes, n, keys) && memmem(bytes, n, mark, sizeof(mark) - 1) ? 80 : 0;
}

const struct format format_v8 = {
	.name = "v8",
	.description = ".cpuprofile of Node and Chrome",
	.probe = v8_probe,
	.read = read_v8,
};
