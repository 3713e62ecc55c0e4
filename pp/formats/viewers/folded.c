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
	uint64_t numbers[2]; /* by event */
};

struct folding {
	const struct prof *prof;
	bool *weights;
	struct pp_line line;
	struct stack *stacks;
	size_t n, capacity;
	struct op_hash by_text;
};

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
		sum->numbers[sample->values[i].event] +=
			prof_number(folding->weights, &sample->values[i]);
}

/* What was read from two columns has two again. */
static bool are_columns(const struct prof *prof)
{
	return prof->n_events == 2 && !strcmp(prof->events[0].name, FOLDED_BEFORE) &&
	       !strcmp(prof->events[1].name, FOLDED_AFTER);
}

/* What has no event, such as a last sample that took no time, has no line. */
static void put_stack(const struct prof *prof, const struct stack *stack, FILE *out)
{
	if (!stack->numbers[0] && !stack->numbers[1])
		return;
	fputs(stack->text, out);
	for (size_t i = 0; i < prof->n_events; i++)
		fprintf(out, " %" PRIu64, stack->numbers[i]);
	fputc('\n', out);
}

static int write_folded(struct prof *prof, struct output *output, struct op_error *error)
{
	struct folding folding = {.prof = prof};

	if (prof->n_events > 1 && !are_columns(prof))
		return op_error_set(error, EINVAL,
				    "folded stacks have one event, and there are %zu: choose one "
				    "with event:NAME",
				    prof->n_events);
	folding.weights = prof_weights(prof, output->want_samples);
	named_stack_each(prof, output->names, add_stack, &folding);
	if (folding.n)
		qsort(folding.stacks, folding.n, sizeof(*folding.stacks), compare);
	for (size_t i = 0; i < folding.n; i++) {
		put_stack(prof, &folding.stacks[i], output->file);
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
	.by = PROF_BY_COMM,
};
