// SPDX-License-Identifier: GPL-2.0-or-later
/* What chance makes of functions: see verdicts.h. */
#include "verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "pp/statistics/chance.h"

/* What a function has of its own, and with what it calls: if inlined functions are part of that
 * whose symbol they are in, and if they are apart. */
enum { SELF, TOTAL, SELF_APART, TOTAL_APART, MEASURES };

/* What numbers are compared by: BASES of page/difference.js. */
enum { BY_COUNTS, BY_SECONDS, BY_SHARES, BASES };

/* Bits of a verdict. */
#define VERDICT_BITS 2

struct measured {
	uint64_t samples[MEASURES];
	double events[MEASURES];
};

/* The functions of a run of a side, and all of them, by event. */
struct run {
	const struct html_run *run;
	size_t n_functions, n_events;
	struct measured *functions; /* by function and event */
	struct measured *all;	    /* by event: SELF only */
};

struct pair {
	uint32_t events[STACK_TREE_SIDES]; /* of the tree */
	uint32_t *verdicts;		   /* by function */
};

struct verdicts {
	struct stack_tree *tree;
	struct run *runs[STACK_TREE_SIDES];
	size_t n_runs[STACK_TREE_SIDES];
	struct pair *pairs;
	size_t n_pairs;
	size_t n_functions;
	enum pp_evidence evidence[STACK_TREE_SIDES];
};

/* ---- adding up ---- */

/* While a run is added up. */
struct adding {
	struct stack_tree *tree;
	struct run *run;
	uint32_t side;
	uint32_t *images;	  /* by number of the run's profile: of the side's */
	uint64_t n;		  /* samples so far */
	uint64_t *seen[MEASURES]; /* of totals, by function: @n of the last sample with it */
};

static uint64_t image_key_of(const struct prof_image *image)
{
	return op_hash_mix(op_hash_text(0, image->path ? image->path : ""), image->is_kernel);
}

static bool image_is_same(const struct prof_image *a, const struct prof_image *b)
{
	return a->is_kernel == b->is_kernel &&
	       !strcmp(a->path ? a->path : "", b->path ? b->path : "");
}

/* The images of a run by the numbers that the whole side has. */
static uint32_t *side_images(const struct prof *side, const struct prof *run)
{
	uint32_t *images = op_alloc(run->n_images + 1, sizeof(*images));
	struct op_hash by_path = {0};
	uint32_t i;

	for (i = 0; i < side->n_images; i++)
		op_hash_add_or_exit(&by_path, image_key_of(&side->images[i]), i);
	for (uint32_t k = 0; k < run->n_images; k++)
		op_hash_for_each_possible (&by_path, image_key_of(&run->images[k]), i)
			if (image_is_same(&side->images[i], &run->images[k])) {
				images[k] = i;
				break;
			}
	op_hash_free(&by_path);
	return images;
}

static void measured_add(struct run *run, uint32_t function, int measure,
			 const struct prof_sample *sample)
{
	for (size_t i = 0; function < run->n_functions && i < sample->n_values; i++) {
		const struct prof_value *value = &sample->values[i];
		struct measured *measured =
			&run->functions[function * run->n_events + value->event];

		measured->samples[measure] += value->count;
		measured->events[measure] += (double)value->events;
	}
}

/* A function that is in a call chain more than once counts once. */
static void total_add(struct adding *adding, uint32_t function, int measure,
		      const struct prof_sample *sample)
{
	uint64_t *seen = adding->seen[measure];

	if (function >= adding->run->n_functions || seen[function] == adding->n)
		return;
	seen[function] = adding->n;
	measured_add(adding->run, function, measure, sample);
}

static void add_to_all(struct run *run, const struct prof_sample *sample)
{
	for (size_t i = 0; i < sample->n_values; i++) {
		struct measured *all = &run->all[sample->values[i].event];

		all->samples[SELF] += sample->values[i].count;
		all->events[SELF] += (double)sample->values[i].events;
	}
}

static void add_sample(void *context, const struct prof_sample *sample,
		       const struct named_stack *stack)
{
	struct adding *adding = context;
	struct run *run = adding->run;
	uint32_t symbol = stack_tree_program(adding->tree, adding->side, run->run->prof, sample,
					     adding->images[sample->app]);
	uint32_t function = symbol;

	adding->n++;
	add_to_all(run, sample);
	total_add(adding, symbol, TOTAL, sample);
	total_add(adding, symbol, TOTAL_APART, sample);
	for (size_t i = 0; i < stack->n; i++) {
		const struct named_frame *frame = &stack->frames[i];

		function = stack_tree_function(adding->tree, adding->side, frame->line,
					       adding->images[frame->image]);
		total_add(adding, function, TOTAL_APART, sample);
		if (frame->is_inlined)
			continue;
		symbol = function;
		total_add(adding, function, TOTAL, sample);
	}
	measured_add(run, symbol, SELF, sample);
	measured_add(run, function, SELF_APART, sample);
}

static void run_make(struct run *run, const struct html_run *of, struct stack_tree *tree,
		     uint32_t side)
{
	const struct prof *prof = of->prof;
	size_t n = tree->functions.n;
	struct adding adding = {.tree = tree,
				.run = run,
				.side = side,
				.images = side_images(tree->sides[side].prof, prof),
				.seen = {[TOTAL] = op_alloc(n + 1, sizeof(uint64_t)),
					 [TOTAL_APART] = op_alloc(n + 1, sizeof(uint64_t))}};

	*run = (struct run){.run = of,
			    .n_functions = n,
			    .n_events = prof->n_events,
			    .functions = op_alloc(n * prof->n_events + 1, sizeof(struct measured)),
			    .all = op_alloc(prof->n_events + 1, sizeof(struct measured))};
	named_stack_each(prof, of->names, add_sample, &adding);
	free(adding.images);
	free(adding.seen[TOTAL]);
	free(adding.seen[TOTAL_APART]);
}

static void add_runs(struct verdicts *verdicts, const struct html_side *side, uint32_t which)
{
	verdicts->n_runs[which] = side->n_runs;
	verdicts->evidence[which] = side->evidence;
	verdicts->runs[which] = op_alloc(side->n_runs + 1, sizeof(struct run));
	for (size_t i = 0; i < side->n_runs; i++)
		run_make(&verdicts->runs[which][i], &side->runs[i], verdicts->tree, which);
}

/* ---- estimates ---- */

/* The event of a run that is one of the side; n_events: it has none. */
static size_t event_in_run(const struct run *run, const struct prof_event *event)
{
	size_t i = 0;

	while (i < run->n_events && (strcmp(run->run->prof->events[i].name, event->name) != 0 ||
				     run->run->prof->events[i].period != event->period ||
				     run->run->prof->events[i].unit_mask != event->unit_mask))
		i++;
	return i;
}

static double units_by(const struct run *run, size_t event, int basis)
{
	return basis == BY_COUNTS    ? (double)run->run->sessions
	       : basis == BY_SECONDS ? run->run->seconds
				     : run->all[event].events[SELF];
}

/* Return: false if nothing is known by that basis. */
static bool estimate_by(const struct verdicts *verdicts, int side, uint32_t tree_event,
			uint32_t function, int measure, int basis, struct pp_estimate *estimate)
{
	const struct prof_event *event = verdicts->tree->events[tree_event].event;
	size_t n = verdicts->n_runs[side], used = 0;
	double *numbers = op_alloc(2 * n + 2, sizeof(*numbers)), *units = numbers + n + 1, all = 0;
	uint64_t samples = 0;

	for (size_t i = 0; i < n; i++) {
		const struct run *run = &verdicts->runs[side][i];
		size_t own = event_in_run(run, event);
		const struct measured *measured;

		if (own == run->n_events || !run->all[own].samples[SELF])
			continue;
		measured = &run->functions[function * run->n_events + own];
		samples += measured->samples[measure];
		numbers[used] = measured->events[measure];
		units[used] = units_by(run, own, basis);
		all += units[used++];
	}
	/* slices are one run together */
	for (size_t i = 0;
	     basis == BY_COUNTS && verdicts->evidence[side] == PP_FROM_SLICES && i < used; i++)
		units[i] /= all;
	if (all > 0)
		*estimate =
			pp_estimate_make(verdicts->evidence[side], samples, numbers, units, used);
	free(numbers);
	return all > 0;
}

static uint32_t judge(const struct verdicts *verdicts, const struct pair *pair, uint32_t function,
		      int measure, int basis)
{
	struct pp_estimate old, new;

	if (!estimate_by(verdicts, 0, pair->events[0], function, measure, basis, &old) ||
	    !estimate_by(verdicts, 1, pair->events[1], function, measure, basis, &new))
		return PP_CANNOT_TELL;
	return pp_chance_judge(&old, &new);
}

static void judge_pair(const struct verdicts *verdicts, struct pair *pair)
{
	pair->verdicts = op_alloc(verdicts->n_functions + 1, sizeof(*pair->verdicts));
	for (uint32_t i = 0; i < verdicts->n_functions; i++)
		for (int k = 0; k < MEASURES * BASES; k++)
			pair->verdicts[i] |= judge(verdicts, pair, i, k / BASES, k % BASES)
					     << k * VERDICT_BITS;
}

/* Events of both sides with one name are compared: the first of each. */
static void find_pairs(struct verdicts *verdicts)
{
	const struct stack_tree_event *events = verdicts->tree->events;
	size_t n = verdicts->tree->n_events;

	verdicts->pairs = op_alloc(n + 1, sizeof(*verdicts->pairs));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; !events[i].side && k < n; k++)
			if (events[k].side &&
			    !strcmp(events[i].event->name, events[k].event->name)) {
				verdicts->pairs[verdicts->n_pairs++].events[0] = i;
				verdicts->pairs[verdicts->n_pairs - 1].events[1] = k;
				break;
			}
}

struct verdicts *verdicts_new(const struct html_page *page, struct stack_tree *tree)
{
	struct verdicts *verdicts;

	if (page->n_sides < 2)
		return NULL;
	verdicts = op_alloc(1, sizeof(*verdicts));
	verdicts->tree = tree;
	verdicts->n_functions = tree->functions.n;
	for (uint32_t i = 0; i < STACK_TREE_SIDES; i++)
		add_runs(verdicts, &page->sides[i], i);
	find_pairs(verdicts);
	for (size_t i = 0; i < verdicts->n_pairs; i++)
		judge_pair(verdicts, &verdicts->pairs[i]);
	return verdicts;
}

void verdicts_free(struct verdicts *verdicts)
{
	if (!verdicts)
		return;
	for (size_t side = 0; side < STACK_TREE_SIDES; side++) {
		for (size_t i = 0; i < verdicts->n_runs[side]; i++) {
			free(verdicts->runs[side][i].functions);
			free(verdicts->runs[side][i].all);
		}
		free(verdicts->runs[side]);
	}
	for (size_t i = 0; i < verdicts->n_pairs; i++)
		free(verdicts->pairs[i].verdicts);
	free(verdicts->pairs);
	free(verdicts);
}

/* ---- in the page ---- */

void verdicts_put(const struct verdicts *verdicts, struct op_json *json)
{
	char *legend = verdicts ? pp_chance_legend(verdicts->evidence[0], verdicts->evidence[1])
				: op_copy("");

	op_json_string(json, "chance", legend);
	free(legend);
	op_json_array(json, "judged");
	for (size_t i = 0; verdicts && i < verdicts->n_pairs; i++) {
		op_json_array(json, NULL);
		for (size_t side = 0; side < STACK_TREE_SIDES; side++)
			op_json_number(json, NULL, verdicts->pairs[i].events[side]);
		op_json_end(json);
	}
	op_json_end(json);
}

size_t verdicts_columns(const struct verdicts *verdicts)
{
	return verdicts ? verdicts->n_pairs : 0;
}

void verdicts_put_column(const struct verdicts *verdicts, size_t which, struct op_buffer *column)
{
	for (size_t i = 0; i < verdicts->n_functions; i++)
		op_buffer_leb128(column, verdicts->pairs[which].verdicts[i]);
}
