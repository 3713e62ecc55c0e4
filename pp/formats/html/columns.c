// SPDX-License-Identifier: GPL-2.0-or-later
/* The data of a page: see columns.h. */
#include "columns.h"

#include <stdlib.h>

#include "about.h"
#include "deflated.h"
#include "libop/base/buffer.h"
#include "libop/base/memory.h"
#include "libop/base/text_stream.h"
#include "libop/tables/pair_table.h"
#include "pp/formats/model/timeline.h"
#include "verdicts.h"

struct columns {
	const struct html_page *page;
	const struct stack_tree *tree;
	struct deflated *out;
	struct listings *listings;
	const struct verdicts *verdicts; /* NULL of one side */
	struct op_buffer column;	 /* that is being made */
	/* By event: how many a sample stands for; 0: they differ, or there are none. */
	uint64_t *periods;
	bool any_weighted;
};

/* Writes the column that was made, and begins another one. */
static void end_column(struct columns *columns)
{
	uint8_t length[OP_LEB128_MOST];

	op_buffer_check(&columns->column);
	deflated_put(columns->out, length, op_leb128_write(length, columns->column.used));
	deflated_put(columns->out, columns->column.bytes, columns->column.used);
	columns->column.used = 0;
}

static void write_json(struct columns *columns)
{
	struct op_text_stream stream;

	op_text_stream_open(&stream);
	about_write(columns->page, columns->tree, columns->listings, columns->verdicts,
		    columns->periods, stream.out);
	op_text_stream_close(&stream);
	op_buffer_put(&columns->column, stream.text, stream.length);
	free(stream.text);
	end_column(columns);
}

/* ---- columns ---- */

/* A tree in preorder: the parent of each node, or FUNCTION_TREE_ROOT, and what it is of. */
struct labelled_tree {
	const uint32_t *parents, *labels;
	size_t n;
};

/* The ranks of labels among those below the label of the node above, in the order in which they are
 * there first: most are few.  Then the labels themselves, where one is there first. */
static void write_labels(struct columns *columns, const struct labelled_tree *tree)
{
	struct op_pair_table ranks = {0}, counts = {0};
	struct op_buffer first = {0};

	for (size_t i = 0; i < tree->n; i++) {
		uint32_t parent = tree->parents[i];
		uint32_t above = parent == FUNCTION_TREE_ROOT ? 0 : tree->labels[parent];
		uint64_t *rank = op_pair_table_get(&ranks, above, tree->labels[i]);

		if (!*rank) {
			*rank = ++*op_pair_table_get(&counts, above, 0);
			op_buffer_leb128(&first, tree->labels[i]);
		}
		op_buffer_leb128(&columns->column, *rank - 1);
	}
	end_column(columns);
	op_buffer_check(&first);
	op_buffer_put(&columns->column, first.bytes, first.used);
	end_column(columns);
	op_buffer_free(&first);
	op_pair_table_free(&ranks);
	op_pair_table_free(&counts);
}

/* Of each node, from the one before up to its parent. */
static void write_steps(struct columns *columns, const struct labelled_tree *tree)
{
	uint32_t *depths = op_alloc(tree->n + 1, sizeof(*depths)), depth = 0;

	for (size_t i = 0; i < tree->n; i++) {
		uint32_t parent = tree->parents[i];

		depths[i] = parent == FUNCTION_TREE_ROOT ? 0 : depths[parent] + 1;
		op_buffer_leb128(&columns->column, i ? depth + 1 - depths[i] : 0);
		depth = depths[i];
	}
	end_column(columns);
	free(depths);
}

static void write_tree(struct columns *columns, const struct labelled_tree *tree)
{
	write_steps(columns, tree);
	write_labels(columns, tree);
}

static void write_nodes(struct columns *columns)
{
	const struct stack_tree *tree = columns->tree;
	uint32_t *parents = op_alloc(tree->n_nodes + 1, sizeof(*parents));
	uint32_t *labels = op_alloc(tree->n_nodes + 1, sizeof(*labels));

	for (size_t i = 0; i < tree->n_nodes; i++) {
		parents[i] = tree->nodes[i].parent;
		labels[i] = tree->nodes[i].function << 1 | tree->nodes[i].is_inlined;
	}
	write_tree(columns, &(struct labelled_tree){parents, labels, tree->n_nodes});
	free(parents);
	free(labels);
}

/* Entries are in the order of nodes, and chains in much the same one. */
static void write_chains_of_entries(struct columns *columns)
{
	const struct stack_tree *tree = columns->tree;
	uint32_t before = 0;

	for (size_t i = 0; tree->n_chains && i < tree->n_entries; i++) {
		uint32_t chain = tree->entries[i].chain;

		if (!chain) {
			op_buffer_leb128(&columns->column, 0);
			continue;
		}
		op_buffer_leb128(&columns->column, chain > before
							   ? 2 * (uint64_t)(chain - before)
							   : 2 * (uint64_t)(before - chain) + 1);
		before = chain;
	}
	end_column(columns);
}

static void write_entries(struct columns *columns)
{
	const struct stack_tree *tree = columns->tree;
	uint32_t node = 0;

	for (size_t i = 0; i < tree->n_entries; i++) {
		op_buffer_leb128(&columns->column, tree->entries[i].node - node);
		node = tree->entries[i].node;
	}
	end_column(columns);
	for (size_t i = 0; i < tree->n_entries; i++)
		op_buffer_leb128(&columns->column, tree->entries[i].thread);
	end_column(columns);
	write_chains_of_entries(columns);
}

static void write_chains(struct columns *columns)
{
	const struct stack_tree *tree = columns->tree;
	uint32_t *parents = op_alloc(tree->n_chains + 1, sizeof(*parents));
	uint32_t *labels = op_alloc(tree->n_chains + 1, sizeof(*labels));

	for (size_t i = 0; i < tree->n_chains; i++) {
		parents[i] = tree->chains[i].parent;
		labels[i] = tree->chains[i].place;
	}
	write_tree(columns, &(struct labelled_tree){parents, labels, tree->n_chains});
	free(parents);
	free(labels);
}

/* How many events a sample of @event stands for, if it is the same number for all; else 0. */
static uint64_t common_period(const struct stack_tree *tree, size_t event)
{
	uint64_t period = 0;

	for (size_t i = 0; i < tree->n_entries; i++) {
		const struct prof_value *value = &tree->values[tree->entries[i].values + event];

		if (!value->count)
			continue;
		if (!period)
			period = value->events / value->count;
		if (!period || value->events != value->count * period)
			return 0;
	}
	return period;
}

static void find_periods(struct columns *columns)
{
	size_t n = columns->tree->n_events;

	columns->periods = op_alloc(n ? n : 1, sizeof(*columns->periods));
	for (size_t i = 0; i < n; i++) {
		columns->periods[i] = common_period(columns->tree, i);
		columns->any_weighted |= !columns->periods[i];
	}
}

static void write_values(struct columns *columns)
{
	const struct stack_tree *tree = columns->tree;

	for (size_t event = 0; event < columns->tree->n_events; event++) {
		for (size_t i = 0; i < tree->n_entries; i++)
			op_buffer_leb128(&columns->column,
					 tree->values[tree->entries[i].values + event].count);
		end_column(columns);
		for (size_t i = 0; !columns->periods[event] && i < tree->n_entries; i++)
			op_buffer_leb128(&columns->column,
					 tree->values[tree->entries[i].values + event].events);
		end_column(columns);
	}
}

/* The event of each value, in the order of prof_next(), as moments number them. */
static uint32_t *events_of_values(const struct columns *columns, const struct prof *prof)
{
	uint32_t *events = op_alloc(columns->tree->n_sample_values + 1, sizeof(*events));
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	size_t n = 0;

	while (prof_next_values(prof, &cursor, &sample))
		for (size_t i = 0; i < sample.n_values; i++)
			events[n++] = sample.values[i].event;
	prof_cursor_free(&cursor);
	return events;
}

static void write_moments(struct columns *columns, const struct prof *prof)
{
	uint32_t *events = prof->n_moments ? events_of_values(columns, prof) : NULL;
	uint64_t time = prof->n_moments ? prof->moments[0].time / 1000 : 0;

	for (size_t i = 0; i < prof->n_moments; i++) {
		op_buffer_leb128(&columns->column, prof->moments[i].time / 1000 - time);
		time = prof->moments[i].time / 1000;
	}
	end_column(columns);
	for (size_t i = 0; i < prof->n_moments; i++) {
		uint32_t value = prof->moments[i].value;

		op_buffer_leb128(&columns->column,
				 (uint64_t)columns->tree->entry_of_value[value] * prof->n_events +
					 events[value]);
	}
	end_column(columns);
	for (size_t i = 0; i < prof->n_moments; i++)
		op_buffer_leb128(&columns->column, prof->moments[i].count);
	end_column(columns);
	for (size_t i = 0; columns->any_weighted && i < prof->n_moments; i++)
		op_buffer_leb128(&columns->column, prof->moments[i].events);
	end_column(columns);
	free(events);
}

static void write_verdicts(struct columns *columns)
{
	for (size_t i = 0; i < verdicts_columns(columns->verdicts); i++) {
		verdicts_put_column(columns->verdicts, i, &columns->column);
		end_column(columns);
	}
}

void columns_write(const struct html_page *page, const struct stack_tree *tree,
		   struct listings *listings, const struct verdicts *verdicts, FILE *out)
{
	static const struct prof no_moments;
	struct columns columns = {
		.page = page, .tree = tree, .listings = listings, .verdicts = verdicts};
	struct prof *prof = page->sides[0].prof;

	/* two profiles have no common time */
	if (page->n_sides == 1)
		prof_sort_moments(prof, PROF_IN_TIME);
	columns.out = deflated_new(out);
	find_periods(&columns);
	write_json(&columns);
	write_nodes(&columns);
	write_entries(&columns);
	write_chains(&columns);
	write_values(&columns);
	write_verdicts(&columns);
	write_moments(&columns, page->n_sides == 1 ? prof : &no_moments);
	deflated_end(columns.out);
	free(columns.periods);
	op_buffer_free(&columns.column);
}
