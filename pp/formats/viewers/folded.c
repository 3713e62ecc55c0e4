// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks, what flamegraph.pl and many others read: a line for each stack, root first,
 * with semicolons, then a blank and the number of samples.  folded_read.c reads them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "folded.h"
#include "libop/base/hash.h"
#include "pp/formats/session/named_stack.h"
#include "libop/base/memory.h"
#include "libop/text/cells.h"

struct stack {
	char *text;
	uint64_t count;
};

struct folding {
	const struct prof *prof;
	struct pp_line line;
	struct stack *stacks;
	size_t n, capacity;
	struct op_hash by_text;
};

/* Stacks with other addresses may have the same names. */
static void add(struct folding *folding, const char *text, uint64_t count)
{
	uint64_t hash = op_hash_text(0, text);
	uint32_t id;

	op_hash_for_each_possible (&folding->by_text, hash, id) {
		if (!strcmp(folding->stacks[id].text, text)) {
			folding->stacks[id].count += count;
			return;
		}
	}
	id = (uint32_t)folding->n++;
	folding->stacks =
		pp_grow(folding->stacks, &folding->capacity, folding->n, sizeof(*folding->stacks));
	folding->stacks[id] = (struct stack){pp_copy(text), count};
	pp_hash_add(&folding->by_text, hash, id);
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

	line->n = 0;
	put_name(line, named_program(folding->prof, sample));
	for (size_t i = 0; i < stack->n; i++) {
		pp_line_puts(line, ";");
		put_name(line, stack->frames[i].line->function);
	}
	pp_line_add(line, "", 1);
	add(folding, line->text, sample->values[0].count);
}

static int write_folded(struct prof *prof, struct output *output, struct op_error *error)
{
	struct folding folding = {.prof = prof};

	if (prof->n_events > 1)
		return op_error_set(error, EINVAL,
				    "folded stacks have one event, and there are %zu: choose one "
				    "with event:NAME",
				    prof->n_events);
	named_stack_each(prof, output->names, add_stack, &folding);
	if (folding.n)
		qsort(folding.stacks, folding.n, sizeof(*folding.stacks), compare);
	for (size_t i = 0; i < folding.n; i++) {
		fprintf(output->file, "%s %" PRIu64 "\n", folding.stacks[i].text,
			folding.stacks[i].count);
		free(folding.stacks[i].text);
	}
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
	.by = PROF_BY_COMM,
};
