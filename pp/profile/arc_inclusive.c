// SPDX-License-Identifier: GPL-2.0-or-later
/* Inclusive samples of {cg} files: see arc_inclusive.h. */
#include "arc_inclusive.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"

/* Who calls whom, and which of them are in one circle. */
struct circles {
	size_t n;	    /* functions */
	uint32_t *function; /* by row */
	size_t *first;	    /* by function: its first callee; and an end */
	uint32_t *callees;
	uint32_t *circle; /* by function: a number that those of its circle have */

	/* While circles are found. */
	uint32_t *order, *low; /* when it was met, from 1; the first that it leads to */
	size_t *next;	       /* its next callee */
	bool *is_open;
	uint32_t *path, *open; /* stacks */
	size_t n_path, n_open;
	uint32_t n_met, n_circles;
};

/* ---- functions ---- */

static uint64_t hash_row(const struct pp_row *row)
{
	return op_hash_text(op_hash_mix((uintptr_t)row->app, (uintptr_t)row->image), row->symbol);
}

/* Lines of one function are one. */
static void number_functions(struct circles *circles, struct pp_row *const *rows, size_t n_rows)
{
	struct op_hash by_name = {0};
	uint32_t *first = op_alloc(n_rows, sizeof(*first)); /* by function: its first row */

	for (uint32_t i = 0; i < n_rows; i++) {
		uint64_t hash = hash_row(rows[i]);
		uint32_t function;

		op_hash_for_each_possible (&by_name, hash, function) {
			const struct pp_row *known = rows[first[function]];

			if (known->app == rows[i]->app && known->image == rows[i]->image &&
			    !strcmp(known->symbol, rows[i]->symbol))
				break;
		}
		if (function == OP_HASH_NONE) {
			function = (uint32_t)circles->n++;
			first[function] = i;
			op_hash_add_or_exit(&by_name, hash, function);
		}
		circles->function[i] = function;
	}
	op_hash_free(&by_name);
	free(first);
}

static uint32_t function_at(const struct circles *circles, const struct pp_arc_file *file,
			    enum pp_end end, size_t i)
{
	return circles->function[file->ends[end].rows[i]->number - 1];
}

static void list_callees(struct circles *circles, const struct pp_arcs *arcs)
{
	size_t n = 0;

	circles->first = op_alloc(circles->n + 2, sizeof(*circles->first));
	for (size_t f = 0; f < arcs->n_files; f++) {
		n += arcs->files[f].n;
		for (size_t i = 0; i < arcs->files[f].n; i++)
			circles->first[function_at(circles, &arcs->files[f], PP_CALLER, i) + 2]++;
	}
	for (size_t i = 2; i < circles->n + 2; i++)
		circles->first[i] += circles->first[i - 1];
	circles->callees = op_alloc(n, sizeof(*circles->callees));
	/* first[i + 1] is where the next one of i goes, and so its end at last */
	for (size_t f = 0; f < arcs->n_files; f++)
		for (size_t i = 0; i < arcs->files[f].n; i++)
			circles->callees[circles->first[function_at(circles, &arcs->files[f],
								    PP_CALLER, i) +
							1]++] =
				function_at(circles, &arcs->files[f], PP_CALLEE, i);
}

/* ---- circles (Tarjan's strongly connected components, without recursion) ---- */

static void circles_enter(struct circles *circles, uint32_t function)
{
	circles->order[function] = circles->low[function] = ++circles->n_met;
	circles->next[function] = circles->first[function];
	circles->is_open[function] = true;
	circles->open[circles->n_open++] = function;
	circles->path[circles->n_path++] = function;
}

static void take_low(struct circles *circles, uint32_t function, uint32_t low)
{
	if (low < circles->low[function])
		circles->low[function] = low;
}

/* All that was met behind @function and leads to it is a circle. */
static void circles_close(struct circles *circles, uint32_t function)
{
	uint32_t other;

	do {
		other = circles->open[--circles->n_open];
		circles->is_open[other] = false;
		circles->circle[other] = circles->n_circles;
	} while (other != function);
	circles->n_circles++;
}

/* The next callee of the function at the end of the path, or its end. */
static void circles_step(struct circles *circles)
{
	uint32_t function = circles->path[circles->n_path - 1], callee;

	if (circles->next[function] < circles->first[function + 1]) {
		callee = circles->callees[circles->next[function]++];
		if (!circles->order[callee])
			circles_enter(circles, callee);
		else if (circles->is_open[callee])
			take_low(circles, function, circles->order[callee]);
		return;
	}
	circles->n_path--;
	if (circles->n_path)
		take_low(circles, circles->path[circles->n_path - 1], circles->low[function]);
	if (circles->low[function] == circles->order[function])
		circles_close(circles, function);
}

static void find_circles(struct circles *circles)
{
	size_t n = circles->n;

	circles->order = op_alloc(n, sizeof(*circles->order));
	circles->low = op_alloc(n, sizeof(*circles->low));
	circles->next = op_alloc(n, sizeof(*circles->next));
	circles->is_open = op_alloc(n, sizeof(*circles->is_open));
	circles->path = op_alloc(n, sizeof(*circles->path));
	circles->open = op_alloc(n, sizeof(*circles->open));
	circles->circle = op_alloc(n, sizeof(*circles->circle));
	for (uint32_t i = 0; i < n; i++) {
		if (!circles->order[i])
			circles_enter(circles, i);
		while (circles->n_path)
			circles_step(circles);
	}
}

static void circles_free(struct circles *circles)
{
	free(circles->function);
	free(circles->first);
	free(circles->callees);
	free(circles->circle);
	free(circles->order);
	free(circles->low);
	free(circles->next);
	free(circles->is_open);
	free(circles->path);
	free(circles->open);
}

/* ---- samples ---- */

static bool is_in_circle(const struct circles *circles, const struct pp_arc_file *file, size_t i)
{
	return circles->circle[function_at(circles, file, PP_CALLER, i)] ==
	       circles->circle[function_at(circles, file, PP_CALLEE, i)];
}

static void add_arcs(const struct circles *circles, const struct pp_arc_file *file)
{
	for (size_t i = 0; i < file->n; i++)
		if (!is_in_circle(circles, file, i))
			file->ends[PP_CALLER].rows[i]->inclusive[file->class] +=
				file->entries[i].count;
}

void pp_arc_inclusive_add(const struct pp_arcs *arcs, struct pp_row *const *rows, size_t n_rows,
			  bool by_line)
{
	struct circles circles = {.function = op_alloc(n_rows, sizeof(*circles.function))};

	if (by_line) {
		number_functions(&circles, rows, n_rows);
	} else {
		circles.n = n_rows;
		for (uint32_t i = 0; i < n_rows; i++)
			circles.function[i] = i;
	}
	list_callees(&circles, arcs);
	find_circles(&circles);
	for (size_t i = 0; i < arcs->n_files; i++)
		add_arcs(&circles, &arcs->files[i]);
	circles_free(&circles);
}
