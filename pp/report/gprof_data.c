// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples and arcs for gprof. */
#include "gprof_data.h"
#include "pp/select/weights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/text/cells.h"

/* The one image with samples; if there are several, the error names two of them. */
static const struct pp_image *only_image(const struct pp_profile *profile, struct op_error *error)
{
	const struct pp_image *only = NULL;

	for (size_t i = 0; i < profile->n_images; i++) {
		const struct pp_image *image = &profile->images[i];

		if (!image->counts[0])
			continue;
		if (only) {
			op_error_set(error, EINVAL,
				     "gprof takes one image, but the samples are in %s, %s%s; "
				     "choose one",
				     only->full, image->full,
				     i + 1 < profile->n_images ? " and possibly others" : "");
			return NULL;
		}
		only = image;
	}
	if (!only)
		op_error_set(error, ENOENT, "there are no samples in the sample files");
	return only;
}

static int compare_counts(const void *a, const void *b)
{
	const struct pp_gmon_count *left = a, *right = b;

	return op_compare_u64(left->vma, right->vma);
}

static void take_counts(struct pp_gprof_data *data, const struct pp_profile *profile,
			const struct pp_symbols *symbols, double threshold)
{
	size_t capacity = 0;
	uint64_t key;

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct pp_row *row = profile->rows[i];

		if (pp_weight_share(profile->classes, row->counts, profile->totals, 0) < threshold)
			continue;
		for (size_t k = 0; k < row->n_details; k++) {
			const struct pp_detail *detail = &row->details[k];

			if (!pp_symbols_key(symbols, detail->place.vma, &key)) {
				data->outside += detail->counts[0];
				continue;
			}
			data->counts = op_grow(data->counts, &capacity, data->n + 1,
					       sizeof(*data->counts));
			data->counts[data->n++] = (struct pp_gmon_count){
				.vma = detail->place.vma, .count = detail->counts[0]};
		}
	}
	if (data->n)
		qsort(data->counts, data->n, sizeof(*data->counts), compare_counts);
}

static void add_arc(struct pp_gprof_data *data, const struct pp_arc *arc,
		    const struct pp_symbols *symbols)
{
	uint64_t key;

	if (!pp_symbols_key(symbols, arc->from, &key) || !pp_symbols_key(symbols, arc->to, &key)) {
		data->outside += arc->counts[0];
		return;
	}
	data->arcs =
		op_grow(data->arcs, &data->arcs_capacity, data->n_arcs + 1, sizeof(*data->arcs));
	data->arcs[data->n_arcs++] =
		(struct pp_gmon_arc){.from = arc->from, .to = arc->to, .count = arc->counts[0]};
}

/* The file has no arcs from and to other images. */
static void take_arcs(struct pp_gprof_data *data, const struct pp_profile *profile,
		      const struct pp_image *image, const struct pp_symbols *symbols)
{
	for (size_t i = 0; i < profile->n_arcs; i++) {
		const struct pp_arc *arc = &profile->arcs[i];

		if (arc->caller->image == image && arc->callee->image == image)
			add_arc(data, arc, symbols);
	}
}

int pp_gprof_data_make(struct pp_gprof_data *data, const struct pp_profile *profile,
		       struct pp_image_search *search, double threshold, struct op_error *error)
{
	const struct pp_image *image;
	const char *why = "it is not a file";
	struct pp_symbols symbols;
	struct op_error ignored; /* pp_profile_make() has warned of it */
	char *path = NULL;

	memset(data, 0, sizeof(*data));
	image = only_image(profile, error);
	if (!image)
		return -1;
	if (image->id->kind == OP_IMAGE_FILE)
		path = pp_image_find(search, image->id->name, &why);
	if (!path)
		return op_error_set(error, ENOENT, "cannot read %s: %s", image->full, why);
	pp_symbols_read_file(&symbols, path, "", false, &ignored);
	free(path);
	data->machine = symbols.machine;
	if (!symbols.machine.known) {
		pp_symbols_free(&symbols);
		return op_error_set(error, EINVAL, "%s is not an object file", image->full);
	}
	take_counts(data, profile, &symbols, threshold);
	take_arcs(data, profile, image, &symbols);
	pp_symbols_free(&symbols);
	return 0;
}

void pp_gprof_data_free(struct pp_gprof_data *data)
{
	free(data->counts);
	free(data->arcs);
	memset(data, 0, sizeof(*data));
}
