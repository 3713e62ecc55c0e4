// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU profiles of V8: see v8_profile.h. */
#include "v8_profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/search.h"

#define IMAGE	  "v8"
#define NS_PER_US 1000

/* Of a node: their number times a step is less than 2^64. */
#define V8_TICKS_MOST (UINT64_C(1) << 32)

void v8_reader_open(struct v8_reader *reader, struct prof_sink *sink)
{
	*reader = (struct v8_reader){.sink = sink, .places = named_places_new(sink)};
	reader->image = named_places_image(reader->places, IMAGE, false);
	reader->frames = op_alloc(PROF_DEPTH_MOST, sizeof(*reader->frames));
}

void v8_reader_close(struct v8_reader *reader)
{
	named_places_free(reader->places);
	free(reader->frames);
}

void v8_reader_tell(const struct v8_reader *reader)
{
	if (reader->backward)
		prof_sink_note(reader->sink,
			       "%" PRIu64 " samples are older than the one before: they were put "
			       "in the order of time",
			       reader->backward);
	if (reader->strange)
		prof_sink_note(reader->sink,
			       "%" PRIu64 " samples are of a node that is not there: they have no "
			       "function",
			       reader->strange);
	if (reader->astray)
		prof_sink_note(reader->sink,
			       "%" PRIu64 " allocations are of a node that is not there: they are "
			       "left out",
			       reader->astray);
	if (reader->cut)
		prof_sink_note(reader->sink, "%" PRIu64 " stacks were cut off after %d frames",
			       reader->cut, PROF_DEPTH_MOST);
}

/* ---- members ---- */

/* A double of a time since 1970 in ns would be off by 256: what is whole is kept apart. */
bool v8_time(const struct json_value *value, int64_t *ns)
{
	const int64_t us_most = V8_TIME_MOST / NS_PER_US;
	double time, whole;

	if (!json_real(value, &time) || fabs(time) > (double)us_most)
		return false;
	whole = floor(time);
	*ns = (int64_t)whole * NS_PER_US + llround((time - whole) * NS_PER_US);
	return true;
}

void v8_take_of_node(struct v8_node *node, const char *key, const struct json_value *value)
{
	if (!strcmp(key, "id"))
		node->has_id = json_natural(value, &node->id);
	else if (!strcmp(key, "hitCount"))
		json_natural(value, &node->hits);
	else if (!strcmp(key, "parent"))
		node->has_parent_id = json_natural(value, &node->parent_id);
}

static void v8_profile_set_text(char **text, const struct json_value *value)
{
	free(*text);
	*text = op_copy(value->is_string ? value->text : "");
}

void v8_take_of_function(struct v8_function *function, const char *key,
			 const struct json_value *value)
{
	if (!strcmp(key, "functionName"))
		v8_profile_set_text(&function->name, value);
	else if (!strcmp(key, "url"))
		v8_profile_set_text(&function->url, value);
	else if (!strcmp(key, "lineNumber"))
		json_natural(value, &function->line);
}

void v8_function_clear(struct v8_function *function)
{
	free(function->name);
	free(function->url);
	*function = (struct v8_function){0};
}

/* ---- nodes ---- */

/* Functions without a name are told apart by their lines, which count from 0. */
void v8_name_node(struct v8_reader *reader, struct v8_node *node,
		  const struct v8_function *function)
{
	const char *url = function->url ? function->url : "";
	const char *name = function->name ? function->name : "";
	char *anonymous = op_format("(anonymous):%" PRIu64, function->line + 1);
	struct prof_line line = {.function = *name ? name : anonymous, .file = *url ? url : NULL};
	uint32_t image = reader->image;

	if (!strncmp(url, "file://", 7))
		url += 7;
	if (*url)
		image = named_places_image(reader->places, url, false);
	line.start_line = *url && function->line < INT32_MAX ? (int64_t)function->line + 1 : 0;
	node->frame = named_places_frame(reader->places, image, &line, false);
	node->is_root = !*url && !strcmp(name, "(root)");
	free(anonymous);
}

static uint32_t find_node(const struct v8_profile *profile, uint64_t id)
{
	uint32_t i;

	op_hash_for_each_possible (&profile->by_id, op_hash_mix(0, id), i)
		if (profile->nodes[i].id == id)
			return i;
	return V8_NOBODY;
}

struct v8_node *v8_profile_add_node(struct v8_profile *profile)
{
	struct v8_node *node;

	if (profile->n_nodes >= V8_NOBODY - 1)
		return NULL;
	profile->nodes = op_grow(profile->nodes, &profile->nodes_capacity, profile->n_nodes + 1,
				 sizeof(*profile->nodes));
	node = &profile->nodes[profile->n_nodes++];
	*node = (struct v8_node){.parent = V8_NOBODY};
	return node;
}

const char *v8_profile_check_node(struct v8_profile *profile, size_t i)
{
	const struct v8_node *node = &profile->nodes[i];

	if (!node->has_id)
		return "a node has no id";
	if (find_node(profile, node->id) != V8_NOBODY)
		return "two nodes have the same id";
	op_hash_add_or_exit(&profile->by_id, op_hash_mix(0, node->id), (uint32_t)i);
	return NULL;
}

void v8_profile_add_child(struct v8_profile *profile, uint64_t id)
{
	profile->children = op_grow(profile->children, &profile->children_capacity,
				    profile->n_children + 1, sizeof(*profile->children));
	profile->children[profile->n_children++] =
		(struct v8_child){(uint32_t)profile->n_nodes - 1, id};
}

static void link_nodes(struct v8_profile *profile)
{
	for (size_t i = 0; i < profile->n_children; i++) {
		uint32_t child = find_node(profile, profile->children[i].id);

		if (child != V8_NOBODY)
			profile->nodes[child].parent = profile->children[i].parent;
	}
	for (size_t i = 0; i < profile->n_nodes; i++)
		if (profile->nodes[i].has_parent_id)
			profile->nodes[i].parent = find_node(profile, profile->nodes[i].parent_id);
}

/* ---- lines ---- */

void v8_profile_add_ticks(struct v8_profile *profile, uint64_t line, uint64_t ticks)
{
	struct v8_node *node = &profile->nodes[profile->n_nodes - 1];
	uint64_t before = node->n_ticks ? profile->ticks[profile->n_ticks - 1].ticks : 0;

	if (!line || line > INT32_MAX || !ticks || ticks > V8_TICKS_MOST - before)
		return;
	if (!node->n_ticks++)
		node->first_tick = profile->n_ticks;
	profile->ticks = op_grow(profile->ticks, &profile->ticks_capacity, profile->n_ticks + 1,
				 sizeof(*profile->ticks));
	profile->ticks[profile->n_ticks++] = (struct v8_tick){line, before + ticks};
}

static uint64_t ticks_of(const struct v8_profile *profile, const struct v8_node *node)
{
	return node->n_ticks ? profile->ticks[node->first_tick + node->n_ticks - 1].ticks : 0;
}

/* The line of tick number @tick of a node that has more. */
static uint64_t line_of_tick(const struct v8_profile *profile, const struct v8_node *node,
			     uint64_t tick)
{
	const struct v8_tick *ticks = profile->ticks + node->first_tick;

	return ticks[op_first_above(ticks, node->n_ticks, ticks, tick)].line;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * The line of the next sample of a node; 0: not known.  V8 says how many samples were at each line,
 * but not which.  Each line gets as many as it had, dealt out in steps, so that the time that they
 * stand for is near the average.
 */
static uint64_t deal_line(const struct v8_profile *profile, struct v8_node *node)
{
	uint64_t n = ticks_of(profile, node), step = n * 5 / 8;

	if (node->n_dealt >= n)
		return 0;
	while (!step || greatest_divisor(n, step) != 1)
		step++;
	return line_of_tick(profile, node, node->n_dealt++ * step % n);
}

/* ---- samples ---- */

void v8_profile_add_sample(struct v8_profile *profile, uint64_t id)
{
	profile->samples = op_grow(profile->samples, &profile->samples_capacity,
				   profile->n_samples + 1, sizeof(*profile->samples));
	profile->samples[profile->n_samples++] = id;
}

void v8_profile_add_delta(struct v8_profile *profile, int64_t ns)
{
	profile->deltas = op_grow(profile->deltas, &profile->deltas_capacity, profile->n_deltas + 1,
				  sizeof(*profile->deltas));
	profile->deltas[profile->n_deltas++] = ns;
}

/* @line: of the function itself; 0: not known. */
static int push_node(struct v8_reader *reader, const struct v8_profile *profile, uint32_t node,
		     uint64_t line, struct prof_sample *sample, struct op_error *error)
{
	sample->depth = 0;
	for (; node != V8_NOBODY && !profile->nodes[node].is_root;
	     node = profile->nodes[node].parent) {
		if (sample->depth == PROF_DEPTH_MOST) {
			reader->cut++;
			break;
		}
		reader->frames[sample->depth] = profile->nodes[node].frame;
		reader->frames[sample->depth].offset += sample->depth > 0;
		sample->depth++;
	}
	if (sample->depth)
		reader->frames[0] =
			named_places_at_line(reader->places, &reader->frames[0], (int64_t)line);
	return reader->sink->sample(reader->sink, sample, error);
}

struct moment {
	int64_t time;
	size_t number;
};

static int compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int64_t add_bounded(int64_t time, int64_t delta)
{
	if (__builtin_add_overflow(time, delta, &time) || time > V8_TIME_MOST)
		return delta < 0 ? -V8_TIME_MOST : V8_TIME_MOST;
	return time < -V8_TIME_MOST ? -V8_TIME_MOST : time;
}

/* Times go back where threads of V8 disagree. */
static struct moment *sort_samples(struct v8_reader *reader, const struct v8_profile *profile)
{
	struct moment *moments = op_alloc(profile->n_samples, sizeof(*moments));
	int64_t time = profile->start;

	for (size_t i = 0; i < profile->n_samples; i++) {
		time = add_bounded(time, profile->deltas[i]);
		moments[i] = (struct moment){time, i};
		reader->backward += i && profile->deltas[i] < 0;
	}
	qsort(moments, profile->n_samples, sizeof(*moments), compare_moments);
	return moments;
}

static struct prof_sample sample_of(const struct v8_reader *reader, const struct v8_thread *thread)
{
	return (struct prof_sample){.frames = reader->frames,
				    .n_values = 1,
				    .app = thread->app,
				    .comm = thread->comm,
				    .pid = thread->pid,
				    .tid = thread->tid,
				    .cpu = PROF_ANY};
}

static int push_samples(struct v8_reader *reader, struct v8_profile *profile,
			const struct v8_thread *thread, struct op_error *error)
{
	const struct prof_event event = {
		.name = "time", .unit = "nanoseconds", .type = PROF_NO_TYPE};
	struct prof_value value = {.event = reader->sink->event(reader->sink, &event), .count = 1};
	struct prof_sample sample = sample_of(reader, thread);
	struct moment *moments = sort_samples(reader, profile);
	int result = 0;

	sample.values = &value;
	for (size_t i = 0; !result && i < profile->n_samples; i++) {
		uint32_t node = find_node(profile, profile->samples[moments[i].number]);
		int64_t time = moments[i].time, end = time;
		uint64_t line;

		if (i + 1 < profile->n_samples)
			end = moments[i + 1].time;
		else if (profile->has_start && profile->has_end && profile->end > time)
			end = profile->end;
		value.events = (uint64_t)end - (uint64_t)time;
		sample.time = time > 0 ? (uint64_t)time : 0;
		reader->strange += node == V8_NOBODY;
		line = node == V8_NOBODY ? 0 : deal_line(profile, &profile->nodes[node]);
		result = push_node(reader, profile, node, line, &sample, error);
	}
	free(moments);
	return result;
}

/* Profiles without single samples. */
static int push_hits(struct v8_reader *reader, const struct v8_profile *profile,
		     const struct v8_thread *thread, struct op_error *error)
{
	const struct prof_event event = {.name = "samples", .period = 1, .type = PROF_NO_TYPE};
	struct prof_value value = {.event = reader->sink->event(reader->sink, &event)};
	struct prof_sample sample = sample_of(reader, thread);

	sample.values = &value;
	for (uint32_t i = 0; i < profile->n_nodes; i++) {
		const struct v8_node *node = &profile->nodes[i];
		uint64_t known = ticks_of(profile, node), before = 0;

		for (size_t k = 0; known <= node->hits && k < node->n_ticks; k++) {
			const struct v8_tick *tick = &profile->ticks[node->first_tick + k];

			value.count = value.events = tick->ticks - before;
			before = tick->ticks;
			if (push_node(reader, profile, i, tick->line, &sample, error))
				return -1;
		}
		value.count = value.events = node->hits - before;
		if (value.count && push_node(reader, profile, i, 0, &sample, error))
			return -1;
	}
	return 0;
}

int v8_profile_push(struct v8_reader *reader, struct v8_profile *profile,
		    const struct v8_thread *thread, struct op_error *error)
{
	link_nodes(profile);
	return profile->n_samples ? push_samples(reader, profile, thread, error)
				  : push_hits(reader, profile, thread, error);
}

int v8_profile_push_sizes(struct v8_reader *reader, struct v8_profile *profile,
			  const struct v8_thread *thread, struct op_error *error)
{
	const struct prof_event event = {
		.name = "inuse_space", .unit = "bytes", .type = PROF_NO_TYPE};
	struct prof_value value = {.event = reader->sink->event(reader->sink, &event)};
	struct prof_sample sample = sample_of(reader, thread);
	uint64_t *counts = op_alloc(profile->n_nodes, sizeof(*counts));
	int result = 0;

	sample.values = &value;
	for (size_t i = 0; i < profile->n_samples; i++) {
		uint32_t node = find_node(profile, profile->samples[i]);

		reader->astray += node == V8_NOBODY;
		if (node != V8_NOBODY)
			counts[node]++;
	}
	for (uint32_t i = 0; !result && i < profile->n_nodes; i++) {
		value.count = counts[i] ? counts[i] : 1;
		value.events = profile->nodes[i].hits;
		if (value.events)
			result = push_node(reader, profile, i, 0, &sample, error);
	}
	free(counts);
	return result;
}

const char *v8_profile_append(struct v8_profile *profile, const struct v8_profile *part)
{
	size_t first = profile->n_nodes;
	const char *fault = NULL;

	for (size_t i = 0; !fault && i < part->n_nodes; i++) {
		struct v8_node *node = v8_profile_add_node(profile);

		if (!node)
			return "there are more nodes than can be counted";
		*node = part->nodes[i];
		fault = v8_profile_check_node(profile, first + i);
	}
	for (size_t i = 0; !fault && i < part->n_children; i++) {
		profile->children = op_grow(profile->children, &profile->children_capacity,
					    profile->n_children + 1, sizeof(*profile->children));
		profile->children[profile->n_children++] = (struct v8_child){
			part->children[i].parent + (uint32_t)first, part->children[i].id};
	}
	for (size_t i = 0; i < part->n_samples && i < part->n_deltas; i++) {
		v8_profile_add_sample(profile, part->samples[i]);
		v8_profile_add_delta(profile, part->deltas[i]);
	}
	return fault;
}

void v8_profile_clear(struct v8_profile *profile)
{
	op_hash_free(&profile->by_id);
	free(profile->nodes);
	free(profile->children);
	free(profile->ticks);
	free(profile->samples);
	free(profile->deltas);
	*profile = (struct v8_profile){0};
}
