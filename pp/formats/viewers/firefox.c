// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON of the Firefox Profiler: its "processed profile" format, version 48.
 *
 * A thread for each program (process, thread) and event; in it, tables of columns that refer to
 * each other by index.  Samples have weights.  If the profile has the times of samples, there is
 * one for each moment, at its distance from the first of all; else one for each stack, at the time
 * that those before it took.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pp/formats/model/format.h"
#include "pp/formats/model/timeline.h"
#include "libop/base/hash.h"
#include "pp/formats/session/named_stack.h"
#include "libop/text/json.h"
#include "libop/base/memory.h"
#include "libop/text/cells.h"

#define VERSION		48
#define GECKO_VERSION	27 /* that this version was made of */
#define NO_PREFIX	UINT32_MAX
#define NOT_MET		(UINT32_MAX - 1) /* no stack yet */
#define CATEGORY_USER	0
#define CATEGORY_KERNEL 1

struct frame {
	uint32_t function, depth; /* depth: of inlining */
	int64_t line;
};

struct stack {
	uint32_t prefix, frame;
};

struct sample {
	uint32_t stack; /* NO_PREFIX: none */
	uint64_t weight;
	uint64_t time; /* ns since the first of all samples, if times are known */
};

/* A thread in the making. */
struct thread {
	struct named_functions functions;
	struct frame *frames;
	size_t n_frames, frames_capacity;
	struct op_hash by_frame;
	struct stack *stacks;
	size_t n_stacks, stacks_capacity;
	struct op_hash by_stack;
	struct sample *samples;
	size_t n_samples, samples_capacity;
};

struct firefox {
	const struct prof *prof;
	struct prof_names *names;
	struct op_json json;
	struct thread thread;
	size_t n_threads;

	/* If times are known: */
	uint32_t *stacks; /* by prof_moment::value, in the thread that it is of */
	size_t moment;	  /* the first that is not written yet */
};

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
	thread->frames = pp_grow(thread->frames, &thread->frames_capacity, thread->n_frames,
				 sizeof(*thread->frames));
	thread->frames[id] = *wanted;
	pp_hash_add(&thread->by_frame, hash_frame(wanted), id);
	return id;
}

static uint32_t find_stack(struct thread *thread, uint32_t prefix, uint32_t frame)
{
	uint64_t hash = op_hash_mix(prefix, frame);
	uint32_t id;

	op_hash_for_each_possible (&thread->by_stack, hash, id)
		if (thread->stacks[id].prefix == prefix && thread->stacks[id].frame == frame)
			return id;
	id = (uint32_t)thread->n_stacks++;
	thread->stacks = pp_grow(thread->stacks, &thread->stacks_capacity, thread->n_stacks,
				 sizeof(*thread->stacks));
	thread->stacks[id] = (struct stack){prefix, frame};
	pp_hash_add(&thread->by_stack, hash, id);
	return id;
}

static uint32_t add_stack(struct thread *thread, const struct named_stack *named)
{
	uint32_t stack = NO_PREFIX, depth = 0;

	for (size_t i = 0; i < named->n; i++) {
		const struct named_frame *at = &named->frames[i];
		struct frame frame;

		depth = at->is_inlined ? depth + 1 : 0;
		frame = (struct frame){named_function(&thread->functions, at), depth,
				       at->line->line};
		stack = find_stack(thread, stack, find_frame(thread, &frame));
	}
	return stack;
}

static void add_sample(struct thread *thread, const struct sample *sample)
{
	thread->samples = pp_grow(thread->samples, &thread->samples_capacity, thread->n_samples + 1,
				  sizeof(*thread->samples));
	thread->samples[thread->n_samples++] = *sample;
}

static void clear_thread(struct thread *thread)
{
	named_functions_free(&thread->functions);
	op_hash_free(&thread->by_frame);
	op_hash_free(&thread->by_stack);
	thread->n_frames = thread->n_stacks = thread->n_samples = 0;
}

static void free_thread(struct thread *thread)
{
	clear_thread(thread);
	free(thread->frames);
	free(thread->stacks);
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

/*
 * Strings: for each image its name (from 0), then for each function its name, then its file.
 * Resources and libs: the images.
 */
static void put_strings(struct firefox *firefox)
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

static void put_functions(struct firefox *firefox)
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

static void put_frames(struct firefox *firefox)
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

	if (number == NO_PREFIX)
		return "null";
	snprintf(text, sizeof(text), "%" PRIu32, number);
	return text;
}

static void put_stacks(struct firefox *firefox)
{
	const struct thread *thread = &firefox->thread;
	struct op_json *json = &firefox->json;

	open_table(json, "stackTable", thread->n_stacks);
	COLUMN(json, "prefix", thread->n_stacks, "%s", index_text(thread->stacks[i].prefix));
	COLUMN(json, "frame", thread->n_stacks, "%" PRIu32, thread->stacks[i].frame);
	COLUMN(json, "category", thread->n_stacks, "%d",
	       category(firefox, thread->stacks[i].frame));
	COLUMN(json, "subcategory", thread->n_stacks, "0");
	op_json_end(json);
}

/* Milliseconds that a sample stands for; 1 where the event is no time. */
static double interval_of(const struct prof *prof, uint32_t event)
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
	enum { NS_PER_MS = 1000000 };
	const struct thread *thread = &firefox->thread;
	double interval = interval_of(firefox->prof, event), time = 0;
	struct op_json *json = &firefox->json;

	op_json_array(json, "time");
	for (size_t i = 0; i < thread->n_samples; i++) {
		const struct sample *sample = &thread->samples[i];

		if (firefox->stacks)
			op_json_raw(json, NULL, "%" PRIu64 ".%06" PRIu64, sample->time / NS_PER_MS,
				    sample->time % NS_PER_MS);
		else
			op_json_raw(json, NULL, "%.6f", time);
		time += interval * (double)sample->weight;
	}
	op_json_end(json);
}

static void put_samples(struct firefox *firefox, uint32_t event)
{
	const struct thread *thread = &firefox->thread;
	struct op_json *json = &firefox->json;

	open_table(json, "samples", thread->n_samples);
	op_json_string(json, "weightType", "samples");
	COLUMN(json, "stack", thread->n_samples, "%s", index_text(thread->samples[i].stack));
	COLUMN(json, "weight", thread->n_samples, "%" PRIu64, thread->samples[i].weight);
	put_times(firefox, event);
	op_json_end(json);
}

/* ---- threads ---- */

/* Numbers that are not known must differ, or threads would be of one process. */
static void put_ids(struct firefox *firefox, const struct prof_sample *sample)
{
	struct op_json *json = &firefox->json;

	if (sample->pid >= 0)
		op_json_raw(json, "pid", "\"%" PRId64 "\"", sample->pid);
	else
		op_json_raw(json, "pid", "\"program %zu\"", firefox->n_threads);
	if (sample->tid >= 0)
		op_json_number(json, "tid", (uint64_t)sample->tid);
	else
		op_json_raw(json, "tid", "\"program %zu\"", firefox->n_threads);
	op_json_bool(json, "isMainThread", sample->tid < 0 || sample->tid == sample->pid);
}

/* What a thread has in the format, and a profile does not. */
static void put_unknown(struct op_json *json)
{
	op_json_string(json, "processType", "default");
	op_json_number(json, "processStartupTime", 0);
	op_json_null(json, "processShutdownTime");
	op_json_number(json, "registerTime", 0);
	op_json_null(json, "unregisterTime");
	op_json_raw(json, "pausedRanges", "[]");
	op_json_bool(json, "showMarkersInTimeline", false);
	op_json_raw(json, "markers",
		    "{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
		    "\"phase\":[],\"category\":[]}");
}

/*
 * Adds the moments of all values that have a stack: those of the thread that is being made, for
 * moments and threads stand in the same order.
 */
static void add_moments(struct firefox *firefox)
{
	const struct prof *prof = firefox->prof;

	for (; firefox->moment < prof->n_moments; firefox->moment++) {
		const struct prof_moment *moment = &prof->moments[firefox->moment];
		uint32_t stack = firefox->stacks[moment->value];

		if (stack == NOT_MET)
			return;
		add_sample(&firefox->thread,
			   &(struct sample){stack, moment->count, moment->time - prof->first_time});
	}
}

static void put_thread(struct firefox *firefox, const struct prof_sample *sample, uint32_t event)
{
	const struct prof *prof = firefox->prof;
	const char *program = named_program(prof, sample);
	char *name = prof->n_events > 1 ? pp_format("%s (%s)", program, prof->events[event].name)
					: pp_copy(program);
	struct op_json *json = &firefox->json;

	if (firefox->stacks)
		add_moments(firefox);
	if (firefox->n_threads++)
		op_json_newline(json);
	op_json_object(json, NULL);
	op_json_string(json, "name", name);
	op_json_string(json, "processName", program);
	put_ids(firefox, sample);
	put_unknown(json);
	put_strings(firefox);
	put_functions(firefox);
	put_frames(firefox);
	put_stacks(firefox);
	put_samples(firefox, event);
	op_json_end(json);
	clear_thread(&firefox->thread);
	free(name);
}

static bool same_thread(const struct prof_sample *a, const struct prof_sample *b)
{
	return a->app == b->app && a->comm == b->comm && a->pid == b->pid && a->tid == b->tid;
}

/* Adds the value @number of the profile, or remembers its stack until its moments are added. */
static void add_value(struct firefox *firefox, const struct named_stack *named, size_t number,
		      uint64_t count)
{
	struct sample sample = {add_stack(&firefox->thread, named), count, 0};

	if (firefox->stacks)
		firefox->stacks[number] = sample.stack;
	else
		add_sample(&firefox->thread, &sample);
}

static void put_threads(struct firefox *firefox, uint32_t event)
{
	struct named_stack named = {0};
	struct prof_cursor cursor = {0};
	struct prof_sample sample, before = {0};
	bool has_before = false;

	while (prof_next(firefox->prof, &cursor, &sample)) {
		for (size_t i = 0; i < sample.n_values; i++) {
			if (sample.values[i].event != event)
				continue;
			if (has_before && !same_thread(&before, &sample))
				put_thread(firefox, &before, event);
			before = sample;
			has_before = true;
			named_stack_make(&named, firefox->names, &sample);
			add_value(firefox, &named, cursor.at - sample.n_values + i,
				  sample.values[i].count);
		}
	}
	if (has_before)
		put_thread(firefox, &before, event);
	named_stack_free(&named);
	prof_cursor_free(&cursor);
}

/* ---- what all threads share ---- */

/* The id of Breakpad: 16 bytes as a GUID of a little-endian machine, and an age of 0. */
static void put_breakpad_id(struct op_json *json, const struct prof_image *image)
{
	static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	char id[2 * sizeof(order) + 2] = "";

	for (size_t i = 0; i < sizeof(order) && image->build_id_length; i++)
		snprintf(id + 2 * i, sizeof(id) - 2 * i, "%02X0", image->build_id[order[i]]);
	op_json_string(json, "breakpadId", id);
}

static void put_lib(struct firefox *firefox, uint32_t number)
{
	const struct prof *prof = firefox->prof;
	const struct prof_image *image = &prof->images[number];
	struct op_json *json = &firefox->json;
	char *id = image->build_id_length ? pp_hex(image->build_id, image->build_id_length) : NULL;

	op_json_object(json, NULL);
	op_json_string(json, "arch", prof->host.arch ? prof->host.arch : "");
	op_json_string(json, "name", names_image(prof, number));
	op_json_string(json, "debugName", names_image(prof, number));
	op_json_string(json, "path", image->path);
	op_json_string(json, "debugPath", image->path);
	put_breakpad_id(json, image);
	op_json_string(json, "codeId", id);
	op_json_end(json);
	free(id);
}

static void put_libs(struct firefox *firefox)
{
	op_json_newline(&firefox->json);
	op_json_array(&firefox->json, "libs");
	for (uint32_t i = 0; i < firefox->prof->n_images; i++) {
		if (i)
			op_json_newline(&firefox->json);
		put_lib(firefox, i);
	}
	op_json_end(&firefox->json);
}

static void put_category(struct op_json *json, const char *name, const char *color)
{
	op_json_object(json, NULL);
	op_json_string(json, "name", name);
	op_json_string(json, "color", color);
	op_json_raw(json, "subcategories", "[\"Other\"]");
	op_json_end(json);
}

/* In the order of CATEGORY_... */
static void put_categories(struct op_json *json)
{
	op_json_array(json, "categories");
	put_category(json, "User", "yellow");
	put_category(json, "Kernel", "orange");
	put_category(json, "Other", "grey");
	op_json_end(json);
}

static void put_meta(struct firefox *firefox, const struct output *output)
{
	const struct prof *prof = firefox->prof;
	struct op_json *json = &firefox->json;

	op_json_object(json, "meta");
	op_json_number(json, "version", GECKO_VERSION);
	op_json_number(json, "preprocessedProfileVersion", VERSION);
	op_json_raw(json, "interval", "%.6f", interval_of(prof, 0));
	op_json_raw(json, "startTime", "%.3f", (double)prof->host.start_time / 1e6);
	op_json_number(json, "processType", 0);
	op_json_number(json, "stackwalk", 1);
	op_json_bool(json, "debug", false);
	op_json_bool(json, "symbolicated", true);
	op_json_bool(json, "symbolicationNotSupported", true);
	op_json_raw(json, "markerSchema", "[]");
	op_json_raw(json, "extensions", "{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]}");
	put_categories(json);
	op_json_raw(json, "sampleUnits",
		    "{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}");
	op_json_string(json, "importedFrom", "oprofile " OP_VERSION);
	op_json_string(json, "product", output->command ? output->command : "oprofile");
	op_json_string(json, "oscpu", prof->host.cpu_description ? prof->host.cpu_description : "");
	if (prof->host.cpus_online)
		op_json_number(json, "logicalCPUs", prof->host.cpus_online);
	op_json_end(json);
}

static void prepare_times(struct firefox *firefox, struct prof *prof)
{
	size_t n = prof_count_values(prof);

	if (!prof->n_moments)
		return;
	prof_sort_moments(prof, PROF_THREAD_IN_TIME);
	firefox->stacks = pp_alloc(n, sizeof(*firefox->stacks));
	for (size_t i = 0; i < n; i++)
		firefox->stacks[i] = NOT_MET;
}

static int write_firefox(struct prof *prof, struct output *output, struct op_error *error)
{
	struct firefox firefox = {
		.prof = prof, .names = output->names, .json = {.out = output->file}};
	struct op_json *json = &firefox.json;

	(void)error;
	prepare_times(&firefox, prof);
	op_json_object(json, NULL);
	put_meta(&firefox, output);
	put_libs(&firefox);
	op_json_newline(json);
	op_json_raw(json, "pages", "[]");
	op_json_raw(json, "counters", "[]");
	op_json_raw(json, "profilerOverhead", "[]");
	op_json_newline(json);
	op_json_array(json, "threads");
	for (uint32_t i = 0; i < prof->n_events; i++)
		put_threads(&firefox, i);
	op_json_end(json);
	op_json_end(json);
	fputc('\n', output->file);
	free_thread(&firefox.thread);
	free(firefox.stacks);
	return 0;
}

const struct format format_firefox = {
	.name = "firefox",
	.description = "JSON of the Firefox Profiler",
	.write = write_firefox,
	.by = PROF_BY_COMM | PROF_BY_PID | PROF_BY_TID | PROF_TIMES,
};
