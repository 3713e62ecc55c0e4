// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON of the Firefox Profiler: its "processed profile" format, version 48.
 *
 * A thread for each program (process, thread) and event; in it, tables of columns that refer to
 * each other by index.  Samples have weights.  If the profile has the times of samples, there is
 * one for each moment, at its distance from the first of all; else one for each stack, at the time
 * that those before it took.
 */
#include "firefox.h"
#include "firefox_read.h"

#include <inttypes.h>
#include <stdlib.h>

#include "pp/formats/model/timeline.h"
#include "pp/formats/model/weights.h"
#include "libop/base/memory.h"
#include "libop/text/cells.h"
#include "pp/symbols/image_name.h"

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
		firefox_add_sample(&firefox->thread,
				   &(struct sample){stack, moment->count, moment->events,
						    moment->time - prof->first_time});
	}
}

static void put_thread(struct firefox *firefox, const struct prof_sample *sample, uint32_t event)
{
	const struct prof *prof = firefox->prof;
	const char *own = named_program(prof, sample);
	const char *program =
		sample->app <= PROF_NO_KERNEL_IMAGE ? own : names_image(prof, sample->app);
	char *name = prof->n_events > 1 ? op_format("%s (%s)", own, prof->events[event].name)
					: op_copy(own);
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
	firefox_put_strings(firefox);
	firefox_put_functions(firefox);
	firefox_put_frames(firefox);
	firefox_put_stacks(firefox);
	firefox_put_samples(firefox, event);
	op_json_end(json);
	firefox_clear_thread(&firefox->thread);
	free(name);
}

static bool same_thread(const struct prof_sample *a, const struct prof_sample *b)
{
	return a->app == b->app && a->comm == b->comm && a->pid == b->pid && a->tid == b->tid;
}

/* Adds the value @number of the profile, or remembers its stack until its moments are added. */
static void add_value(struct firefox *firefox, const struct named_stack *named, size_t number,
		      const struct prof_value *value)
{
	struct sample sample = {firefox_add_stack(&firefox->thread, named), value->count,
				value->events, 0};

	if (firefox->stacks)
		firefox->stacks[number] = sample.stack;
	else
		firefox_add_sample(&firefox->thread, &sample);
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
				  &sample.values[i]);
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
	const char *path = pp_image_without_named(image->path);
	char *id = image->build_id_length ? op_hex(image->build_id, image->build_id_length) : NULL;

	op_json_object(json, NULL);
	op_json_string(json, "arch", prof->host.arch ? prof->host.arch : "");
	op_json_string(json, "name", names_image(prof, number));
	op_json_string(json, "debugName", names_image(prof, number));
	op_json_string(json, "path", path);
	op_json_string(json, "debugPath", path);
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
	op_json_raw(json, "interval", "%.6f", firefox_interval_of(prof, 0));
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
	/* not of the format: with several, names of threads have the event's behind them */
	op_json_number(json, "oprofileEvents", prof->n_events);
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
	firefox->stacks = op_alloc(n, sizeof(*firefox->stacks));
	for (size_t i = 0; i < n; i++)
		firefox->stacks[i] = NOT_MET;
}

static int write_firefox(struct prof *prof, struct output *output, struct op_error *error)
{
	struct firefox firefox = {
		.prof = prof, .names = output->names, .json = {.out = output->file}};
	struct op_json *json = &firefox.json;

	(void)error;
	firefox.weights = prof_weights(prof, output->want_samples);
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
	firefox_free_thread(&firefox.thread);
	free(firefox.stacks);
	free(firefox.weights);
	return 0;
}

const struct format format_firefox = {
	.name = "firefox",
	.description = "JSON of the Firefox Profiler",
	.probe = firefox_probe,
	.read = firefox_read,
	.write = write_firefox,
	.has_one_number = true,
	.has_signs = true,
	.by = PROF_BY_COMM | PROF_BY_PID | PROF_BY_TID | PROF_TIMES,
};
