// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * speedscope's own JSON: one list of functions, and for each event a list of stacks, as indices
 * from the root, with a weight for each.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pp/formats/model/format.h"
#include "pp/formats/session/named_stack.h"
#include "pp/report/markup.h"
#include "libop/base/memory.h"
#include "libop/text/cells.h"

struct weighted_stack {
	size_t first, n; /* in all_frames */
	uint32_t event;
	uint64_t weight;
};

struct speedscope {
	const struct prof *prof;
	struct named_functions functions;
	uint32_t *frames; /* numbers of functions */
	size_t n_frames, frames_capacity;
	struct weighted_stack *stacks;
	size_t n_stacks, stacks_capacity;
	struct pp_line line;
};

/* What speedscope has a word for is shown in events, all else in samples. */
static const char *unit_of(const struct prof_event *event)
{
	static const char *const units[] = {"nanoseconds", "microseconds", "milliseconds",
					    "seconds", "bytes"};

	for (size_t i = 0; event->unit && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(event->unit, units[i]))
			return units[i];
	return NULL;
}

static void add_frame(struct speedscope *speedscope, uint32_t number)
{
	speedscope->frames = pp_grow(speedscope->frames, &speedscope->frames_capacity,
				     speedscope->n_frames + 1, sizeof(uint32_t));
	speedscope->frames[speedscope->n_frames++] = number;
}

static void add_stack(struct speedscope *speedscope, const struct prof_sample *sample,
		      const struct named_stack *stack)
{
	const struct prof_line program = {.function = named_program(speedscope->prof, sample)};
	const struct named_frame root = {.line = &program, .image = sample->app};
	size_t first = speedscope->n_frames;

	add_frame(speedscope, named_function(&speedscope->functions, &root));
	for (size_t i = 0; i < stack->n; i++)
		add_frame(speedscope, named_function(&speedscope->functions, &stack->frames[i]));
	for (size_t i = 0; i < sample->n_values; i++) {
		const struct prof_value *value = &sample->values[i];
		bool is_events = unit_of(&speedscope->prof->events[value->event]);

		speedscope->stacks = pp_grow(speedscope->stacks, &speedscope->stacks_capacity,
					     speedscope->n_stacks + 1, sizeof(*speedscope->stacks));
		speedscope->stacks[speedscope->n_stacks++] = (struct weighted_stack){
			.first = first,
			.n = speedscope->n_frames - first,
			.event = value->event,
			.weight = is_events ? value->events : value->count,
		};
	}
}

static void put_functions(struct speedscope *speedscope, FILE *out)
{
	struct pp_line *line = &speedscope->line;

	for (size_t i = 0; i < speedscope->functions.n; i++) {
		const struct named_function *function = &speedscope->functions.items[i];
		const char *path = speedscope->prof->images[function->image].path;

		pp_line_puts(line, i ? ",\n{\"name\":" : "{\"name\":");
		pp_markup_json(line, function->name);
		pp_line_puts(line, ",\"file\":");
		pp_markup_json(line, function->file ? function->file : path);
		pp_line_puts(line, "}");
		pp_line_flush(line, out);
	}
}

static void put_samples(struct speedscope *speedscope, uint32_t event, FILE *out)
{
	struct pp_line *line = &speedscope->line;
	bool any = false;

	for (size_t i = 0; i < speedscope->n_stacks; i++) {
		const struct weighted_stack *stack = &speedscope->stacks[i];

		if (stack->event != event)
			continue;
		pp_line_puts(line, any ? ",\n[" : "[");
		any = true;
		for (size_t k = 0; k < stack->n; k++) {
			if (k)
				pp_line_puts(line, ",");
			pp_line_count(line, speedscope->frames[stack->first + k], 0);
		}
		pp_line_puts(line, "]");
		pp_line_flush(line, out);
	}
}

static void put_weights(struct speedscope *speedscope, uint32_t event, FILE *out)
{
	struct pp_line *line = &speedscope->line;
	bool any = false;

	for (size_t i = 0; i < speedscope->n_stacks; i++) {
		if (speedscope->stacks[i].event != event)
			continue;
		if (any)
			pp_line_puts(line, ",");
		any = true;
		pp_line_count(line, speedscope->stacks[i].weight, 0);
		pp_line_flush(line, out);
	}
}

static void put_profile(struct speedscope *speedscope, uint32_t number, FILE *out)
{
	const struct prof_event *event = &speedscope->prof->events[number];
	const char *unit = unit_of(event);
	struct pp_line *line = &speedscope->line;
	uint64_t sum = 0;

	for (size_t i = 0; i < speedscope->n_stacks; i++)
		if (speedscope->stacks[i].event == number)
			sum += speedscope->stacks[i].weight;
	pp_line_puts(line, number ? ",\n{\"type\":\"sampled\",\"name\":" : "{\"type\":\"sampled\",\"name\":");
	pp_markup_json(line, event->name);
	pp_line_flush(line, out);
	fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"samples\":[\n",
		unit ? unit : "none", sum);
	put_samples(speedscope, number, out);
	fputs("],\"weights\":[", out);
	put_weights(speedscope, number, out);
	fputs("]}", out);
}

static int write_speedscope(struct prof *prof, struct output *output, struct op_error *error)
{
	struct speedscope speedscope = {.prof = prof};
	struct named_stack stack = {0};
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	(void)error;
	while (prof_next(prof, &cursor, &sample)) {
		named_stack_make(&stack, output->names, &sample);
		add_stack(&speedscope, &sample, &stack);
	}
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"oprofile " OP_VERSION "\",\"name\":",
	      output->file);
	pp_markup_json(&speedscope.line, output->command ? output->command : "oprofile");
	pp_line_flush(&speedscope.line, output->file);
	fputs(",\n\"shared\":{\"frames\":[\n", output->file);
	put_functions(&speedscope, output->file);
	fputs("]},\n\"profiles\":[\n", output->file);
	for (uint32_t i = 0; i < prof->n_events; i++)
		put_profile(&speedscope, i, output->file);
	fputs("]}\n", output->file);
	named_stack_free(&stack);
	named_functions_free(&speedscope.functions);
	prof_cursor_free(&cursor);
	free(speedscope.frames);
	free(speedscope.stacks);
	pp_line_free(&speedscope.line);
	return 0;
}

const struct format format_speedscope = {
	.name = "speedscope",
	.description = "JSON of speedscope.app",
	.write = write_speedscope,
	.by = PROF_BY_COMM,
};
