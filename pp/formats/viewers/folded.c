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
#include "pp/formats/model/weights.h"
#include "pp/formats/session/function_tree.h"
#include "pp/formats/session/named_stack.h"
#include "libop/base/memory.h"
#include "libop/tables/name_index.h"
#include "libop/tables/pair_table.h"
#include "libop/text/cells.h"

struct numbers {
	uint64_t of[2]; /* by column */
};

struct folding {
	const struct prof *prof;
	bool *weights;
	size_t n_columns;
	struct function_tree tree;
	struct numbers *numbers; /* of the nodes of the tree, as far as samples end there */
	size_t n_numbers, numbers_capacity;
	struct op_names names; /* of functions and programs, as they are written, which are owned */
	struct op_pair_table by_text; /* their numbers by where the text is */
	struct op_line line;
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

/* ---- names ---- */

/* Semicolons mean something. */
static void folded_put_name(struct op_line *line, const char *name)
{
	for (size_t n; n = strcspn(name, ";"), name[n]; name += n + 1) {
		op_line_safe_add(line, name, n);
		op_line_puts(line, ":");
	}
	op_line_safe(line, name);
}

/* The number of a name; names that are written alike have one. */
static uint32_t folding_name_of(struct folding *folding, const char *text)
{
	size_t n = folding->by_text.n, known;
	uint64_t *number = op_pair_table_get(&folding->by_text, (uintptr_t)text, 0);
	char *written;

	if (folding->by_text.n == n)
		return (uint32_t)*number;
	folding->line.n = 0;
	folded_put_name(&folding->line, text);
	op_line_add(&folding->line, "", 1);
	written = op_copy(folding->line.text);
	known = folding->names.n;
	*number = op_names_index(&folding->names, written);
	if (*number != known)
		free(written);
	return (uint32_t)*number;
}

/* ---- adding up ---- */

static void add_stack(void *context, const struct prof_sample *sample,
		      const struct named_stack *stack)
{
	struct folding *folding = context;
	const char *program = named_program(folding->prof, sample);
	uint32_t node = function_tree_step(&folding->tree, 0, folding_name_of(folding, program));
	struct numbers *numbers;

	for (size_t i = 0; i < stack->n; i++)
		node = function_tree_step(
			&folding->tree, i + 1,
			folding_name_of(folding, stack->frames[i].line->function));
	if (node >= folding->n_numbers) {
		folding->numbers = op_grow(folding->numbers, &folding->numbers_capacity,
					   (size_t)node + 1, sizeof(*folding->numbers));
		memset(folding->numbers + folding->n_numbers, 0,
		       (node + 1 - folding->n_numbers) * sizeof(*folding->numbers));
		folding->n_numbers = (size_t)node + 1;
	}
	numbers = &folding->numbers[node];
	for (size_t i = 0; i < sample->n_values; i++)
		numbers->of[column_of(folding, sample->values[i].event)] +=
			prof_number(folding->weights, &sample->values[i]);
}

/* ---- writing ---- */

/* What follows the line of a node's caller: the line of the node, or those of its callees. */
struct item {
	uint32_t node;
	bool is_line;
};

/* The items below a node that are not written yet, and the line up to it. */
struct level {
	size_t at, end, length;
};

struct writing {
	const struct folding *folding;
	struct item *items; /* by parent */
	size_t *first;	    /* by parent + 1: its first item; of no parent, 0 */
	struct level *levels;
	size_t depth, levels_capacity;
	struct op_line line;
	FILE *out;
};

static uint32_t parent_of(const struct folding *folding, const struct item *item)
{
	return folding->tree.nodes[item->node].parent;
}

static const char *text_of(const struct folding *folding, const struct item *item)
{
	return folding->names.names[folding->tree.nodes[item->node].function];
}

/* By parent, and then in the order of the lines: a name ends there, or a semicolon follows it. */
static int compare_items(const void *a, const void *b, void *context)
{
	const struct folding *folding = context;
	const struct item *x = a, *y = b;
	uint32_t x_parent = parent_of(folding, x) + 1, y_parent = parent_of(folding, y) + 1;
	const char *x_text = text_of(folding, x), *y_text = text_of(folding, y);
	unsigned char x_end = x->is_line ? '\0' : ';', y_end = y->is_line ? '\0' : ';';
	unsigned char x_char, y_char;

	if (x_parent != y_parent)
		return x_parent < y_parent ? -1 : 1;
	while (*x_text && *x_text == *y_text) {
		x_text++;
		y_text++;
	}
	x_char = *x_text ? (unsigned char)*x_text : x_end;
	y_char = *y_text ? (unsigned char)*y_text : y_end;
	return (x_char > y_char) - (x_char < y_char);
}

/* What has no event, such as a last sample that took no time, has no line. */
static bool has_line(const struct folding *folding, size_t node)
{
	const struct numbers *numbers = &folding->numbers[node];

	return node < folding->n_numbers && (numbers->of[0] || numbers->of[1]);
}

static void make_items(struct writing *writing)
{
	const struct folding *folding = writing->folding;
	size_t nodes = folding->tree.n, n = 0;
	bool *has_callees = op_alloc(nodes + 1, sizeof(*has_callees)); /* by parent + 1 */

	for (size_t i = 0; i < nodes; i++)
		has_callees[folding->tree.nodes[i].parent + 1] = true;
	writing->items = op_alloc(2 * nodes, sizeof(*writing->items));
	for (size_t i = 0; i < nodes; i++) {
		if (has_line(folding, i))
			writing->items[n++] = (struct item){(uint32_t)i, true};
		if (has_callees[i + 1])
			writing->items[n++] = (struct item){(uint32_t)i, false};
	}
	free(has_callees);
	if (n)
		qsort_r(writing->items, n, sizeof(*writing->items), compare_items,
			(void *)folding);
	writing->first = op_alloc(nodes + 2, sizeof(*writing->first));
	for (size_t i = 0; i < n; i++)
		writing->first[(size_t)(parent_of(folding, &writing->items[i]) + 1) + 1]++;
	for (size_t i = 0; i <= nodes; i++)
		writing->first[i + 1] += writing->first[i];
}

static void enter_level(struct writing *writing, size_t parent_plus_1)
{
	writing->levels = op_grow(writing->levels, &writing->levels_capacity, writing->depth + 1,
				  sizeof(*writing->levels));
	writing->levels[writing->depth++] = (struct level){.at = writing->first[parent_plus_1],
							   .end = writing->first[parent_plus_1 + 1],
							   .length = writing->line.n};
}

static void folded_put_line(const struct writing *writing, uint32_t node)
{
	fwrite(writing->line.text, 1, writing->line.n, writing->out);
	for (size_t i = 0; i < writing->folding->n_columns; i++)
		fprintf(writing->out, " %" PRIu64, writing->folding->numbers[node].of[i]);
	fputc('\n', writing->out);
}

/* A walk through the tree, whose lines begin with what their callers have. */
static void folding_put_lines(const struct folding *folding, FILE *out)
{
	struct writing writing = {.folding = folding, .out = out};

	make_items(&writing);
	enter_level(&writing, 0);
	while (writing.depth) {
		struct level *level = &writing.levels[writing.depth - 1];
		const struct item *item = &writing.items[level->at];

		if (level->at == level->end) {
			writing.depth--;
			continue;
		}
		level->at++;
		writing.line.n = level->length;
		op_line_puts(&writing.line, text_of(folding, item));
		if (item->is_line) {
			folded_put_line(&writing, item->node);
		} else {
			op_line_puts(&writing.line, ";");
			enter_level(&writing, (size_t)item->node + 1);
		}
	}
	free(writing.items);
	free(writing.first);
	free(writing.levels);
	op_line_free(&writing.line);
}

static void folding_free(struct folding *folding)
{
	for (size_t i = 0; i < folding->names.n; i++)
		free((char *)folding->names.names[i]);
	op_names_free(&folding->names);
	op_pair_table_free(&folding->by_text);
	function_tree_free(&folding->tree);
	op_line_free(&folding->line);
	free(folding->numbers);
	free(folding->weights);
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
	function_tree_finish(&folding.tree);
	folding_put_lines(&folding, output->file);
	folding_free(&folding);
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
