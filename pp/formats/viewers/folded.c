// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks, what flamegraph.pl and many others read: a line for each stack, root first,
 * with semicolons, then a blank and the number of samples or events.  folded_read.c reads them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "folded.h"
#include "libop/base/hash.h"
#include "pp/formats/model/weights.h"
#include "pp/formats/session/named_stack.h"
#include "libop/base/memory.h"
#include "libop/text/cells.h"

struct stack {
	char *text;
	uint64_t numbers[2]; /* by column */
};

struct folding {
	const struct prof *prof;
	bool *weights;
	size_t n_columns;
	struct pp_line line;
	struct stack *stacks;
	size_t n, capacity;
	struct op_hash by_text;
};

static bool are_opposite(const struct prof_event *events)
{
	return events[0].is_negative != events[1].is_negative &&
	       !strcmp(events[0].name, events[1].name);
}

/* What was read from two columns has two again, and so have values of both signs: those below 0, of
 * the profile that was taken off, are before.  Return: 0: there are too many events. */
static size_t count_columns(const struct prof *prof)
{
	const struct prof_event *events = prof->events;

	if (prof->n_events != 2)
		return prof->n_events == 1;
	return are_opposite(events) || (!strcmp(events[0].name, FOLDED_BEFORE) &&
					!strcmp(events[1].name, FOLDED_AFTER))
		       ? 2
		       : 0;
}

static size_t column_of(const struct folding *folding, uint32_t event)
{
	const struct prof_event *events = folding->prof->events;

	if (folding->n_columns < 2)
		return 0;
	return are_opposite(events) ? !events[event].is_negative : event;
}

/* Stacks with other addresses may have the same names. */
static struct stack *find_stack(struct folding *folding, const char *text)
{
	uint64_t hash = op_hash_text(0, text);
	uint32_t id;

	op_hash_for_each_possible (&folding->by_text, hash, id)
		if (!strcmp(folding->stacks[id].text, text))
			return &folding->stacks[id];
	id = (uint32_t)folding->n++;
	folding->stacks =
		pp_grow(folding->stacks, &folding->capacity, folding->n, sizeof(*folding->stacks));
	folding->stacks[id] = (struct stack){.text = pp_copy(text)};
	pp_hash_add(&folding->by_text, hash, id);
	return &folding->stacks[id];
}

/* Semicolons mean something. */
static void put_name(struct pp_line *line, const char *name)
{
	for (size_t n; n = strcspn(name, ";"), name[n]; name += n + 1) {
		pp_line_safe_add(line, name, n);
		pp_line_puts(line, ":");
	}
	pp_line_safe(line, name);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct stack *)a)->text, ((const struct stack *)b)->text);
}

static void add_stack(void *context, const struct prof_sample *sample,
		      const struct named_stack *stack)
{
	struct folding *folding = context;
	struct pp_line *line = &folding->line;
	struct stack *sum;

	line->n = 0;
	put_name(line, named_program(folding->prof, sample));
	for (size_t i = 0; i < stack->n; i++) {
		pp_line_puts(line, ";");
		put_name(line, stack->frames[i].line->function);
	}
	pp_line_add(line, "", 1);
	sum = find_stack(folding, line->text);
	for (size_t i = 0; i < sample->n_values; i++)
		sum->numbers[column_of(folding, sample->values[i].event)] +=
			prof_number(folding->weights, &sample->values[i]);
}

/* What has no event, such as a last sample that took no time, has no line. */
static void put_stack(const struct folding *folding, const struct stack *stack, FILE *out)
{
	if (!stack->numbers[0] && !stack->numbers[1])
		return;
	fputs(stack->text, out);
	for (size_t i = 0; i < folding->n_columns; i++)
		fprintf(out, " %" PRIu64, stack->numbers[i]);
	fputc('\n', out);
}

static int write_folded(struct prof *prof, struct output *output, struct op_error *error)
{
	struct folding folding = {.prof = prof, .n_columns = count_columns(prof)};

	if (!folding.n_columns)
		return op_error_set(error, EINVAL,
				    "folded stacks have one event, and there are %zu: choose one "
				    "with event:NAME",
				    prof->n_events);
	folding.weights = prof_weights(prof, output->want_samples);
	named_stack_each(prof, output->names, add_stack, &folding);
	if (folding.n)
		qsort(folding.stacks, folding.n, sizeof(*folding.stacks), compare);
	for (size_t i = 0; i < folding.n; i++) {
		put_stack(&folding, &folding.stacks[i], output->file);
		free(folding.stacks[i].text);
	}
	free(folding.weights);
	free(folding.stacks);
	op_hash_free(&folding.by_text);
	pp_line_free(&folding.line);
	return 0;
}

const struct format format_folded = {
	.name = "folded",
	.description = "folded stacks, for flame graphs",
	.probe = folded_probe,
	.read = folded_read,
	.write = write_folded,
	.has_one_number = true,
	.has_signs = true,
	.by = PROF_BY_COMM,
};
