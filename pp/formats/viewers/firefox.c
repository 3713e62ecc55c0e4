// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON of the Firefox Profiler: its "processed profile" format, version 48.
 *
 * A thread for each program (process, thread) and event; in it, tables of columns that refer to
 * each other by index.  Samples have weights.  The profile has no times, so each sample is given
 * the time that those before it took.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pp/formats/model/format.h"
#include "pp/formats/model/index.h"
#include "pp/formats/session/named_stack.h"
#include "pp/report/markup.h"
#include "libop/base/memory.h"
#include "libop/text/cells.h"

#define VERSION		48
#define GECKO_VERSION	27 /* that this version was made of */
#define NO_PREFIX	UINT32_MAX
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
};

/* A thread in the making. */
struct thread {
	struct named_functions functions;
	struct frame *frames;
	size_t n_frames, frames_capacity;
	struct index by_frame;
	struct stack *stacks;
	size_t n_stacks, stacks_capacity;
	struct index by_stack;
	struct sample *samples;
	size_t n_samples, samples_capacity;
};

struct firefox {
	const struct prof *prof;
	struct prof_names *names;
	struct pp_line line;
	FILE *out;
	struct thread thread;
	size_t n_threads;
};

/* ---- tables ---- */

static uint64_t hash_frame(const struct frame *frame)
{
	return index_mix((uint64_t)frame->function << 32 | frame->depth, (uint64_t)frame->line);
}

static uint64_t rehash_frame(const void *context, uint32_t id)
{
	return hash_frame(&((const struct thread *)context)->frames[id]);
}

static uint32_t find_frame(struct thread *thread, const struct frame *wanted)
{
	uint32_t id;

	for (size_t at = index_first(&thread->by_frame, hash_frame(wanted));
	     (id = index_at(&thread->by_frame, at)) != INDEX_NONE;
	     at = index_next(&thread->by_frame, at)) {
		const struct frame *frame = &thread->frames[id];

		if (frame->function == wanted->function && frame->depth == wanted->depth &&
		    frame->line == wanted->line)
			return id;
	}
	id = (uint32_t)thread->n_frames++;
	thread->frames = pp_grow(thread->frames, &thread->frames_capacity, thread->n_frames,
				 sizeof(*thread->frames));
	thread->frames[id] = *wanted;
	index_add(&thread->by_frame, hash_frame(wanted), id, rehash_frame, thread);
	return id;
}

static uint64_t rehash_stack(const void *context, uint32_t id)
{
	const struct stack *stack = &((const struct thread *)context)->stacks[id];

	return index_mix(stack->prefix, stack->frame);
}

static uint32_t find_stack(struct thread *thread, uint32_t prefix, uint32_t frame)
{
	uint64_t hash = index_mix(prefix, frame);
	uint32_t id;

	for (size_t at = index_first(&thread->by_stack, hash);
	     (id = index_at(&thread->by_stack, at)) != INDEX_NONE;
	     at = index_next(&thread->by_stack, at))
		if (thread->stacks[id].prefix == prefix && thread->stacks[id].frame == frame)
			return id;
	id = (uint32_t)thread->n_stacks++;
	thread->stacks = pp_grow(thread->stacks, &thread->stacks_capacity, thread->n_stacks,
				 sizeof(*thread->stacks));
	thread->stacks[id] = (struct stack){prefix, frame};
	index_add(&thread->by_stack, hash, id, rehash_stack, thread);
	return id;
}

static void add_sample(struct thread *thread, const struct named_stack *named, uint64_t weight)
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
	thread->samples = pp_grow(thread->samples, &thread->samples_capacity,
				  thread->n_samples + 1, sizeof(*thread->samples));
	thread->samples[thread->n_samples++] = (struct sample){stack, weight};
}

static void clear_thread(struct thread *thread)
{
	named_functions_free(&thread->functions);
	index_free(&thread->by_frame);
	index_free(&thread->by_stack);
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
#define COLUMN(out, key, n, ...)                                                                   \
	do {                                                                                       \
		fprintf(out, ",\"%s\":[", key);                                                    \
		for (size_t i = 0; i < (n); i++) {                                                 \
			if (i)                                                                     \
				fputc(',', out);                                                   \
			fprintf(out, __VA_ARGS__);                                                 \
		}                                                                                  \
		fputc(']', out);                                                                   \
	} while (0)

static void put_text(struct firefox *firefox, const char *text)
{
	pp_markup_json(&firefox->line, text);
	pp_line_flush(&firefox->line, firefox->out);
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

static void put_number_or_null(FILE *out, const char *key, const int64_t *numbers, size_t n)
{
	fprintf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", out);
		if (numbers[i] > 0)
			fprintf(out, "%" PRId64, numbers[i]);
		else
			fputs("null", out);
	}
	fputc(']', out);
}

/*
 * Strings: for each image its name (from 0), then for each function its name, then its file.
 * Resources and libs: the images.
 */
static void put_strings(struct firefox *firefox)
{
	const struct named_functions *functions = &firefox->thread.functions;

	fputs(",\"stringArray\":[", firefox->out);
	for (uint32_t i = 0; i < firefox->prof->n_images; i++) {
		fputs(i ? "," : "", firefox->out);
		put_text(firefox, names_image(firefox->prof, i));
	}
	for (size_t i = 0; i < functions->n; i++) {
		fputc(',', firefox->out);
		put_text(firefox, functions->items[i].name);
	}
	for (size_t i = 0; i < functions->n; i++) {
		fputc(',', firefox->out);
		put_text(firefox, functions->items[i].file ? functions->items[i].file : "");
	}
	fputc(']', firefox->out);
}

static void put_functions(struct firefox *firefox)
{
	const struct named_functions *functions = &firefox->thread.functions;
	size_t n = functions->n, images = firefox->prof->n_images;
	FILE *out = firefox->out;

	fprintf(out, ",\"funcTable\":{\"length\":%zu", n);
	COLUMN(out, "name", n, "%zu", images + i);
	COLUMN(out, "isJS", n, "false");
	COLUMN(out, "relevantForJS", n, "false");
	COLUMN(out, "resource", n, "%" PRIu32, functions->items[i].image);
	fputs(",\"fileName\":[", out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", out);
		if (functions->items[i].file)
			fprintf(out, "%zu", images + n + i);
		else
			fputs("null", out);
	}
	fputc(']', out);
	COLUMN(out, "lineNumber", n, "null");
	COLUMN(out, "columnNumber", n, "null");
	fputc('}', out);
	fprintf(out, ",\"resourceTable\":{\"length\":%zu", images);
	COLUMN(out, "lib", images, "%zu", i);
	COLUMN(out, "name", images, "%zu", i);
	COLUMN(out, "host", images, "null");
	COLUMN(out, "type", images, "1");
	fputs("},\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],"
	      "\"libIndex\":[],\"name\":[]}",
	      out);
}

static void put_frames(struct firefox *firefox)
{
	const struct thread *thread = &firefox->thread;
	size_t n = thread->n_frames;
	int64_t *lines = pp_alloc(n, sizeof(*lines));
	FILE *out = firefox->out;

	for (size_t i = 0; i < n; i++)
		lines[i] = thread->frames[i].line;
	fprintf(out, ",\"frameTable\":{\"length\":%zu", n);
	COLUMN(out, "address", n, "-1");
	COLUMN(out, "inlineDepth", n, "%" PRIu32, thread->frames[i].depth);
	COLUMN(out, "category", n, "%d", category(firefox, i));
	COLUMN(out, "subcategory", n, "0");
	COLUMN(out, "func", n, "%" PRIu32, thread->frames[i].function);
	COLUMN(out, "nativeSymbol", n, "null");
	COLUMN(out, "innerWindowID", n, "0");
	COLUMN(out, "implementation", n, "null");
	put_number_or_null(out, "line", lines, n);
	COLUMN(out, "column", n, "null");
	fputc('}', out);
	free(lines);
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
	FILE *out = firefox->out;

	fprintf(out, ",\"stackTable\":{\"length\":%zu", thread->n_stacks);
	COLUMN(out, "prefix", thread->n_stacks, "%s", index_text(thread->stacks[i].prefix));
	COLUMN(out, "frame", thread->n_stacks, "%" PRIu32, thread->stacks[i].frame);
	COLUMN(out, "category", thread->n_stacks, "%d", category(firefox, thread->stacks[i].frame));
	COLUMN(out, "subcategory", thread->n_stacks, "0");
	fputc('}', out);
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

static void put_samples(struct firefox *firefox, uint32_t event)
{
	const struct thread *thread = &firefox->thread;
	double interval = interval_of(firefox->prof, event), time = 0;
	FILE *out = firefox->out;

	fprintf(out, ",\"samples\":{\"length\":%zu,\"weightType\":\"samples\"", thread->n_samples);
	COLUMN(out, "stack", thread->n_samples, "%s", index_text(thread->samples[i].stack));
	COLUMN(out, "weight", thread->n_samples, "%" PRIu64, thread->samples[i].weight);
	fputs(",\"time\":[", out);
	for (size_t i = 0; i < thread->n_samples; i++) {
		fprintf(out, "%s%.6f", i ? "," : "", time);
		time += interval * (double)thread->samples[i].weight;
	}
	fputs("]}", out);
}

/* ---- threads ---- */

static void put_thread(struct firefox *firefox, const struct prof_sample *sample, uint32_t event)
{
	const struct prof *prof = firefox->prof;
	const char *program = named_program(prof, sample);
	char *name = prof->n_events > 1 ? pp_format("%s (%s)", program, prof->events[event].name)
					: pp_copy(program);
	FILE *out = firefox->out;

	fputs(firefox->n_threads++ ? ",\n{\"name\":" : "{\"name\":", out);
	put_text(firefox, name);
	fputs(",\"processName\":", out);
	put_text(firefox, program);
	/* numbers that are not known must differ, or threads would be of one process */
	if (sample->pid >= 0)
		fprintf(out, ",\"pid\":\"%" PRId64 "\"", sample->pid);
	else
		fprintf(out, ",\"pid\":\"program %zu\"", firefox->n_threads);
	if (sample->tid >= 0)
		fprintf(out, ",\"tid\":%" PRId64, sample->tid);
	else
		fprintf(out, ",\"tid\":\"program %zu\"", firefox->n_threads);
	fprintf(out,
		",\"isMainThread\":%s,\"processType\":\"default\",\"processStartupTime\":0,"
		"\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
		"\"pausedRanges\":[],\"showMarkersInTimeline\":false,"
		"\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],"
		"\"endTime\":[],\"phase\":[],\"category\":[]}",
		sample->tid < 0 || sample->tid == sample->pid ? "true" : "false");
	put_strings(firefox);
	put_functions(firefox);
	put_frames(firefox);
	put_stacks(firefox);
	put_samples(firefox, event);
	fputc('}', out);
	clear_thread(&firefox->thread);
	free(name);
}

static bool same_thread(const struct prof_sample *a, const struct prof_sample *b)
{
	return a->app == b->app && a->comm == b->comm && a->pid == b->pid && a->tid == b->tid;
}

static void put_threads(struct firefox *firefox, uint32_t event)
{
	struct named_stack named = {0};
	struct prof_cursor cursor = {0};
	struct prof_sample sample, before = {0};

	while (prof_next(firefox->prof, &cursor, &sample)) {
		for (size_t i = 0; i < sample.n_values; i++) {
			if (sample.values[i].event != event)
				continue;
			if (firefox->thread.n_samples && !same_thread(&before, &sample))
				put_thread(firefox, &before, event);
			before = sample;
			named_stack_make(&named, firefox->names, &sample);
			add_sample(&firefox->thread, &named, sample.values[i].count);
		}
	}
	if (firefox->thread.n_samples)
		put_thread(firefox, &before, event);
	named_stack_free(&named);
	prof_cursor_free(&cursor);
}

/* ---- what all threads share ---- */

/* As Breakpad has it: the first 16 bytes as a GUID of a little-endian machine, and an age of 0. */
static void put_breakpad_id(const struct prof_image *image, FILE *out)
{
	static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

	for (size_t i = 0; i < 16; i++)
		fprintf(out, "%02X", image->build_id[order[i]]);
	fputc('0', out);
}

static void put_libs(struct firefox *firefox)
{
	const struct prof *prof = firefox->prof;
	FILE *out = firefox->out;

	for (uint32_t i = 0; i < prof->n_images; i++) {
		const struct prof_image *image = &prof->images[i];

		fputs(i ? ",\n{\"arch\":" : "{\"arch\":", out);
		put_text(firefox, prof->host.arch ? prof->host.arch : "");
		fputs(",\"name\":", out);
		put_text(firefox, names_image(prof, i));
		fputs(",\"debugName\":", out);
		put_text(firefox, names_image(prof, i));
		fputs(",\"path\":", out);
		put_text(firefox, image->path);
		fputs(",\"debugPath\":", out);
		put_text(firefox, image->path);
		fputs(",\"breakpadId\":\"", out);
		if (image->build_id_length)
			put_breakpad_id(image, out);
		fputs("\",\"codeId\":", out);
		if (image->build_id_length)
			fputc('"', out);
		else
			fputs("null", out);
		for (unsigned int k = 0; k < image->build_id_length; k++)
			fprintf(out, "%02x", image->build_id[k]);
		fputs(image->build_id_length ? "\"}" : "}", out);
	}
}

static void put_meta(struct firefox *firefox, const struct output *output)
{
	const struct prof *prof = firefox->prof;
	FILE *out = firefox->out;

	fprintf(out,
		"{\"meta\":{\"version\":%d,\"preprocessedProfileVersion\":%d,\"interval\":%.6f,"
		"\"startTime\":%.3f,\"processType\":0,\"stackwalk\":1,\"debug\":false,"
		"\"symbolicated\":true,\"symbolicationNotSupported\":true,\"markerSchema\":[],"
		"\"extensions\":{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]},"
		"\"categories\":[{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}],"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
		"\"importedFrom\":\"oprofile " OP_VERSION "\",\"product\":",
		GECKO_VERSION, VERSION, interval_of(prof, 0),
		(double)prof->host.start_time / 1e6);
	put_text(firefox, output->command ? output->command : "oprofile");
	fputs(",\"oscpu\":", out);
	put_text(firefox, prof->host.cpu_description ? prof->host.cpu_description : "");
	if (prof->host.cpus_online)
		fprintf(out, ",\"logicalCPUs\":%" PRIu64, prof->host.cpus_online);
	fputs("},\n\"libs\":[", out);
}

static int write_firefox(struct prof *prof, struct output *output, struct op_error *error)
{
	struct firefox firefox = {.prof = prof, .names = output->names, .out = output->file};

	(void)error;
	put_meta(&firefox, output);
	put_libs(&firefox);
	fputs("],\n\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n\"threads\":[", firefox.out);
	for (uint32_t i = 0; i < prof->n_events; i++)
		put_threads(&firefox, i);
	fputs("]}\n", firefox.out);
	free_thread(&firefox.thread);
	pp_line_free(&firefox.line);
	return 0;
}

const struct format format_firefox = {
	.name = "firefox",
	.description = "JSON of the Firefox Profiler",
	.write = write_firefox,
	.by = PROF_BY_COMM | PROF_BY_PID | PROF_BY_TID,
};
