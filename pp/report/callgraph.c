// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The call graph: each symbol between its callers and what it calls.
 *
 *	---------------
 *	  10  20.0 main		callers, the one with the most samples last
 *	  40  80.0 other
 *	50   5.0  work		the symbol, with the samples of its own code
 *	  90  64.2 helper	what it calls, the one with the most samples first
 *	  50  35.7 work [self]
 *	---------------
 */
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/search.h"
#include "table.h"
#include "pp/select/weights.h"

static const char rule[] =
	"-------------------------------------------------------------------------------";

/* Arcs, sorted by one of their ends. */
struct index {
	const struct pp_arc **arcs;
	size_t n;
};

struct graph {
	struct pp_table table;
	struct index by_caller, by_callee;
	uint64_t *sums, *wholes; /* by class, of the current block */
};

static int row_compare_rows(const struct pp_row *a, const struct pp_row *b)
{
	int order = strcmp(a->symbol, b->symbol);

	order = order ? order : op_compare_u64(a->image->order, b->image->order);
	order = order ? order : op_compare_u64(a->app->order, b->app->order);
	return order ? order : op_compare_u64(a->place.vma, b->place.vma);
}

/* Callers with the most samples last. */
static int compare_callers(const void *a, const void *b, void *classes)
{
	const struct pp_arc *left = *(const struct pp_arc *const *)a;
	const struct pp_arc *right = *(const struct pp_arc *const *)b;
	int order = op_compare_u64((uintptr_t)left->callee, (uintptr_t)right->callee);

	order = order ? order
		      : op_compare_u64(pp_weight(classes, left->counts, 0),
				       pp_weight(classes, right->counts, 0));
	return order ? order : row_compare_rows(left->caller, right->caller);
}

/* Callees with the most samples first. */
static int compare_callees(const void *a, const void *b, void *classes)
{
	const struct pp_arc *left = *(const struct pp_arc *const *)a;
	const struct pp_arc *right = *(const struct pp_arc *const *)b;
	int order = op_compare_u64((uintptr_t)left->caller, (uintptr_t)right->caller);

	order = order ? order
		      : op_compare_u64(pp_weight(classes, right->counts, 0),
				       pp_weight(classes, left->counts, 0));
	return order ? order : row_compare_rows(left->callee, right->callee);
}

/* The threshold leaves out lines; the others stay as they are. */
static bool reaches(const struct graph *graph, const uint64_t *counts, const uint64_t *wholes)
{
	return pp_weight_share(graph->table.profile->classes, counts, wholes, 0) >=
	       graph->table.style->threshold;
}

static void make_index(const struct graph *graph, struct index *index,
		       int (*compare)(const void *, const void *, void *))
{
	const struct pp_profile *profile = graph->table.profile;

	index->arcs = op_alloc(profile->n_arcs, sizeof(*index->arcs));
	for (size_t i = 0; i < profile->n_arcs; i++)
		index->arcs[index->n++] = &profile->arcs[i];
	if (index->n)
		qsort_r(index->arcs, index->n, sizeof(*index->arcs), compare,
			(void *)profile->classes);
}

static int compare_to_callee(const void *row, const void *arc)
{
	return op_compare_u64((uintptr_t)row,
			      (uintptr_t)(*(const struct pp_arc *const *)arc)->callee);
}

static int compare_to_caller(const void *row, const void *arc)
{
	return op_compare_u64((uintptr_t)row,
			      (uintptr_t)(*(const struct pp_arc *const *)arc)->caller);
}

/* The arcs of @row, which is the end by which @index is sorted; *@n is set to their number. */
static const struct pp_arc **find_arcs(const struct index *index, const struct pp_row *row,
				       bool is_callee, size_t *n)
{
	size_t first = op_first_match(row, index->arcs, index->n, sizeof(*index->arcs),
				      is_callee ? compare_to_callee : compare_to_caller);
	size_t end;

	for (end = first; end < index->n; end++)
		if ((is_callee ? index->arcs[end]->callee : index->arcs[end]->caller) != row)
			break;
	*n = end - first;
	return index->arcs + first;
}

/* Starts callers or callees: percentages are of their sum. */
static const uint64_t *begin_block(struct graph *graph, const struct pp_arc **arcs, size_t n,
				   const uint64_t *self)
{
	const struct pp_classes *classes = graph->table.profile->classes;
	size_t size = classes->columns * sizeof(uint64_t);

	memset(graph->sums, 0, size);
	memset(graph->wholes, 0, size);
	for (size_t i = 0; i < n; i++)
		pp_counts_add(classes, graph->wholes, arcs[i]->counts);
	if (self)
		pp_counts_add(classes, graph->wholes, self);
	return graph->table.style->global_percent ? graph->table.profile->totals : graph->wholes;
}

/* A caller or callee that reaches the threshold, or, with @more, the symbol itself. */
static void put_end(struct graph *graph, const struct pp_row *row, const uint64_t *counts,
		    const uint64_t *wholes, const char *more)
{
	struct pp_table *table = &graph->table;

	if (!*more && !reaches(graph, counts, wholes))
		return;
	table->is_indented = true;
	pp_table_numbers(table, &row->place, counts, wholes, graph->sums);
	pp_table_names(table, row, more);
	table->is_indented = false;
}

static void put_callers(struct graph *graph, const struct pp_arc **arcs, size_t n)
{
	const uint64_t *wholes = begin_block(graph, arcs, n, NULL);

	for (size_t i = 0; i < n; i++)
		put_end(graph, arcs[i]->caller, arcs[i]->counts, wholes, "");
}

/* The symbol itself, as "[self]", is listed among its callees. */
static void put_callees(struct graph *graph, const struct pp_row *row, const struct pp_arc **arcs,
			size_t n)
{
	const uint64_t *wholes = begin_block(graph, arcs, n, row->counts);
	const struct pp_classes *classes = graph->table.profile->classes;
	uint64_t self = pp_weight(classes, row->counts, 0);
	size_t i = 0;

	for (; i < n && pp_weight(classes, arcs[i]->counts, 0) >= self; i++)
		put_end(graph, arcs[i]->callee, arcs[i]->counts, wholes, "");
	put_end(graph, row, row->counts, wholes, " [self]");
	for (; i < n; i++)
		put_end(graph, arcs[i]->callee, arcs[i]->counts, wholes, "");
}

static void put_rule(struct graph *graph)
{
	op_line_puts(&graph->table.line, rule);
	op_line_end(&graph->table.line, graph->table.out);
}

void pp_report_callgraph(struct pp_profile *profile, const struct pp_report_style *style, FILE *out)
{
	struct graph graph = {.table = {.profile = profile, .style = style, .out = out}};
	uint64_t *sums = op_alloc(profile->classes->columns, sizeof(*sums));

	graph.sums = op_alloc(profile->classes->columns, sizeof(*graph.sums));
	graph.wholes = op_alloc(profile->classes->columns, sizeof(*graph.wholes));
	make_index(&graph, &graph.by_caller, compare_callees);
	make_index(&graph, &graph.by_callee, compare_callers);
	pp_table_sort(profile, style);
	pp_table_choose(&graph.table, true);
	pp_table_columns(&graph.table);
	pp_table_head(&graph.table);
	put_rule(&graph);
	for (size_t i = 0; i < graph.table.n; i++) {
		const struct pp_row *row = graph.table.rows[i];
		const struct pp_arc **callers, **callees;
		size_t n_callers, n_callees;

		callers = find_arcs(&graph.by_callee, row, true, &n_callers);
		callees = find_arcs(&graph.by_caller, row, false, &n_callees);
		put_callers(&graph, callers, n_callers);
		pp_table_numbers(&graph.table, &row->place, row->counts, profile->totals, sums);
		pp_table_names(&graph.table, row, "");
		put_callees(&graph, row, callees, n_callees);
		put_rule(&graph);
	}
	pp_table_rest(&graph.table);
	free(graph.by_caller.arcs);
	free(graph.by_callee.arcs);
	free(graph.sums);
	free(graph.wholes);
	free(sums);
	pp_table_free(&graph.table);
}
