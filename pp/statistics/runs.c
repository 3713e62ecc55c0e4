// SPDX-License-Identifier: GPL-2.0-or-later
/* What each run has of the rows of a profile: see runs.h. */
#include "runs.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/closed/times.h"
#include "pp/select/weights.h"

/* ---- rows by name ---- */

static uint64_t part_key_of(const struct pp_image *app, const struct pp_image *image)
{
	return op_hash_text(op_hash_text(0, app->full), image->full);
}

/* Several functions of an image may have one name, and several lines one place. */
static uint64_t row_key_of(const struct pp_row *row)
{
	uint64_t key = part_key_of(row->app, row->image);

	key = op_hash_mix(op_hash_mix(key, row->place.vma), (uint64_t)row->place.line);
	return op_hash_text(op_hash_text(key, row->symbol), row->place.file ? row->place.file : "");
}

static bool image_is_same(const struct pp_image *a, const struct pp_image *b)
{
	return !strcmp(a->full, b->full);
}

static bool row_is_same(const struct pp_row *a, const struct pp_row *b)
{
	const char *file_a = a->place.file ? a->place.file : "";
	const char *file_b = b->place.file ? b->place.file : "";

	return !strcmp(a->symbol, b->symbol) && image_is_same(a->image, b->image) &&
	       image_is_same(a->app, b->app) && a->place.vma == b->place.vma &&
	       a->place.line == b->place.line && !strcmp(file_a, file_b);
}

static void index_rows(struct pp_runs *runs, bool are_symbols)
{
	const struct pp_profile *profile = &runs->profile;

	for (size_t i = 0; are_symbols && i < profile->n_rows; i++)
		op_hash_add_or_exit(&runs->by_name, row_key_of(profile->rows[i]), (uint32_t)i);
	for (size_t i = 0; !are_symbols && i < profile->n_parts; i++)
		op_hash_add_or_exit(&runs->by_name,
				    part_key_of(profile->parts[i].app, profile->parts[i].image),
				    (uint32_t)i);
}

/* ---- classes of runs ---- */

static void runs_make_classes(struct pp_runs *runs, const struct pp_classes *classes)
{
	size_t n = classes->n;

	runs->n_classes = n;
	runs->classes = *classes;
	runs->classes.n = runs->n * n;
	runs->classes.columns = 2 * runs->n * n;
	runs->classes.items = op_alloc(runs->n * n, sizeof(*classes->items));
	for (size_t i = 0; i < runs->n; i++)
		memcpy(runs->classes.items + i * n, classes->items, n * sizeof(*classes->items));
}

/* Classes of weights are behind those of samples. */
static unsigned int class_in_run(const struct pp_runs *runs, unsigned int class, size_t run)
{
	unsigned int n = (unsigned int)runs->n_classes;
	bool is_weight = class >= n;

	return (unsigned int)(is_weight * runs->classes.n + run * n) + class - is_weight * n;
}

/* Moves files to the classes of their runs; @before keeps those that they had. */
static void part_files(const struct pp_runs *runs, const struct pp_sample_list *list,
		       struct pp_sample_file *files, size_t n, unsigned int *before)
{
	for (size_t i = 0; i < n; i++) {
		before[i] = files[i].class;
		files[i].class =
			class_in_run(runs, files[i].class, pp_sample_session(list, files[i].path));
	}
}

static void join_files(struct pp_sample_file *files, size_t n, const unsigned int *before)
{
	for (size_t i = 0; i < n; i++)
		files[i].class = before[i];
}

static void make_profile_of_runs(struct pp_runs *runs, struct pp_sample_list *list,
				 const struct pp_profile_request *request)
{
	unsigned int *before = op_alloc(list->n + list->n_weights + 1, sizeof(*before));
	struct op_warnings silent = {.silent = true};

	part_files(runs, list, list->files, list->n, before);
	part_files(runs, list, list->weights, list->n_weights, before + list->n);
	pp_profile_make(&runs->profile, list, &runs->classes, request, &silent);
	join_files(list->files, list->n, before);
	join_files(list->weights, list->n_weights, before + list->n);
	free(before);
}

static void runs_find_seconds(struct pp_runs *runs, const struct pp_sample_list *list)
{
	runs->seconds = op_alloc(runs->n, sizeof(*runs->seconds));
	for (size_t i = 0; i < runs->n; i++) {
		struct pp_head head;

		pp_head_read(&head, list->samples_dirs + i, 1);
		runs->seconds[i] = (double)head.duration_ns / 1e9;
		pp_head_free(&head);
	}
}

enum pp_evidence pp_sessions_evidence(char *const *samples_dirs, size_t n)
{
	const struct pp_head head = {.dirs = samples_dirs, .n_dirs = n};

	if (pp_head_sessions(&head) < 2)
		return PP_FROM_NOTHING;
	for (size_t i = 0; i < n; i++)
		if (session_times_is_name(strrchr(samples_dirs[i], '/') + 1))
			return PP_FROM_SLICES;
	return PP_FROM_RUNS;
}

void pp_runs_find(struct pp_runs *runs, struct pp_sample_list *list,
		  const struct pp_classes *classes, const struct pp_profile_request *request)
{
	struct pp_profile_request own = *request;

	*runs = (struct pp_runs){.evidence =
					 pp_sessions_evidence(list->samples_dirs, list->n_dirs)};
	if (runs->evidence == PP_FROM_NOTHING)
		return;
	runs->n = list->n_dirs;
	own.arcs = own.details = false;
	own.calls = PP_CALLS_NONE;
	own.filter = own.limits = NULL;
	runs_make_classes(runs, classes);
	runs_find_seconds(runs, list);
	make_profile_of_runs(runs, list, &own);
	index_rows(runs, request->symbols);
}

void pp_runs_free(struct pp_runs *runs)
{
	if (runs->n)
		pp_profile_free(&runs->profile);
	free(runs->classes.items);
	free(runs->seconds);
	op_hash_free(&runs->by_name);
	*runs = (struct pp_runs){0};
}

/* ---- numbers ---- */

static double run_weight(const struct pp_runs *runs, const uint64_t *counts, size_t run,
			 size_t class)
{
	return (double)pp_weight(&runs->classes, counts, run * runs->n_classes + class);
}

static void add_numbers(const struct pp_runs *runs, const uint64_t *counts, size_t class,
			double *numbers)
{
	for (size_t i = 0; i < runs->n; i++)
		numbers[i] += run_weight(runs, counts, i, class);
}

void pp_runs_add_row(const struct pp_runs *runs, const struct pp_row *row, size_t class,
		     double *numbers)
{
	uint32_t i;

	op_hash_for_each_possible (&runs->by_name, row_key_of(row), i)
		if (row_is_same(runs->profile.rows[i], row)) {
			add_numbers(runs, runs->profile.rows[i]->counts, class, numbers);
			break;
		}
}

void pp_runs_add_part(const struct pp_runs *runs, const struct pp_part *part, size_t class,
		      double *numbers)
{
	const struct pp_part *parts = runs->profile.parts;
	uint32_t i;

	op_hash_for_each_possible (&runs->by_name, part_key_of(part->app, part->image), i)
		if (image_is_same(parts[i].app, part->app) &&
		    image_is_same(parts[i].image, part->image)) {
			add_numbers(runs, parts[i].counts, class, numbers);
			break;
		}
}

/* ---- estimates ---- */

size_t pp_runs_count(const struct pp_runs *runs)
{
	size_t count = 0;

	for (size_t i = 0; runs->evidence == PP_FROM_RUNS && i < runs->n; i++) {
		const uint64_t *totals = runs->profile.totals + i * runs->n_classes;
		bool has_samples = false;

		for (size_t k = 0; k < runs->n_classes; k++)
			has_samples |= totals[k];
		count += has_samples;
	}
	return count ? count : 1;
}

/* The part of a run that is @run, by its time if that is known. */
static double part_of_run(const struct pp_runs *runs, size_t run)
{
	double all = 0;

	if (runs->evidence == PP_FROM_RUNS)
		return 1;
	for (size_t i = 0; i < runs->n; i++) {
		if (runs->seconds[i] == 0)
			return 1 / (double)runs->n;
		all += runs->seconds[i];
	}
	return runs->seconds[run] / all;
}

static double units_of(const struct pp_runs *runs, size_t run, size_t class, enum pp_unit unit)
{
	double whole = run_weight(runs, runs->profile.totals, run, class);

	return unit == PP_PER_SAMPLE ? whole
	       : unit == PP_PER_RUN  ? part_of_run(runs, run)
				     : runs->seconds[run];
}

/* Of one run. */
static double units_of_all(const struct pp_profile *profile, size_t class, enum pp_unit unit)
{
	return unit == PP_PER_SAMPLE ? (double)pp_weight(profile->classes, profile->totals, class)
	       : unit == PP_PER_RUN  ? 1
				     : (double)profile->head.duration_ns / 1e9;
}

struct pp_estimate pp_runs_estimate(const struct pp_runs *runs, const struct pp_profile *profile,
				    size_t class, enum pp_unit unit, const double *numbers,
				    uint64_t samples, double weight)
{
	double *parts = op_alloc(2 * runs->n + 2, sizeof(*parts)), *units = parts + runs->n + 1;
	struct pp_estimate estimate;
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++) {
		/* a slice without samples is a part of the run */
		if (runs->evidence == PP_FROM_RUNS &&
		    run_weight(runs, runs->profile.totals, i, class) == 0)
			continue;
		parts[n] = numbers ? numbers[i] : 0;
		units[n++] = units_of(runs, i, class, unit);
	}
	if (n < 2) {
		parts[0] = weight;
		units[0] = units_of_all(profile, class, unit);
		n = 1;
	}
	estimate = pp_estimate_make(runs->evidence, samples, parts, units, n);
	free(parts);
	return estimate;
}
