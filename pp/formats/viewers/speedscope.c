// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * speedscope's own JSON: one list of functions, and profiles: lists of stacks, as indices from the
 * root, with a weight for each.  There is a profile for each event, or, if the profile has the
 * times of samples, for each event and thread, with a stack for each moment, in the order of time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "speedscope.h"
#include "pp/formats/model/timeline.h"
#include "pp/formats/model/weights.h"
#include "pp/formats/session/named_stack.h"
#include "libop/text/json.h"
#include "libop/base/memory.h"
#include "pp/symbols/image_name.h"

struct stack {
	size_t first, n; /* in speedscope.frames */
	uint32_t event, thread;
	uint64_t weight;
};

struct thread {
	const char *program;
	uint32_t app;
	int64_t pid, tid;
};

struct weighted {
	size_t stack;
	uint64_t weight;
};

struct speedscope {
	const struct prof *prof;
	bool *weights; /* by event: stacks have events, not samples */
	struct named_functions functions;
	uint32_t *frames; /* numbers of functions */
	size_t n_frames, frames_capacity;
	struct stack *stacks; /* as numbered by prof_moment::value */
	size_t n_stacks, stacks_capacity;
	struct thread *threads; /* one after the other, as prof_next() has them */
	size_t n_threads, threads_capacity;

	/* The profile that is being made. */
	struct weighted *samples;
	size_t n_samples, samples_capacity;
};

/* What speedscope calls what an event counts, or NULL. */
static const char *unit_of(const struct prof_event *event)
{
	static const char *const units[] = {"nanoseconds", "microseconds", "milliseconds",
					    "seconds", "bytes"};

	for (size_t i = 0; event->unit && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(event->unit, units[i]))
			return units[i];
	return NULL;
}

static void speedscope_add_frame(struct speedscope *speedscope, uint32_t number)
{
	speedscope->frames = op_grow(speedscope->frames, &speedscope->frames_capacity,
				     speedscope->n_frames + 1, sizeof(uint32_t));
	speedscope->frames[speedscope->n_frames++] = number;
}

/* The number of a sample's thread: samples of a thread follow each other. */
static uint32_t add_thread(struct speedscope *speedscope, const struct prof_sample *sample,
			   const char *program)
{
	size_t n = speedscope->n_threads;
	const struct thread *last = n ? &speedscope->threads[n - 1] : NULL;

	if (last && last->app == sample->app && last->pid == sample->pid &&
	    last->tid == sample->tid && !strcmp(last->program, program))
		return (uint32_t)n - 1;
	speedscope->threads = op_grow(speedscope->threads, &speedscope->threads_capacity, n + 1,
				      sizeof(*speedscope->threads));
	speedscope->threads[n] = (struct thread){program, sample->app, sample->pid, sample->tid};
	speedscope->n_threads++;
	return (uint32_t)n;
}

static void add_stack(void *context, const struct prof_sample *sample,
		      const struct named_stack *stack)
{
	struct speedscope *speedscope = context;
	const struct prof_line program = {.function = named_program(speedscope->prof, sample)};
	uint32_t thread = add_thread(speedscope, sample, program.function);
	const struct named_frame root = {.line = &program, .image = sample->app};
	size_t first = speedscope->n_frames;

	speedscope_add_frame(speedscope, named_function(&speedscope->functions, &root));
	for (size_t i = 0; i < stack->n; i++)
		speedscope_add_frame(speedscope,
				     named_function(&speedscope->functions, &stack->frames[i]));
	for (size_t i = 0; i < sample->n_values; i++) {
		const struct prof_value *value = &sample->values[i];

		speedscope->stacks = op_grow(speedscope->stacks, &speedscope->stacks_capacity,
					     speedscope->n_stacks + 1, sizeof(*speedscope->stacks));
		speedscope->stacks[speedscope->n_stacks++] = (struct stack){
			.first = first,
			.n = speedscope->n_frames - first,
			.event = value->event,
			.thread = thread,
			.weight = prof_number(speedscope->weights, value),
		};
	}
}

static void put_functions(const struct speedscope *speedscope, struct op_json *json)
{
	op_json_array(json, "frames");
	op_json_newline(json);
	for (size_t i = 0; i < speedscope->functions.n; i++) {
		const struct named_function *function = &speedscope->functions.items[i];
		const char *path =
			pp_image_without_named(speedscope->prof->images[function->image].path);

		op_json_newline(json);
		op_json_object(json, NULL);
		op_json_string(json, "name", function->name);
		op_json_string(json, "file", function->file ? function->file : path);
		op_json_end(json);
	}
	op_json_end(json);
}

/* ---- profiles ---- */

static void add_sample(struct speedscope *speedscope, size_t stack, uint64_t weight)
{
	speedscope->samples = op_grow(speedscope->samples, &speedscope->samples_capacity,
				      speedscope->n_samples + 1, sizeof(*speedscope->samples));
	speedscope->samples[speedscope->n_samples++] = (struct weighted){stack, weight};
}

static void speedscope_put_samples(const struct speedscope *speedscope, struct op_json *json)
{
	op_json_array(json, "samples");
	op_json_newline(json);
	for (size_t i = 0; i < speedscope->n_samples; i++) {
		const struct stack *stack = &speedscope->stacks[speedscope->samples[i].stack];

		op_json_newline(json);
		op_json_array(json, NULL);
		for (size_t k = 0; k < stack->n; k++)
			op_json_number(json, NULL, speedscope->frames[stack->first + k]);
		op_json_end(json);
	}
	op_json_end(json);
}

static void put_weights(const struct speedscope *speedscope, struct op_json *json)
{
	op_json_array(json, "weights");
	for (size_t i = 0; i < speedscope->n_samples; i++)
		op_json_number(json, NULL, speedscope->samples[i].weight);
	op_json_end(json);
}

/* Writes the samples that were added since the last profile. */
static void put_profile(struct speedscope *speedscope, const char *name,
			const struct prof_event *event, struct op_json *json)
{
	const char *unit =
		speedscope->weights[event - speedscope->prof->events] ? unit_of(event) : NULL;
	uint64_t sum = 0;

	for (size_t i = 0; i < speedscope->n_samples; i++)
		sum += speedscope->samples[i].weight;
	op_json_newline(json);
	op_json_object(json, NULL);
	op_json_string(json, "type", "sampled");
	op_json_string(json, "name", name);
	op_json_string(json, "unit", unit ? unit : "none");
	op_json_number(json, "startValue", 0);
	op_json_number(json, "endValue", sum);
	speedscope_put_samples(speedscope, json);
	put_weights(speedscope, json);
	op_json_end(json);
	speedscope->n_samples = 0;
}

static void put_events(struct speedscope *speedscope, struct op_json *json)
{
	const struct prof *prof = speedscope->prof;

	for (uint32_t event = 0; event < prof->n_events; event++) {
		for (size_t i = 0; i < speedscope->n_stacks; i++)
			if (speedscope->stacks[i].event == event)
				add_sample(speedscope, i, speedscope->stacks[i].weight);
		put_profile(speedscope, prof->events[event].name, &prof->events[event], json);
	}
}

/* "PROGRAM PID/TID EVENT", as far as it is known. */
static char *thread_name(const struct thread *thread, const struct prof_event *event)
{
	if (thread->pid == PROF_ANY)
		return op_format("%s %s", thread->program, event->name);
	return op_format("%s %" PRId64 "/%" PRId64 " %s", thread->program, thread->pid, thread->tid,
			 event->name);
}

static void put_thread(struct speedscope *speedscope, const struct stack *any, struct op_json *json)
{
	const struct prof_event *event = &speedscope->prof->events[any->event];
	char *name = thread_name(&speedscope->threads[any->thread], event);

	put_profile(speedscope, name, event, json);
	free(name);
}

/* The moments stand in the order of events, threads and time. */
static void put_threads(struct speedscope *speedscope, struct op_json *json)
{
	const struct prof *prof = speedscope->prof;
	const struct stack *before = NULL;

	for (size_t i = 0; i < prof->n_moments; i++) {
		const struct prof_moment *moment = &prof->moments[i];
		const struct stack *stack = &speedscope->stacks[moment->value];
		const struct prof_value value = {stack->event, moment->count, moment->events};

		if (before && (before->event != stack->event || before->thread != stack->thread))
			put_thread(speedscope, before, json);
		before = stack;
		add_sample(speedscope, moment->value, prof_number(speedscope->weights, &value));
	}
	if (before)
		put_thread(speedscope, before, json);
}

static void put_file(struct speedscope *speedscope, const char *name, FILE *out)
{
	struct op_json json = {.out = out};

	op_json_object(&json, NULL);
	op_json_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	op_json_newline(&json);
	op_json_string(&json, "exporter", "oprofile " OP_VERSION);
	op_json_string(&json, "name", name);
	op_json_newline(&json);
	op_json_object(&json, "shared");
	put_functions(speedscope, &json);
	op_json_end(&json);
	op_json_newline(&json);
	op_json_array(&json, "profiles");
	op_json_newline(&json);
	if (speedscope->prof->n_moments)
		put_threads(speedscope, &json);
	else
		put_events(speedscope, &json);
	op_json_end(&json);
	op_json_end(&json);
	fputc('\n', out);
}

/* What speedscope has a word for is always shown in it. */
static bool *weights_of(const struct prof *prof, bool want_samples)
{
	bool *weights = prof_weights(prof, want_samples);

	for (size_t i = 0; !want_samples && i < prof->n_events; i++)
		weights[i] |= unit_of(&prof->events[i]) != NULL;
	return weights;
}

static int write_speedscope(struct prof *prof, struct output *output, struct op_error *error)
{
	struct speedscope speedscope = {.prof = prof};

	(void)error;
	speedscope.weights = weights_of(prof, output->want_samples);
	prof_sort_moments(prof, PROF_THREAD_IN_TIME);
	named_stack_each(prof, output->names, add_stack, &speedscope);
	put_file(&speedscope, output->command ? output->command : "oprofile", output->file);
	named_functions_free(&speedscope.functions);
	free(speedscope.weights);
	free(speedscope.frames);
	free(speedscope.stacks);
	free(speedscope.threads);
	free(speedscope.samples);
	return 0;
}

const struct format format_speedscope = {
	.name = "speedscope",
	.description = "JSON of speedscope.app",
	.probe = speedscope_probe,
	.read = speedscope_read,
	.write = write_speedscope,
	.has_one_number = true,
	.by = PROF_BY_COMM | PROF_TIMES | PROF_TIMES_BY_TID,
};
