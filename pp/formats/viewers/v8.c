// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPU profiles of V8 (.cpuprofile): what "node --cpu-prof" and the developer tools of Chrome save.
 *
 * A tree of nodes, each a function as its parent calls it, and then the node of each sample and the
 * time since the sample before.  A sample stands for the time until the next one, as it does for
 * the developer tools.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "pp/formats/model/format.h"
#include "pp/formats/model/json_input.h"
#include "pp/formats/model/named_places.h"

#define IMAGE  "v8"
#define NOBODY UINT32_MAX
#define NS_PER_US 1000
#define TIME_MOST (INT64_C(1) << 52) /* us, so that it is a number of ns, too */

enum { TOP = 1, NODES, NODE, FUNCTION, CHILDREN, SAMPLES, DELTAS };

static const struct json_step steps[] = {
	{JSON_TOP, NULL, TOP},	     {TOP, "nodes", NODES},	    {NODES, NULL, NODE},
	{NODE, "callFrame", FUNCTION}, {NODE, "children", CHILDREN}, {TOP, "samples", SAMPLES},
	{TOP, "timeDeltas", DELTAS},   {0}};

struct node {
	uint64_t id, hits, parent_id; /* parent_id: if the node says it */
	bool has_parent_id, is_root;
	uint32_t parent;
	struct prof_frame frame;
};

struct child {
	uint32_t parent;
	uint64_t id;
};

struct reader {
	struct prof_sink *sink;
	struct named_places *places;
	uint32_t image;
	struct node *nodes;
	size_t n_nodes, nodes_capacity;
	struct op_hash by_id;
	struct child *children;
	size_t n_children, children_capacity;
	uint64_t *samples;
	size_t n_samples, samples_capacity;
	int64_t *deltas; /* us */
	size_t n_deltas, deltas_capacity;
	uint64_t start, end; /* us */

	char *name, *url; /* of the node that is read */
	uint64_t line;
	struct prof_frame *frames;
	uint64_t backward, strange, cut; /* deltas, samples without a node, frames */
};

/* ---- nodes ---- */

static void set_text(char **text, const struct json_value *value)
{
	free(*text);
	*text = pp_copy(value->is_string ? value->text : "");
}

static uint32_t find_node(const struct reader *reader, uint64_t id)
{
	uint32_t i;

	op_hash_for_each_possible (&reader->by_id, op_hash_mix(0, id), i)
		if (reader->nodes[i].id == id)
			return i;
	return NOBODY;
}

/* Functions without a name are told apart by their lines, which count from 0. */
static void name_node(struct reader *reader, struct node *node)
{
	const char *url = reader->url ? reader->url : "", *name = reader->name ? reader->name : "";
	char *anonymous = pp_format("(anonymous):%" PRIu64, reader->line + 1);
	struct prof_line line = {.function = *name ? name : anonymous, .file = *url ? url : NULL};
	uint32_t image = reader->image;

	if (!strncmp(url, "file://", 7))
		url += 7;
	if (*url)
		image = named_places_image(reader->places, url, false);
	line.start_line = *url && reader->line < INT32_MAX ? (int64_t)reader->line + 1 : 0;
	node->frame = named_places_frame(reader->places, image, &line, false);
	node->is_root = !*url && !strcmp(name, "(root)");
	free(anonymous);
}

static int begin(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);

	if (place != NODE)
		return 0;
	if (reader->n_nodes >= NOBODY - 1)
		return json_fail(json, "there are more nodes than can be counted");
	free(reader->name);
	free(reader->url);
	reader->name = reader->url = NULL;
	reader->line = 0;
	reader->nodes = pp_grow(reader->nodes, &reader->nodes_capacity, reader->n_nodes + 1,
				sizeof(*reader->nodes));
	reader->nodes[reader->n_nodes++] = (struct node){.id = UINT64_MAX, .parent = NOBODY};
	return 0;
}

static int end(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);
	struct node *node = place == NODE ? &reader->nodes[reader->n_nodes - 1] : NULL;

	if (!node)
		return 0;
	if (node->id == UINT64_MAX)
		return json_fail(json, "a node has no id");
	if (find_node(reader, node->id) != NOBODY)
		return json_fail(json, "there are two nodes %" PRIu64, node->id);
	pp_hash_add(&reader->by_id, op_hash_mix(0, node->id), (uint32_t)reader->n_nodes - 1);
	name_node(reader, node);
	return 0;
}

static void take_of_node(struct reader *reader, const char *key, const struct json_value *value)
{
	struct node *node = &reader->nodes[reader->n_nodes - 1];

	if (!strcmp(key, "id"))
		json_natural(value, &node->id);
	else if (!strcmp(key, "hitCount"))
		json_natural(value, &node->hits);
	else if (!strcmp(key, "parent"))
		node->has_parent_id = json_natural(value, &node->parent_id);
}

static void take_of_function(struct reader *reader, const char *key, const struct json_value *value)
{
	if (!strcmp(key, "functionName"))
		set_text(&reader->name, value);
	else if (!strcmp(key, "url"))
		set_text(&reader->url, value);
	else if (!strcmp(key, "lineNumber"))
		json_natural(value, &reader->line);
}

/* ---- samples ---- */

static int add_child(struct json_input *json, const struct json_value *value)
{
	struct reader *reader = json_context(json);
	struct child child = {(uint32_t)reader->n_nodes - 1, 0};

	if (!json_natural(value, &child.id))
		return json_fail(json, "the number of a child is none");
	reader->children = pp_grow(reader->children, &reader->children_capacity,
				   reader->n_children + 1, sizeof(child));
	reader->children[reader->n_children++] = child;
	return 0;
}

static int add_sample(struct json_input *json, const struct json_value *value)
{
	struct reader *reader = json_context(json);

	reader->samples = pp_grow(reader->samples, &reader->samples_capacity,
				  reader->n_samples + 1, sizeof(*reader->samples));
	if (!json_natural(value, &reader->samples[reader->n_samples++]))
		return json_fail(json, "the node of a sample is no number");
	return 0;
}

static int add_delta(struct json_input *json, const struct json_value *value)
{
	struct reader *reader = json_context(json);
	double delta;

	if (!json_real(value, &delta) || delta > (double)TIME_MOST ||
	    delta < -(double)TIME_MOST)
		return json_fail(json, "the time between two samples is no number of microseconds");
	reader->deltas = pp_grow(reader->deltas, &reader->deltas_capacity, reader->n_deltas + 1,
				 sizeof(*reader->deltas));
	reader->deltas[reader->n_deltas++] = (int64_t)delta;
	return 0;
}

static void take_time(const struct json_value *value, uint64_t *time)
{
	uint64_t number;

	if (json_natural(value, &number) && number <= TIME_MOST)
		*time = number;
}

static int take(struct json_input *json, int place, const char *key, const struct json_value *value)
{
	struct reader *reader = json_context(json);

	if (place == CHILDREN)
		return add_child(json, value);
	if (place == SAMPLES)
		return add_sample(json, value);
	if (place == DELTAS)
		return add_delta(json, value);
	if (!key)
		return 0;
	if (place == NODE)
		take_of_node(reader, key, value);
	else if (place == FUNCTION)
		take_of_function(reader, key, value);
	else if (place == TOP && !strcmp(key, "startTime"))
		take_time(value, &reader->start);
	else if (place == TOP && !strcmp(key, "endTime"))
		take_time(value, &reader->end);
	return 0;
}

/* ---- all together ---- */

static void link_nodes(struct reader *reader)
{
	for (size_t i = 0; i < reader->n_children; i++) {
		uint32_t child = find_node(reader, reader->children[i].id);

		if (child != NOBODY)
			reader->nodes[child].parent = reader->children[i].parent;
	}
	for (size_t i = 0; i < reader->n_nodes; i++)
		if (reader->nodes[i].has_parent_id)
			reader->nodes[i].parent = find_node(reader, reader->nodes[i].parent_id);
}

static int push(struct reader *reader, uint32_t node, const struct prof_value *value, uint64_t time,
		struct op_error *error)
{
	struct prof_sample sample = {.frames = reader->frames,
				     .values = value,
				     .n_values = 1,
				     .app = reader->image,
				     .pid = PROF_ANY,
				     .tid = PROF_ANY,
				     .cpu = PROF_ANY,
				     .time = time};

	for (; node != NOBODY && !reader->nodes[node].is_root; node = reader->nodes[node].parent) {
		if (sample.depth == PROF_DEPTH_MOST) {
			reader->cut++;
			break;
		}
		reader->frames[sample.depth] = reader->nodes[node].frame;
		reader->frames[sample.depth].offset += sample.depth > 0;
		sample.depth++;
	}
	return reader->sink->sample(reader->sink, &sample, error);
}

/* How long sample @i lasts, in us; times may go back where threads of V8 disagree. */
static uint64_t duration(struct reader *reader, size_t i, int64_t time)
{
	int64_t until = time > 0 ? (int64_t)reader->end - time : 0;

	if (i + 1 < reader->n_deltas)
		until = reader->deltas[i + 1];
	reader->backward += until < 0;
	return until > 0 ? (uint64_t)until : 0;
}

static int push_samples(struct reader *reader, struct op_error *error)
{
	const struct prof_event event = {
		.name = "time", .unit = "nanoseconds", .type = PROF_NO_TYPE};
	struct prof_value value = {.event = reader->sink->event(reader->sink, &event), .count = 1};
	int64_t time = (int64_t)reader->start;

	for (size_t i = 0; i < reader->n_samples; i++) {
		uint32_t node = find_node(reader, reader->samples[i]);

		if (__builtin_add_overflow(time, reader->deltas[i], &time) || time > TIME_MOST)
			time = TIME_MOST;
		value.events = duration(reader, i, time) * NS_PER_US;
		reader->strange += node == NOBODY;
		if (push(reader, node, &value, time > 0 ? (uint64_t)time * NS_PER_US : 0, error))
			return -1;
	}
	return 0;
}

/* Profiles without single samples. */
static int push_hits(struct reader *reader, struct op_error *error)
{
	const struct prof_event event = {.name = "samples", .period = 1, .type = PROF_NO_TYPE};
	struct prof_value value = {.event = reader->sink->event(reader->sink, &event)};

	for (uint32_t i = 0; i < reader->n_nodes; i++) {
		value.count = value.events = reader->nodes[i].hits;
		if (value.count && push(reader, i, &value, 0, error))
			return -1;
	}
	return 0;
}

static int push_all(struct reader *reader, struct input *input, struct op_error *error)
{
	const struct prof_host host = {
		.tool = "V8",
		.duration = reader->end > reader->start
				    ? (reader->end - reader->start) * NS_PER_US
				    : 0,
	};

	reader->sink->host(reader->sink, &host);
	link_nodes(reader);
	if (!reader->n_samples)
		return push_hits(reader, error);
	if (reader->n_deltas != reader->n_samples)
		return input_fail(input, error, EINVAL, input_offset(input),
				  "there are %zu samples and %zu times between them",
				  reader->n_samples, reader->n_deltas);
	return push_samples(reader, error);
}

static void tell(const struct reader *reader)
{
	if (reader->backward)
		prof_sink_note(reader->sink,
			       "%" PRIu64 " samples are older than the one before: they count no "
			       "time",
			       reader->backward);
	if (reader->strange)
		prof_sink_note(reader->sink,
			       "%" PRIu64 " samples are of a node that is not there: they have no "
			       "function",
			       reader->strange);
	if (reader->cut)
		prof_sink_note(reader->sink, "%" PRIu64 " stacks were cut off after %d frames",
			       reader->cut, PROF_DEPTH_MOST);
}

static int read_v8(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {.sink = sink};
	const struct json_reader json = {
		.steps = steps, .value = take, .begin = begin, .end = end, .context = &reader};
	struct op_error cause;
	int result;

	reader.places = named_places_new(sink);
	reader.image = named_places_image(reader.places, IMAGE, false);
	reader.frames = pp_alloc(PROF_DEPTH_MOST, sizeof(*reader.frames));
	input_gather(input);
	result = json_input_read(input, &json, error);
	/* of a damaged file, what is there of both */
	if (result && reader.n_deltas < reader.n_samples)
		reader.n_samples = reader.n_deltas;
	if (result)
		reader.n_deltas = reader.n_samples;
	if (push_all(&reader, input, &cause) && !result)
		result = op_error_set(error, cause.code, "%s", cause.text);
	tell(&reader);
	named_places_free(reader.places);
	op_hash_free(&reader.by_id);
	free(reader.nodes);
	free(reader.children);
	free(reader.samples);
	free(reader.deltas);
	free(reader.name);
	free(reader.url);
	free(reader.frames);
	return result;
}

static int probe(const uint8_t *bytes, size_t n)
{
	static const char *const keys[] = {"nodes", NULL};
	const char mark[] = "\"callFrame\"";

	return json_keys(bytes, n, keys) && memmem(bytes, n, mark, sizeof(mark) - 1) ? 80 : 0;
}

const struct format format_v8 = {
	.name = "v8",
	.description = ".cpuprofile of Node and Chrome",
	.probe = probe,
	.read = read_v8,
};
