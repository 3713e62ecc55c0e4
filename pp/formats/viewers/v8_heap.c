// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * .heapprofile files: what "node --heap-prof" and the developer tools of Chrome save of sampled
 * allocations.  Nodes stand in their parents, each with the bytes that it has allocated and that
 * live.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "pp/formats/model/format.h"
#include "v8_profile.h"

enum { TOP = 1, NODE, FUNCTION, CHILDREN, SAMPLES, SAMPLE };

static const struct json_step steps[] = {
	{JSON_TOP, NULL, TOP},	       {TOP, "head", NODE},
	{NODE, "callFrame", FUNCTION}, {NODE, "children", CHILDREN},
	{CHILDREN, NULL, NODE},	       {TOP, "samples", SAMPLES},
	{SAMPLES, NULL, SAMPLE},       {0}};

struct reader {
	struct v8_reader v8;
	struct v8_profile profile;
	struct v8_function function; /* of the node that is read */
	uint32_t node;		     /* that is read, or V8_NOBODY */
};

static int v8_heap_begin(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);
	struct v8_node *node;

	if (place != NODE)
		return 0;
	node = v8_profile_add_node(&reader->profile);
	if (!node)
		return json_fail(json, "there are more nodes than can be counted");
	node->parent = reader->node;
	reader->node = (uint32_t)reader->profile.n_nodes - 1;
	return 0;
}

static int v8_heap_end(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);
	struct v8_node *node;
	const char *fault;

	if (place != NODE && place != FUNCTION)
		return 0;
	node = &reader->profile.nodes[reader->node];
	if (place == FUNCTION) {
		v8_name_node(&reader->v8, node, &reader->function);
		v8_function_clear(&reader->function);
		return 0;
	}
	fault = v8_profile_check_node(&reader->profile, reader->node);
	reader->node = node->parent;
	return fault ? json_fail(json, "%s", fault) : 0;
}

static void v8_heap_take_of_node(struct v8_node *node, const char *key,
				 const struct json_value *value)
{
	if (!strcmp(key, "selfSize"))
		json_natural(value, &node->hits);
	else if (!strcmp(key, "id"))
		node->has_id = json_natural(value, &node->id);
}

static int v8_heap_take(struct json_input *json, int place, const char *key,
			const struct json_value *value)
{
	struct reader *reader = json_context(json);
	uint64_t id;

	if (!key)
		return 0;
	if (place == FUNCTION)
		v8_take_of_function(&reader->function, key, value);
	else if (place == NODE)
		v8_heap_take_of_node(&reader->profile.nodes[reader->node], key, value);
	else if (place == SAMPLE && !strcmp(key, "nodeId") && json_natural(value, &id))
		v8_profile_add_sample(&reader->profile, id);
	return 0;
}

static int read_heap(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {.node = V8_NOBODY};
	const struct json_reader json = {.steps = steps,
					 .value = v8_heap_take,
					 .begin = v8_heap_begin,
					 .end = v8_heap_end,
					 .context = &reader};
	const struct prof_host host = {.tool = "V8"};
	struct v8_thread thread = {.pid = PROF_ANY, .tid = PROF_ANY};
	struct op_error cause;
	int result;

	v8_reader_open(&reader.v8, sink);
	sink->host(sink, &host);
	thread.app = reader.v8.image;
	input_gather(input);
	result = json_input_read(input, &json, error);
	if (v8_profile_push_sizes(&reader.v8, &reader.profile, &thread, &cause) && !result)
		result = op_error_set(error, cause.code, "%s", cause.text);
	v8_reader_tell(&reader.v8);
	v8_reader_close(&reader.v8);
	v8_profile_clear(&reader.profile);
	v8_function_clear(&reader.function);
	return result;
}

static int v8_heap_probe(const uint8_t *bytes, size_t n)
{
	static const char *const keys[] = {"head", NULL};
	const char mark[] = "\"callFrame\"";

	return json_keys(bytes, n, keys) && memmem(bytes, n, mark, sizeof(mark) - 1) ? 80 : 0;
}

const struct format format_v8_heap = {
	.name = "v8-heap",
	.description = ".heapprofile of Node and Chrome",
	.probe = v8_heap_probe,
	.read = read_heap,
};
