// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of a thread of the Firefox Profiler: see firefox.c. */
#include "firefox.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

#define NS_PER_MS 1000000

/* ---- tables ---- */

static uint64_t hash_frame(const struct frame *frame)
{
	return op_hash_mix((uint64_t)frame->function << 32 | frame->depth, (uint64_t)frame->line);
}

static uint32_t find_frame(struct thread *thread, const struct frame *wanted)
{
	uint32_t id;

	op_hash_for_each_possible (&thread->by_frame, hash_frame(wanted), id) {
		const struct frame *frame = &thread->frames[id];

		if (frame->function == wanted->function && frame->depth == wanted->depth &&
		    frame->line == wanted->line)
			return id;
	}
	id = (uint32_t)thread->n_frames++;
	thread->frames = op_grow(thread->frames, &thread->frames_capacity, thread->n_frames,
				 sizeof(*thread->frames));
	thread->frames[id] = *wanted;
	op_hash_add_or_exit(&thread->by_frame, hash_frame(wanted), id);
	return id;
}

uint32_t firefox_add_stack(struct thread *thread, const struct named_stack *named)
{
	uint32_t stack = FUNCTION_TREE_ROOT, depth = 0;

	for (size_t i = 0; i < named->n; i++) {
		const struct named_frame *at = &named->frames[i];
		struct frame frame;

		depth = at->is_inlined ? depth + 1 : 0;
		frame = (struct frame){named_function(&thread->functions, at), depth,
				       at->line->line};
		stack = function_tree_step(&thread->stacks, i, find_frame(thread, &frame));
	}
	return stack;
}

void firefox_add_sample(struct thread *thread, const struct sample *sample)
{
	thread->samples = op_grow(thread->samples, &thread->samples_capacity, thread->n_samples + 1,
				  sizeof(*thread->samples));
	thread->samples[thread->n_samples++] = *sample;
}

void firefox_clear_thread(struct thread *thread)
{
	named_functions_free(&thread->functions);
	op_hash_free(&thread->by_frame);
	function_tree_free(&thread->stacks);
	thread->n_frames = thread->n_samples = 0;
}

void firefox_free_thread(struct thread *thread)
{
	firefox_clear_thread(thread);
	free(thread->frames);
	free(thread->samples);
}

/* ---- columns ---- */

/* "KEY":[ITEM,...], with one printf() an item. */
#define COLUMN(json, key, n, ...)                                                                  \
	do {                                                                                       \
		op_json_array(json, key);                                                          \
		for (size_t i = 0; i < (n); i++)                                                   \
			op_json_raw(json, NULL, __VA_ARGS__);                                      \
		op_json_end(json);                                                                 \
	} while (0)

/* Begins a table of @n rows. */
static void open_table(struct op_json *json, const char *key, size_t n)
{
	op_json_object(json, key);
	op_json_number(json, "length", n);
}

static bool is_kernel(const struct firefox *firefox, size_t frame)
{
	const struct thread *thread = &firefox->thread;
	uint32_t image = thread->functions.items[thread->frames[frame].function].image;

	return firefox->prof->images[image].is_kernel;
}

static int category(const struct firefox *firefox, size_t frame)
{
	return is_kernel(firefox, frame) ? CATEGORY_KERNEL : CATEGORY_USER;
}

void firefox_put_strings(struct firefox *firefox)
{
	const struct named_functions *functions = &firefox->thread.functions;
	struct op_json *json = &firefox->json;

	op_json_array(json, "stringArray");
	for (uint32_t i = 0; i < firefox->prof->n_images; i++)
		op_json_string(json, NULL, names_image(firefox->prof, i));
	for (size_t i = 0; i < functions->n; i++)
		op_json_string(json, NULL, functions->items[i].name);
	for (size_t i = 0; i < functions->n; i++) {
		const char *file = functions->items[i].file;

		op_json_string(json, NULL, file ? file : "");
	}
	op_json_end(json);
}

void firefox_put_functions(struct firefox *firefox)
{
	const struct named_functions *functions = &firefox->thread.functions;
	size_t n = functions->n, images = firefox->prof->n_images;
	struct op_json *json = &firefox->json;

	open_table(json, "funcTable", n);
	COLUMN(json, "name", n, "%zu", images + i);
	COLUMN(json, "isJS", n, "false");
	COLUMN(json, "relevantForJS", n, "false");
	COLUMN(json, "resource", n, "%" PRIu32, functions->items[i].image);
	op_json_array(json, "fileName");
	for (size_t i = 0; i < n; i++) {
		if (functions->items[i].file)
			op_json_number(json, NULL, images + n + i);
		else
			op_json_null(json, NULL);
	}
	op_json_end(json);
	COLUMN(json, "lineNumber", n, "null");
	COLUMN(json, "columnNumber", n, "null");
	op_json_end(json);
	open_table(json, "resourceTable", images);
	COLUMN(json, "lib", images, "%zu", i);
	COLUMN(json, "name", images, "%zu", i);
	COLUMN(json, "host", images, "null");
	COLUMN(json, "type", images, "1");
	op_json_end(json);
	op_json_raw(json, "nativeSymbols",
		    "{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],"
		    "\"name\":[]}");
}

void firefox_put_frames(struct firefox *firefox)
{
	const struct thread *thread = &firefox->thread;
	struct op_json *json = &firefox->json;
	size_t n = thread->n_frames;

	open_table(json, "frameTable", n);
	COLUMN(json, "address", n, "-1");
	COLUMN(json, "inlineDepth", n, "%" PRIu32, thread->frames[i].depth);
	COLUMN(json, "category", n, "%d", category(firefox, i));
	COLUMN(json, "subcategory", n, "0");
	COLUMN(json, "func", n, "%" PRIu32, thread->frames[i].function);
	COLUMN(json, "nativeSymbol", n, "null");
	COLUMN(json, "innerWindowID", n, "0");
	COLUMN(json, "implementation", n, "null");
	op_json_array(json, "line");
	for (size_t i = 0; i < n; i++) {
		if (thread->frames[i].line > 0)
			op_json_number(json, NULL, (uint64_t)thread->frames[i].line);
		else
			op_json_null(json, NULL);
	}
	op_json_end(json);
	COLUMN(json, "column", n, "null");
	op_json_end(json);
}

/* "null" or a number; good until the next call. */
static const char *index_text(uint32_t number)
{
	static char text[16];

	if (number == FUNCTION_TREE_ROOT)
		return "null";
	snprintf(text, sizeof(text), "%" PRIu32, number);
	return text;
}

void firefox_put_stacks(struct firefox *firefox)
{
	const struct function_tree *stacks = &firefox->thread.stacks;
	const struct function_tree_node *nodes = stacks->nodes;
	struct op_json *json = &firefox->json;

	open_table(json, "stackTable", stacks->n);
	COLUMN(json, "prefix", stacks->n, "%s", index_text(nodes[i].parent));
	COLUMN(json, "frame", stacks->n, "%" PRIu32, nodes[i].function);
	COLUMN(json, "category", stacks->n, "%d", category(firefox, nodes[i].function));
	COLUMN(json, "subcategory", stacks->n, "0");
	op_json_end(json);
}

double firefox_interval_of(const struct prof *prof, uint32_t event)
{
	const struct prof_value *total = &prof->totals[event];
	const char *unit = prof->events[event].unit;

	if (!unit || strcmp(unit, "nanoseconds") || !total->count)
		return 1;
	return (double)total->events / (double)total->count / 1e6;
}

/* In milliseconds. */
static void put_times(struct firefox *firefox, uint32_t event)
{
	const struct thread *thread = &firefox->thread;
	double interval = firefox_interval_of(firefox->prof, event), time = 0;
	struct op_json *json = &firefox->json;

	op_json_array(json, "time");
	for (size_t i = 0; i < thread->n_samples; i++) {
		const struct sample *sample = &thread->samples[i];

		if (firefox->stacks)
			op_json_raw(json, NULL, "%" PRIu64 ".%06" PRIu64, sample->time / NS_PER_MS,
				    sample->time % NS_PER_MS);
		else
			op_json_raw(json, NULL, "%.6f", time);
		time += interval * (double)sample->count;
	}
	op_json_end(json);
}

/* What the Firefox Profiler has a unit for; all else is a number of samples. */
static const char *weight_type(const struct firefox *firefox, uint32_t event)
{
	const char *unit = firefox->prof->events[event].unit;

	if (!firefox->weights[event] || !unit)
		return "samples";
	if (!strcmp(unit, "nanoseconds"))
		return "tracing-ms";
	return strcmp(unit, "bytes") ? "samples" : "bytes";
}

static void put_weights(struct firefox *firefox, uint32_t event, bool are_ms)
{
	const struct thread *thread = &firefox->thread;
	const char *sign = firefox->prof->events[event].is_negative ? "-" : "";
	struct op_json *json = &firefox->json;

	op_json_array(json, "weight");
	for (size_t i = 0; i < thread->n_samples; i++) {
		const struct sample *sample = &thread->samples[i];

		if (are_ms)
			op_json_raw(json, NULL, "%s%" PRIu64 ".%06" PRIu64, sign,
				    sample->events / NS_PER_MS, sample->events % NS_PER_MS);
		else
			op_json_raw(json, NULL, "%s%" PRIu64, sign,
				    firefox->weights[event] ? sample->events : sample->count);
	}
	op_json_end(json);
}

void firefox_put_samples(struct firefox *firefox, uint32_t event)
{
	const struct thread *thread = &firefox->thread;
	const char *type = weight_type(firefox, event);
	struct op_json *json = &firefox->json;

	open_table(json, "samples", thread->n_samples);
	op_json_string(json, "weightType", type);
	COLUMN(json, "stack", thread->n_samples, "%s", index_text(thread->samples[i].stack));
	put_weights(firefox, event, !strcmp(type, "tracing-ms"));
	put_times(firefox, event);
	op_json_end(json);
}
