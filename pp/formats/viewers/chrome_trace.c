// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces of Chrome and Node: JSON of events, among them CPU profiles of V8 in pieces.
 *
 *	Profile		a profile begins: its thread and startTime
 *	ProfileChunk	more nodes, samples and timeDeltas of it
 *	CpuProfile	a whole one
 *	thread_name, process_name
 *
 * Keys of an event come in any order, so that it is looked at when it ends.  Names may come last,
 * so that profiles are pushed when the file ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "pp/formats/model/format.h"
#include "v8_profile.h"

enum {
	TOP = 1,
	EVENTS,
	EVENT,
	ARGS,
	DATA,
	PROFILE,
	NODES,
	NODE,
	FUNCTION,
	CHILDREN,
	SAMPLES,
	DELTAS
};

static const struct json_step steps[] = {{JSON_TOP, NULL, TOP},
					 {TOP, NULL, EVENT},
					 {TOP, "traceEvents", EVENTS},
					 {EVENTS, NULL, EVENT},
					 {EVENT, "args", ARGS},
					 {ARGS, "data", DATA},
					 {DATA, "cpuProfile", PROFILE},
					 {DATA, "timeDeltas", DELTAS},
					 {PROFILE, "nodes", NODES},
					 {NODES, NULL, NODE},
					 {NODE, "callFrame", FUNCTION},
					 {NODE, "children", CHILDREN},
					 {PROFILE, "samples", SAMPLES},
					 {PROFILE, "timeDeltas", DELTAS},
					 {0}};

/* The event that is read; what it has of a profile is in its part. */
struct event {
	char *name, *id, *label; /* label: of a thread or process */
	int64_t pid, tid;
	struct v8_profile part;
	struct v8_function function;
};

/* A profile, by process and id. */
struct traced {
	int64_t pid, tid;
	char *id;
	struct v8_profile profile;
};

/* The name of a thread, or of a process (tid is PROF_ANY). */
struct label {
	int64_t pid, tid;
	char *text;
};

struct reader {
	struct v8_reader v8;
	struct event event;
	struct traced *traced;
	size_t n_traced, traced_capacity;
	struct op_hash by_id;
	struct label *labels;
	size_t n_labels, labels_capacity;
	struct op_hash by_thread;
};

/* ---- values ---- */

static void chrome_trace_set_text(char **text, const struct json_value *value)
{
	free(*text);
	*text = op_copy(value->text ? value->text : "");
}

static int64_t take_number(const struct json_value *value)
{
	uint64_t number;

	return json_natural(value, &number) && number <= INT32_MAX ? (int64_t)number : PROF_ANY;
}

static void take_of_event(struct event *event, const char *key, const struct json_value *value)
{
	if (!strcmp(key, "name"))
		chrome_trace_set_text(&event->name, value);
	else if (!strcmp(key, "id"))
		chrome_trace_set_text(&event->id, value);
	else if (!strcmp(key, "pid"))
		event->pid = take_number(value);
	else if (!strcmp(key, "tid"))
		event->tid = take_number(value);
}

static void take_time(struct v8_profile *part, const char *key, const struct json_value *value)
{
	if (!strcmp(key, "startTime"))
		part->has_start = v8_time(value, &part->start);
	else if (!strcmp(key, "endTime"))
		part->has_end = v8_time(value, &part->end);
}

static int take_item(struct json_input *json, int place, const struct json_value *value)
{
	struct v8_profile *part = &((struct reader *)json_context(json))->event.part;
	uint64_t id;
	int64_t ns;

	if (place == DELTAS) {
		if (!v8_time(value, &ns))
			return json_fail(json, "the time between two samples is no number of "
					       "microseconds");
		v8_profile_add_delta(part, ns);
	} else if (place == CHILDREN || place == SAMPLES) {
		if (!json_natural(value, &id))
			return json_fail(json, "the number of a node is none");
		if (place == CHILDREN)
			v8_profile_add_child(part, id);
		else
			v8_profile_add_sample(part, id);
	}
	return 0;
}

static int json_input_take(struct json_input *json, int place, const char *key,
			   const struct json_value *value)
{
	struct event *event = &((struct reader *)json_context(json))->event;

	if (!key)
		return take_item(json, place, value);
	if (place == EVENT)
		take_of_event(event, key, value);
	else if (place == ARGS && !strcmp(key, "name"))
		chrome_trace_set_text(&event->label, value);
	else if (place == DATA || place == PROFILE)
		take_time(&event->part, key, value);
	else if (place == NODE)
		v8_take_of_node(&event->part.nodes[event->part.n_nodes - 1], key, value);
	else if (place == FUNCTION)
		v8_take_of_function(&event->function, key, value);
	return 0;
}

/* ---- events ---- */

static void clear_event(struct event *event)
{
	free(event->name);
	free(event->id);
	free(event->label);
	v8_profile_clear(&event->part);
	v8_function_clear(&event->function);
	*event = (struct event){.pid = PROF_ANY, .tid = PROF_ANY};
}

static struct traced *find_traced(struct reader *reader, const struct event *event)
{
	const char *id = event->id ? event->id : "";
	uint64_t hash = op_hash_text((uint64_t)event->pid, id);
	struct traced *traced;
	uint32_t i;

	op_hash_for_each_possible (&reader->by_id, hash, i)
		if (reader->traced[i].pid == event->pid && !strcmp(reader->traced[i].id, id))
			return &reader->traced[i];
	reader->traced = op_grow(reader->traced, &reader->traced_capacity, reader->n_traced + 1,
				 sizeof(*reader->traced));
	op_hash_add_or_exit(&reader->by_id, hash, (uint32_t)reader->n_traced);
	traced = &reader->traced[reader->n_traced++];
	*traced = (struct traced){.pid = event->pid, .tid = event->tid, .id = op_copy(id)};
	return traced;
}

/* The sampler's thread writes the pieces; the thread that was sampled is that of the beginning. */
static int take_profile(struct json_input *json, struct reader *reader, bool is_begin)
{
	const struct event *event = &reader->event;
	const struct v8_profile *part = &event->part;
	struct traced *traced = find_traced(reader, event);
	const char *fault = v8_profile_append(&traced->profile, part);

	if (is_begin)
		traced->tid = event->tid;
	if (part->has_start) {
		traced->profile.has_start = true;
		traced->profile.start = part->start;
	}
	if (part->has_end) {
		traced->profile.has_end = true;
		traced->profile.end = part->end;
	}
	return fault ? json_fail(json, "%s", fault) : 0;
}

static struct label *find_label(const struct reader *reader, int64_t pid, int64_t tid)
{
	uint32_t i;

	op_hash_for_each_possible (&reader->by_thread, op_hash_mix((uint64_t)pid, (uint64_t)tid), i)
		if (reader->labels[i].pid == pid && reader->labels[i].tid == tid)
			return &reader->labels[i];
	return NULL;
}

static void take_label(struct reader *reader, bool is_thread)
{
	struct event *event = &reader->event;
	int64_t tid = is_thread ? event->tid : PROF_ANY;
	struct label *known = find_label(reader, event->pid, tid);

	if (known) {
		free(known->text);
		known->text = event->label;
		event->label = NULL;
		return;
	}
	op_hash_add_or_exit(&reader->by_thread, op_hash_mix((uint64_t)event->pid, (uint64_t)tid),
			    (uint32_t)reader->n_labels);
	reader->labels = op_grow(reader->labels, &reader->labels_capacity, reader->n_labels + 1,
				 sizeof(*reader->labels));
	reader->labels[reader->n_labels++] = (struct label){event->pid, tid, event->label};
	event->label = NULL;
}

static int end_event(struct json_input *json, struct reader *reader)
{
	const char *name = reader->event.name ? reader->event.name : "";

	if (!strcmp(name, "Profile") || !strcmp(name, "CpuProfile"))
		return take_profile(json, reader, true);
	if (!strcmp(name, "ProfileChunk"))
		return take_profile(json, reader, false);
	if (reader->event.label && !strcmp(name, "thread_name"))
		take_label(reader, true);
	else if (reader->event.label && !strcmp(name, "process_name"))
		take_label(reader, false);
	return 0;
}

static int json_input_begin(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);

	if (place == EVENT)
		clear_event(&reader->event);
	if (place != NODE)
		return 0;
	v8_function_clear(&reader->event.function);
	return v8_profile_add_node(&reader->event.part)
		       ? 0
		       : json_fail(json, "there are more nodes than can be counted");
}

static int json_input_end(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);
	struct v8_profile *part = &reader->event.part;

	if (place == NODE)
		v8_name_node(&reader->v8, &part->nodes[part->n_nodes - 1], &reader->event.function);
	return place == EVENT ? end_event(json, reader) : 0;
}

/* ---- all ---- */

/* Two profilers of one thread are no error, but whoever adds up their times should know. */
static void tell_threads(const struct reader *reader)
{
	struct op_hash met = {0};
	uint32_t other;
	size_t again = 0;

	for (size_t i = 0; i < reader->n_traced; i++) {
		const struct traced *traced = &reader->traced[i];
		uint64_t hash = op_hash_mix((uint64_t)traced->pid, (uint64_t)traced->tid);
		bool is_met = false;

		op_hash_for_each_possible (&met, hash, other)
			is_met |= reader->traced[other].pid == traced->pid &&
				  reader->traced[other].tid == traced->tid;
		again += is_met;
		if (!is_met)
			op_hash_add_or_exit(&met, hash, (uint32_t)i);
	}
	op_hash_free(&met);
	if (again)
		prof_sink_note(reader->v8.sink,
			       "%zu of %zu profiles are of a thread that has another one: their "
			       "times are added up",
			       again, reader->n_traced);
}

static int push_profiles(struct reader *reader, struct op_error *error)
{
	struct prof_sink *sink = reader->v8.sink;

	tell_threads(reader);
	for (size_t i = 0; i < reader->n_traced; i++) {
		struct traced *traced = &reader->traced[i];
		const struct label *thread = find_label(reader, traced->pid, traced->tid);
		const struct label *process = find_label(reader, traced->pid, PROF_ANY);
		const struct v8_thread of = {
			.app = process ? named_places_image(reader->v8.places, process->text, false)
				       : reader->v8.image,
			.comm = thread ? sink->string(sink, thread->text) : 0,
			.pid = traced->pid,
			.tid = traced->tid,
		};

		if (v8_profile_push(&reader->v8, &traced->profile, &of, error))
			return -1;
	}
	return 0;
}

static void free_reader(struct reader *reader)
{
	clear_event(&reader->event);
	for (size_t i = 0; i < reader->n_traced; i++) {
		free(reader->traced[i].id);
		v8_profile_clear(&reader->traced[i].profile);
	}
	for (size_t i = 0; i < reader->n_labels; i++)
		free(reader->labels[i].text);
	free(reader->traced);
	free(reader->labels);
	op_hash_free(&reader->by_id);
	op_hash_free(&reader->by_thread);
	v8_reader_close(&reader->v8);
}

static int read_trace(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {0};
	const struct json_reader json = {.steps = steps,
					 .value = json_input_take,
					 .begin = json_input_begin,
					 .end = json_input_end,
					 .context = &reader};
	struct op_error cause;
	int result;

	v8_reader_open(&reader.v8, sink);
	input_gather(input);
	result = json_input_read(input, &json, error);
	if (push_profiles(&reader, &cause) && !result)
		result = op_error_set(error, cause.code, "%s", cause.text);
	if (!result && !reader.n_traced)
		result = op_error_set(error, ENODATA,
				      "%s: the trace has no CPU profile: it was recorded without "
				      "the category disabled-by-default-v8.cpu_profiler",
				      input_name(input));
	v8_reader_tell(&reader.v8);
	free_reader(&reader);
	return result;
}

static bool has(const uint8_t *bytes, size_t n, const char *mark)
{
	return memmem(bytes, n, mark, strlen(mark));
}

/* An object with events, or an array of them. */
static int chrome_trace_probe(const uint8_t *bytes, size_t n)
{
	static const char *const keys[] = {"traceEvents", NULL};
	size_t at = 0;

	if (json_keys(bytes, n, keys))
		return 70;
	while (at < n && strchr(" \t\r\n", bytes[at]))
		at++;
	return at < n && bytes[at] == '[' && has(bytes, n, "\"ph\"") && has(bytes, n, "\"pid\"")
		       ? 60
		       : 0;
}

const struct format format_chrome_trace = {
	.name = "chrome-trace",
	.description = "traces of Chrome and Node with CPU profiles",
	.probe = chrome_trace_probe,
	.read = read_trace,
};
