// SPDX-License-Identifier: GPL-2.0-or-later
/* Arcs. */
#include "callgraph.h"

#include <stdlib.h>
#include <string.h>

#include "arc_files.h"
#include "arc_inclusive.h"
#include "libop/base/memory.h"
#include "libop/tables/pair_table.h"

/* ---- reading ---- */

void pp_arcs_read(struct pp_arcs *arcs, struct pp_profile *profile,
		  const struct pp_sample_list *list, bool sites, struct op_warnings *warnings)
{
	struct pp_arc_reading reading = {
		.arcs = arcs,
		.profile = profile,
		.list = list,
		.sites = sites,
		.warnings = warnings,
	};

	memset(arcs, 0, sizeof(*arcs));
	pp_arc_apps_make(&reading.apps, list);
	pp_trees_read(&reading);
	pp_arc_files_read(&reading);
	pp_arc_apps_free(&reading.apps);
}

/* ---- arcs ---- */

/* Rows have numbers from 1 while it is made. */
struct graph {
	struct pp_profile *profile;
	size_t columns;
	struct pp_row **rows;
	size_t n_rows, rows_capacity;
	struct op_pair_table pairs; /* the arc of each two rows; with sites, a number of them */
	struct op_pair_table sites, of_sites; /* the number of each two addresses; their arc */
	size_t arcs_capacity;
	bool by_site;
	bool has_arcs; /* they are made; else inclusive samples only */
};

static size_t number_row(struct graph *graph, struct pp_row *row)
{
	if (row->number)
		return row->number;
	graph->rows = op_grow(graph->rows, &graph->rows_capacity, graph->n_rows + 1,
			      sizeof(*graph->rows));
	graph->rows[graph->n_rows++] = row;
	return row->number = graph->n_rows;
}

/* The number of a pair in @table, from 0. */
static uint64_t number_pair(struct op_pair_table *table, uint64_t first, uint64_t second)
{
	size_t n = table->n;
	uint64_t *number = op_pair_table_get(table, first, second);

	if (table->n > n)
		*number = n;
	return *number;
}

static uint64_t *add_arc(struct graph *graph, struct pp_row *caller, struct pp_row *callee)
{
	struct pp_profile *profile = graph->profile;
	struct pp_arc *arc;

	profile->arcs = op_grow(profile->arcs, &graph->arcs_capacity, profile->n_arcs + 1,
				sizeof(*profile->arcs));
	arc = &profile->arcs[profile->n_arcs++];
	*arc = (struct pp_arc){
		.caller = caller,
		.callee = callee,
		.counts = pp_profile_keep(profile, graph->columns * sizeof(uint64_t)),
	};
	return arc->counts;
}

/* The ends of an arc: two places of a tree or of a {cg} file. */
struct ends {
	const struct pp_frames *callers, *callees;
	size_t caller, callee;
};

static uint64_t vma_of(const struct pp_frames *frames, size_t place)
{
	return frames->vmas[place];
}

/* The counts of the arc of @pair, or of its site. */
static uint64_t *counts_of(struct graph *graph, uint64_t pair, const struct ends *ends)
{
	struct pp_row *caller = ends->callers->rows[ends->caller];
	struct pp_row *callee = ends->callees->rows[ends->callee];
	struct pp_profile *profile = graph->profile;
	uint64_t site, arc, from, to;

	if (!graph->by_site) {
		if (pair == profile->n_arcs)
			add_arc(graph, caller, callee);
		return profile->arcs[pair].counts;
	}
	from = vma_of(ends->callers, ends->caller);
	to = vma_of(ends->callees, ends->callee);
	site = number_pair(&graph->sites, from, to);
	arc = number_pair(&graph->of_sites, pair, site);
	if (arc == profile->n_arcs) {
		add_arc(graph, caller, callee);
		profile->arcs[arc].from = from;
		profile->arcs[arc].to = to;
	}
	return profile->arcs[arc].counts;
}

static void add_file(struct graph *graph, const struct pp_arc_file *file)
{
	for (size_t i = 0; i < file->n; i++) {
		const struct ends ends = {
			.callers = &file->ends[PP_CALLER],
			.callees = &file->ends[PP_CALLEE],
			.caller = i,
			.callee = i,
		};
		size_t caller = number_row(graph, ends.callers->rows[i]);
		size_t callee = number_row(graph, ends.callees->rows[i]);
		uint64_t pair = number_pair(&graph->pairs, caller, callee);

		counts_of(graph, pair, &ends)[file->class] += file->entries[i].count;
	}
}

/* ---- walks of trees ---- */

#define NO_PAIR UINT32_MAX

/* A walk from the root of a tree: what the path to the current node has. */
struct walk {
	struct graph *graph;
	const struct pp_tree *tree;
	struct pp_frames places; /* all of the tree */
	uint64_t *totals;	 /* by node: of all nodes below it, too */
	uint32_t *first, *next;	 /* by node: its first callee; the next callee of its caller */
	uint32_t *pairs;	 /* by node: of its caller and itself */
	uint32_t *rows_on_path, *pairs_on_path;
	size_t n_pairs_on_path;
	uint64_t *leaves; /* by row and class: samples that the trees have */
	/* By limit; and by limit and class: samples that the trees have in code with the limit. */
	uint32_t limits_on_path[64];
	uint64_t *limited_leaves;
};

static struct pp_row *row_of(const struct walk *walk, uint32_t node)
{
	uint32_t place = walk->tree->nodes[node].place;

	return place == PP_NO_PLACE ? NULL : walk->tree->rows[place];
}

/* A pair counts once, at its first place on a path. */
static void enter_arc(struct walk *walk, uint32_t node, struct pp_row *caller,
		      struct pp_row *callee)
{
	const struct pp_tree_node *nodes = walk->tree->nodes;
	const struct ends ends = {
		.callers = &walk->places,
		.callees = &walk->places,
		.caller = nodes[nodes[node].caller].place,
		.callee = nodes[node].place,
	};
	struct graph *graph = walk->graph;
	uint64_t pair = number_pair(&graph->pairs, caller->number, callee->number);

	walk->pairs[node] = (uint32_t)pair;
	if (pair >= walk->n_pairs_on_path) {
		size_t old = walk->n_pairs_on_path;

		walk->pairs_on_path = op_grow(walk->pairs_on_path, &walk->n_pairs_on_path, pair + 1,
					      sizeof(*walk->pairs_on_path));
		memset(walk->pairs_on_path + old, 0,
		       (walk->n_pairs_on_path - old) * sizeof(*walk->pairs_on_path));
	}
	if (!walk->pairs_on_path[pair]++)
		counts_of(graph, pair, &ends)[walk->tree->class] += walk->totals[node];
}

static struct pp_row *const *outer_of(const struct walk *walk, uint32_t node)
{
	uint32_t place = walk->tree->nodes[node].place;

	return place == PP_NO_PLACE ? NULL : walk->tree->outer[place];
}

/*
 * The outer rows of a leaf have its samples already, as those of samples without a stack
 * (pp_collate_image()); one that is on the path, too, has them twice.
 */
static void enter_outer(struct walk *walk, uint32_t node)
{
	const struct pp_row *row = row_of(walk, node);
	uint64_t leaf = walk->tree->nodes[node].count;

	for (struct pp_row *const *outer = outer_of(walk, node); outer && *outer; outer++) {
		uint64_t *inclusive = &(*outer)->inclusive[walk->tree->class];
		bool is_first;

		if (*outer == row)
			continue;
		is_first = !walk->rows_on_path[(*outer)->number]++;
		if (is_first && !leaf)
			*inclusive += walk->totals[node];
		else if (!is_first && leaf)
			*inclusive -= leaf;
	}
}

/* The limits of the rows of a node, bit by bit. */
static uint64_t limits_of(const struct walk *walk, uint32_t node)
{
	struct pp_row *const *outer = outer_of(walk, node);
	uint64_t limits = row_of(walk, node)->limits;

	for (; outer && *outer; outer++)
		limits |= (*outer)->limits;
	return limits;
}

/* Samples count once for a limit, however many of its symbols they have in their chain. */
static void enter_limits(struct walk *walk, uint32_t node)
{
	struct graph *graph = walk->graph;

	for (uint64_t left = limits_of(walk, node); left; left &= left - 1) {
		size_t limit = (size_t)__builtin_ctzll(left);
		size_t at = limit * graph->columns + walk->tree->class;

		if (!walk->limits_on_path[limit]++)
			graph->profile->limited_inclusive[at] += walk->totals[node];
		walk->limited_leaves[at] += walk->tree->nodes[node].count;
	}
}

static void profile_callgraph_enter(struct walk *walk, uint32_t node)
{
	const struct pp_tree_node *at = &walk->tree->nodes[node];
	struct pp_row *row = row_of(walk, node), *caller = row_of(walk, at->caller);
	unsigned int class = walk->tree->class;

	walk->pairs[node] = NO_PAIR;
	if (!row)
		return;
	if (!walk->rows_on_path[row->number]++)
		row->inclusive[class] += walk->totals[node];
	enter_outer(walk, node);
	enter_limits(walk, node);
	walk->leaves[(row->number - 1) * walk->graph->columns + class] += at->count;
	if (caller && walk->graph->has_arcs)
		enter_arc(walk, node, caller, row);
}

static void leave(struct walk *walk, uint32_t node)
{
	struct pp_row *row = row_of(walk, node);

	if (row) {
		walk->rows_on_path[row->number]--;
		for (uint64_t left = limits_of(walk, node); left; left &= left - 1)
			walk->limits_on_path[__builtin_ctzll(left)]--;
	}
	for (struct pp_row *const *outer = outer_of(walk, node); outer && *outer; outer++)
		if (*outer != row)
			walk->rows_on_path[(*outer)->number]--;
	if (walk->pairs[node] != NO_PAIR)
		walk->pairs_on_path[walk->pairs[node]]--;
}

/* Callers are before their callees.  Nodes without samples are left out. */
static void link_nodes(struct walk *walk)
{
	const struct pp_tree *tree = walk->tree;

	for (size_t i = tree->n; i-- > 1;)
		walk->totals[i] = tree->nodes[i].count;
	for (size_t i = tree->n; i-- > 1;) {
		uint32_t caller = tree->nodes[i].caller;

		walk->totals[caller] += walk->totals[i];
		if (!walk->totals[i])
			continue;
		walk->next[i] = walk->first[caller];
		walk->first[caller] = (uint32_t)i;
	}
}

static void walk_nodes(struct walk *walk)
{
	uint32_t node = walk->first[0];

	while (node) {
		profile_callgraph_enter(walk, node);
		if (walk->first[node]) {
			node = walk->first[node];
			continue;
		}
		leave(walk, node);
		while (node && !walk->next[node]) {
			node = walk->tree->nodes[node].caller;
			if (node)
				leave(walk, node);
		}
		node = node ? walk->next[node] : 0;
	}
}

static void add_tree(struct walk *walk, const struct pp_tree *tree)
{
	walk->tree = tree;
	walk->places = (struct pp_frames){.rows = tree->rows, .vmas = tree->vmas};
	walk->totals = op_alloc(tree->n, sizeof(*walk->totals));
	walk->first = op_alloc(tree->n, sizeof(*walk->first));
	walk->next = op_alloc(tree->n, sizeof(*walk->next));
	walk->pairs = op_alloc(tree->n, sizeof(*walk->pairs));
	link_nodes(walk);
	walk_nodes(walk);
	free(walk->totals);
	free(walk->first);
	free(walk->next);
	free(walk->pairs);
}

/* ---- inclusive samples ---- */

/* Samples without callers are in no tree. */
static void add_lone_samples(struct pp_row *row, const uint64_t *leaves, size_t columns)
{
	for (size_t i = 0; i < columns; i++) {
		uint64_t known = leaves ? leaves[i] : 0;

		if (row->counts[i] > known)
			row->inclusive[i] += row->counts[i] - known;
	}
}

static void raise(uint64_t *counts, const uint64_t *least, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		if (counts[i] < least[i])
			counts[i] = least[i];
}

/*
 * Of functions that call each other in a circle it is only known that chains with an arc have its
 * ends.  Calls that callgrind counts do so more than once in a circle: nothing has more than all.
 * A callee is known by its first line, if rows are lines, which its chains need not have.
 */
static void raise_to_arcs(const struct graph *graph)
{
	const struct pp_profile *profile = graph->profile;
	uint64_t *least = op_alloc(graph->columns, sizeof(*least));

	for (size_t i = 0; i < profile->n_arcs; i++) {
		const struct pp_arc *arc = &profile->arcs[i];

		if (arc->caller == arc->callee)
			continue;
		for (size_t k = 0; k < graph->columns; k++)
			least[k] = arc->counts[k] < profile->totals[k] ? arc->counts[k]
								       : profile->totals[k];
		raise(arc->caller->inclusive, least, graph->columns);
		if (graph->has_arcs)
			raise(arc->callee->inclusive, least, graph->columns);
	}
	free(least);
}

static void finish_inclusive(const struct graph *graph, const struct pp_arcs *arcs,
			     const uint64_t *leaves)
{
	const struct pp_profile *profile = graph->profile;

	for (size_t i = 0; i < graph->n_rows; i++)
		add_lone_samples(graph->rows[i], leaves + i * graph->columns, graph->columns);
	for (size_t i = 0; i < profile->n_rows; i++)
		if (!profile->rows[i]->number)
			add_lone_samples(profile->rows[i], NULL, graph->columns);
	if (arcs->n_files)
		pp_arc_inclusive_add(arcs, graph->rows, graph->n_rows, !graph->has_arcs);
	raise_to_arcs(graph);
}

/* ---- limits ---- */

/*
 * Before the walks: all samples in code with a limit.  What is of functions that were inlined there
 * is counted already (pp_collate_image()).
 */
static uint64_t *take_limited(const struct pp_profile *profile, size_t n)
{
	uint64_t *ends = op_alloc(n, sizeof(*ends));

	for (size_t i = 0; i < n; i++) {
		ends[i] = profile->limited[i] + profile->limited_inclusive[i];
		profile->limited_inclusive[i] = 0;
	}
	return ends;
}

/* Of {cg} files it is only known what each symbol has. */
static void raise_limited(const struct pp_profile *profile, const struct pp_row *row)
{
	size_t columns = profile->classes->columns;

	for (uint64_t left = row->limits; left; left &= left - 1)
		raise(profile->limited_inclusive + (size_t)__builtin_ctzll(left) * columns,
		      row->inclusive, columns);
}

static void finish_limited(const struct graph *graph, const uint64_t *ends, const uint64_t *leaves,
			   size_t n)
{
	const struct pp_profile *profile = graph->profile;

	for (size_t i = 0; i < n; i++)
		if (ends[i] > leaves[i])
			profile->limited_inclusive[i] += ends[i] - leaves[i];
	for (size_t i = 0; i < graph->n_rows; i++)
		raise_limited(profile, graph->rows[i]);
}

/* ---- all together ---- */

static void number_rows(struct graph *graph, const struct pp_arcs *arcs)
{
	for (size_t i = 0; i < arcs->n_ends; i++)
		for (size_t k = 0; k < arcs->ends[i].frames->n; k++) {
			const struct pp_frames *frames = arcs->ends[i].frames;
			struct pp_row *const *outer = frames->outer ? frames->outer[k] : NULL;

			number_row(graph, frames->rows[k]);
			for (; outer && *outer; outer++)
				number_row(graph, *outer);
		}
}

void pp_arcs_finish(const struct pp_arcs *arcs, struct pp_profile *profile, bool make_arcs)
{
	struct graph graph = {
		.profile = profile, .columns = profile->classes->columns, .has_arcs = make_arcs};
	struct walk walk = {.graph = &graph};
	size_t n_limited = profile->n_limits * graph.columns;
	uint64_t *limited = take_limited(profile, n_limited);

	for (size_t i = 0; i < arcs->n_ends; i++)
		graph.by_site |= arcs->ends[i].frames->vmas != NULL;
	number_rows(&graph, arcs);
	walk.rows_on_path = op_alloc(graph.n_rows + 1, sizeof(*walk.rows_on_path));
	walk.leaves = op_alloc(graph.n_rows * graph.columns, sizeof(*walk.leaves));
	walk.limited_leaves = op_alloc(n_limited, sizeof(*walk.limited_leaves));
	for (size_t i = 0; i < arcs->n_trees; i++)
		add_tree(&walk, &arcs->trees[i]);
	for (size_t i = 0; i < arcs->n_files; i++)
		add_file(&graph, &arcs->files[i]);
	finish_inclusive(&graph, arcs, walk.leaves);
	finish_limited(&graph, limited, walk.limited_leaves, n_limited);
	op_pair_table_free(&graph.pairs);
	op_pair_table_free(&graph.sites);
	op_pair_table_free(&graph.of_sites);
	free(walk.rows_on_path);
	free(walk.pairs_on_path);
	free(walk.leaves);
	free(walk.limited_leaves);
	free(limited);
	free(graph.rows);
}

void pp_arcs_free(struct pp_arcs *arcs)
{
	pp_arc_files_free(arcs);
	pp_trees_free(arcs);
	free(arcs->ends);
	memset(arcs, 0, sizeof(*arcs));
}
