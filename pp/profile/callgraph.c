// SPDX-License-Identifier: GPL-2.0-or-later
/* Arcs. */
#include "callgraph.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "pp/select/sample_read.h"
#include "pp/select/multiplexing.h"
#include "pp/symbols/image_name.h"

/* ---- which application the callee belongs to ---- */

static int compare_pairs(const void *a, const void *b)
{
	const struct op_sample_name *left = &(*(struct pp_sample_file *const *)a)->name;
	const struct op_sample_name *right = &(*(struct pp_sample_file *const *)b)->name;
	int order = pp_compare_images(&left->app, &right->app);

	return order ? order : pp_compare_images(&left->dep, &right->dep);
}

/* The sample files, by application and image. */
static const struct pp_sample_file **order_pairs(const struct pp_sample_list *list)
{
	const struct pp_sample_file **pairs = pp_alloc(list->n, sizeof(*pairs));

	for (size_t i = 0; i < list->n; i++)
		pairs[i] = &list->files[i];
	if (list->n)
		qsort(pairs, list->n, sizeof(*pairs), compare_pairs);
	return pairs;
}

static bool has_samples(const struct pp_sample_file *end, const struct pp_sample_file **pairs,
			size_t n)
{
	return n && bsearch(&end, pairs, n, sizeof(*pairs), compare_pairs);
}

/*
 * Without separation by library, each image is its own application, but the name of a {cg} file has
 * only the caller's.  The sample files show which is the case.
 */
static void choose_app(struct pp_sample_file *callee, const struct pp_sample_file **pairs, size_t n)
{
	struct op_image_name app = callee->name.app;

	if (has_samples(callee, pairs, n))
		return;
	callee->name.app = callee->name.dep;
	if (!has_samples(callee, pairs, n))
		callee->name.app = app;
}

/* ---- reading ---- */

static int read_file(struct pp_arc_file *arcs, const struct pp_sample_file *file,
		     struct op_error *error)
{
	struct odb_header header;

	if (pp_sample_read(file, &header, &arcs->entries, &arcs->n, error))
		return -1;
	arcs->is_kernel[PP_CALLER] = header.is_kernel;
	arcs->is_kernel[PP_CALLEE] = header.cg_to_is_kernel;
	pp_scale_entries(file, arcs->entries, arcs->n);
	for (int end = 0; end < 2; end++)
		arcs->row[end] = pp_alloc(arcs->n, sizeof(struct pp_row *));
	return 0;
}

void pp_arcs_read(struct pp_arcs *arcs, const struct pp_sample_list *list,
		  struct pp_warnings *warnings)
{
	const struct pp_sample_file **pairs = order_pairs(list);
	size_t n = list->n_arcs + list->n_weight_arcs;
	struct op_error error;

	memset(arcs, 0, sizeof(*arcs));
	arcs->files = pp_alloc(n, sizeof(*arcs->files));
	arcs->ends = pp_alloc(2 * n, sizeof(*arcs->ends));
	for (size_t i = 0; i < n; i++) {
		struct pp_sample_file *ends = &arcs->ends[2 * arcs->n];
		struct pp_arc_file *file = &arcs->files[arcs->n];
		const struct pp_sample_file *source =
			i < list->n_arcs ? &list->arcs[i] : &list->weight_arcs[i - list->n_arcs];

		if (read_file(file, source, &error)) {
			pp_warnings_add(warnings, PP_BAD_FILE, "skipped: %s", error.text);
			continue;
		}
		ends[PP_CALLER] = ends[PP_CALLEE] = *source;
		ends[PP_CALLER].arcs = ends[PP_CALLEE].arcs = file;
		ends[PP_CALLEE].is_callee = true;
		ends[PP_CALLEE].name.dep = source->name.callee;
		choose_app(&ends[PP_CALLEE], pairs, list->n);
		arcs->n++;
	}
	free(pairs);
}

/* ---- adding up ---- */

/* An arc between rows, of one entry. */
struct raw_arc {
	struct pp_row *caller, *callee;
	uint64_t count;
	unsigned int class;
};

static int compare_arcs(const void *a, const void *b)
{
	const struct raw_arc *left = a, *right = b;

	if (left->caller != right->caller)
		return left->caller < right->caller ? -1 : 1;
	return (left->callee > right->callee) - (left->callee < right->callee);
}

static size_t gather(const struct pp_arcs *arcs, struct raw_arc **out)
{
	struct raw_arc *raw;
	size_t n = 0;

	for (size_t i = 0; i < arcs->n; i++)
		n += arcs->files[i].n;
	*out = raw = pp_alloc(n, sizeof(*raw));
	for (size_t i = 0; i < arcs->n; i++) {
		const struct pp_arc_file *file = &arcs->files[i];

		for (size_t k = 0; k < file->n; k++)
			*raw++ = (struct raw_arc){
				.caller = file->row[PP_CALLER][k],
				.callee = file->row[PP_CALLEE][k],
				.count = file->entries[k].count,
				.class = arcs->ends[2 * i].class,
			};
	}
	return n;
}

void pp_arcs_finish(const struct pp_arcs *arcs, struct pp_profile *profile)
{
	struct raw_arc *raw;
	size_t n = gather(arcs, &raw), capacity = 0;
	struct pp_arc *arc = NULL;

	if (n)
		qsort(raw, n, sizeof(*raw), compare_arcs);
	for (size_t i = 0; i < n; i++) {
		if (!i || compare_arcs(&raw[i - 1], &raw[i])) {
			profile->arcs = pp_grow(profile->arcs, &capacity, profile->n_arcs + 1,
						sizeof(*arc));
			arc = &profile->arcs[profile->n_arcs++];
			arc->caller = raw[i].caller;
			arc->callee = raw[i].callee;
			arc->counts = pp_profile_keep(profile,
						      profile->classes->columns * sizeof(uint64_t));
		}
		arc->counts[raw[i].class] += raw[i].count;
	}
	free(raw);
}

void pp_arcs_free(struct pp_arcs *arcs)
{
	for (size_t i = 0; i < arcs->n; i++) {
		free(arcs->files[i].entries);
		free(arcs->files[i].row[PP_CALLER]);
		free(arcs->files[i].row[PP_CALLEE]);
	}
	free(arcs->files);
	free(arcs->ends);
	memset(arcs, 0, sizeof(*arcs));
}
