// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples and arcs for gprof. */
#include "gprof_data.h"
#include "pp/select/weights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/odb/odb.h"
#include "libop/base/memory.h"
#include "pp/select/sample_read.h"
#include "pp/select/multiplexing.h"
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

/* True if there is code at @key; sets its address. */
static bool find_vma(const struct pp_symbols *symbols, uint64_t key, uint64_t *vma)
{
	uint64_t back;

	*vma = pp_symbols_vma(symbols, key);
	return pp_symbols_key(symbols, *vma, &back) && back == key;
}

static int compare_counts(const void *a, const void *b)
{
	const struct pp_gmon_count *left = a, *right = b;

	return (left->vma > right->vma) - (left->vma < right->vma);
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
			data->counts = pp_grow(data->counts, &capacity, data->n + 1,
					       sizeof(*data->counts));
			data->counts[data->n++] = (struct pp_gmon_count){
				.vma = detail->place.vma, .count = detail->counts[0]};
		}
	}
	if (data->n)
		qsort(data->counts, data->n, sizeof(*data->counts), compare_counts);
}

static void add_arcs(struct pp_gprof_data *data, const struct odb_entry *entries, size_t n,
		     const struct odb_header *header, const struct pp_symbols *symbols)
{
	uint64_t from_bias = header->is_kernel ? symbols->text : 0;
	uint64_t to_bias = header->cg_to_is_kernel ? symbols->text : 0;

	for (size_t i = 0; i < n; i++) {
		struct pp_gmon_arc arc = {.count = entries[i].count};

		if (!find_vma(symbols, (entries[i].key >> 32) + from_bias, &arc.from) ||
		    !find_vma(symbols, (uint32_t)entries[i].key + to_bias, &arc.to)) {
			data->outside += arc.count;
			continue;
		}
		data->arcs =
			pp_grow(data->arcs, &data->arcs_capacity, data->n_arcs + 1, sizeof(arc));
		data->arcs[data->n_arcs++] = arc;
	}
}

/* The file has no arcs from and to other images. */
static void read_arcs(struct pp_gprof_data *data, const struct pp_sample_file *file,
		      const struct pp_image *image, const struct pp_symbols *symbols,
		      struct pp_warnings *warnings)
{
	struct odb_entry *entries;
	struct odb_header header;
	struct op_error error;
	size_t n;

	if (!pp_same_image(&file->name.dep, image->id) ||
	    !pp_same_image(&file->name.callee, image->id))
		return;
	if (pp_sample_read(file, &header, &entries, &n, &error)) {
		pp_warnings_add(warnings, PP_BAD_FILE, "skipped: %s", error.text);
		return;
	}
	pp_scale_entries(file, entries, n);
	add_arcs(data, entries, n, &header, symbols);
	free(entries);
}

int pp_gprof_data_make(struct pp_gprof_data *data, const struct pp_profile *profile,
		       const struct pp_sample_list *list, struct pp_image_search *search,
		       double threshold, struct pp_warnings *warnings, struct op_error *error)
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
	for (size_t i = 0; i < list->n_arcs; i++)
		read_arcs(data, &list->arcs[i], image, &symbols, warnings);
	pp_symbols_free(&symbols);
	return 0;
}

void pp_gprof_data_free(struct pp_gprof_data *data)
{
	free(data->counts);
	free(data->arcs);
	memset(data, 0, sizeof(*data));
}
