// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builds a profile: lists its applications and images, then reads the sample files image by image,
 * so that each image is opened once.
 */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "call_tree.h"
#include "callgraph.h"
#include "collate.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/session/paths.h"
#include "pp/symbols/image_name.h"

static uint64_t size_of(const struct op_image_name *id)
{
	return id->end - id->start;
}

/* One kernel has one vdso, and another one for 32-bit programs; keys are offsets in it. */
static int compare_vdsos(const struct op_image_name *a, const struct op_image_name *b)
{
	int order = op_compare_u64(a->start > UINT32_MAX, b->start > UINT32_MAX);

	return order ? order : op_compare_u64(size_of(a), size_of(b));
}

static int compare_deps(const void *a, const void *b, void *request)
{
	const struct op_image_name *left = &(*(struct pp_sample_file *const *)a)->name.dep;
	const struct op_image_name *right = &(*(struct pp_sample_file *const *)b)->name.dep;
	bool is_one = ((const struct pp_profile_request *)request)->one_vdso;

	if (is_one && pp_image_is_vdso(left) && pp_image_is_vdso(right))
		return compare_vdsos(left, right);
	return pp_compare_images(left, right);
}

static int compare_apps(const void *a, const void *b, void *request)
{
	(void)request;
	return pp_compare_images(&(*(struct pp_sample_file *const *)a)->name.app,
				 &(*(struct pp_sample_file *const *)b)->name.app);
}

static int compare_places(const void *a, const void *b)
{
	const struct pp_sample_file *left = *(struct pp_sample_file *const *)a;
	const struct pp_sample_file *right = *(struct pp_sample_file *const *)b;
	int order = op_compare_u64(left->image, right->image);

	return order ? order : op_compare_u64(left->app, right->app);
}

/* Copy the name: an arc's end is freed when the profile is complete; its strings belong to the
 * list. */
static void name_image(struct pp_profile *profile, struct pp_image *image,
		       const struct op_image_name *id, const struct pp_profile_request *request)
{
	size_t n_columns = profile->classes->columns;
	char *base;

	image->id = memcpy(pp_profile_keep(profile, sizeof(*id)), id, sizeof(*id));
	if (request->one_vdso && pp_image_is_vdso(id)) {
		image->full = op_copy(id->name);
		image->base = image->full;
	} else {
		image->full = pp_image_full_name(id);
		base = pp_image_base_name(id);
		image->base = pp_profile_keep_text(profile, base);
		free(base);
	}
	image->counts = op_alloc(n_columns, sizeof(uint64_t));
}

/* Lists applications or images by name, and sets the index of each file. */
static size_t gather_images(struct pp_profile *profile, struct pp_image **out,
			    struct pp_sample_file **files, size_t n, bool apps,
			    const struct pp_profile_request *request)
{
	int (*compare)(const void *, const void *, void *) = apps ? compare_apps : compare_deps;
	struct pp_image *images = NULL;
	size_t n_images = 0, capacity = 0;

	if (n)
		qsort_r(files, n, sizeof(*files), compare, (void *)request);
	for (size_t i = 0; i < n; i++) {
		const struct op_sample_name *name = &files[i]->name;

		if (!i || compare(&files[i - 1], &files[i], (void *)request)) {
			images = op_grow(images, &capacity, n_images + 1, sizeof(*images));
			memset(&images[n_images], 0, sizeof(*images));
			name_image(profile, &images[n_images++], apps ? &name->app : &name->dep,
				   request);
		}
		if (apps)
			files[i]->app = n_images - 1;
		else
			files[i]->image = n_images - 1;
	}
	*out = images;
	return n_images;
}

/* Applications and images have one order of names, so that they can be compared. */
static void order_images(struct pp_profile *profile)
{
	size_t app = 0, image = 0, order = 0;

	while (app < profile->n_apps || image < profile->n_images) {
		int which = app == profile->n_apps ? 1
			    : image == profile->n_images
				    ? -1
				    : pp_compare_images(profile->apps[app].id,
							profile->images[image].id);

		if (which <= 0)
			profile->apps[app++].order = order;
		if (which >= 0)
			profile->images[image++].order = order;
		order++;
	}
}

static int compare_parts(const void *a, const void *b)
{
	const struct pp_part *left = a, *right = b;
	int order = op_compare_u64(left->app->order, right->app->order);

	return order ? order : op_compare_u64(left->image->order, right->image->order);
}

static void read_images(struct pp_profile *profile, const struct pp_sample_list *list,
			struct pp_sample_file **files, size_t n,
			const struct pp_profile_request *request, struct op_warnings *warnings)
{
	struct pp_collation collation;

	pp_collation_begin(&collation, profile, list, request, warnings);
	collation.n_files = n;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && files[end]->image == files[i]->image;)
			end++;
		pp_collate_image(&collation, &profile->images[files[i]->image], files + i, end - i);
	}
	pp_collation_free(&collation);
}

/* All files to be read, in an array that the caller frees. */
static struct pp_sample_file **list_files(const struct pp_sample_list *list,
					  const struct pp_arcs *arcs, size_t *n)
{
	struct pp_sample_file **files =
		op_alloc(list->n + list->n_weights + arcs->n_ends, sizeof(*files));
	size_t k = 0;

	for (size_t i = 0; i < list->n; i++)
		files[k++] = &list->files[i];
	for (size_t i = 0; i < list->n_weights; i++)
		files[k++] = &list->weights[i];
	for (size_t i = 0; i < arcs->n_ends; i++)
		files[k++] = &arcs->ends[i];
	*n = k;
	return files;
}

static bool is_empty_line(const struct pp_profile *profile, const struct pp_row *row)
{
	for (size_t i = 0; i < profile->classes->columns; i++)
		if (row->counts[i] || row->inclusive[i])
			return false;
	return true;
}

/* Calls name the lines where functions begin, which may have no samples. */
static void drop_empty_lines(struct pp_profile *profile)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->n_rows; i++)
		if (!is_empty_line(profile, profile->rows[i]))
			profile->rows[kept++] = profile->rows[i];
	profile->n_rows = kept;
}

void pp_profile_make(struct pp_profile *profile, struct pp_sample_list *list,
		     const struct pp_classes *classes, const struct pp_profile_request *request,
		     struct op_warnings *warnings)
{
	struct pp_sample_file **files;
	struct pp_arcs arcs = {0};
	size_t n;

	pp_profile_init(profile, classes);
	pp_head_read(&profile->head, list->samples_dirs, list->n_dirs);
	if (request->arcs && request->symbols)
		pp_arcs_read(&arcs, profile, list, request->arc_sites, warnings);
	files = list_files(list, &arcs, &n);
	profile->n_images = gather_images(profile, &profile->images, files, n, false, request);
	if (request->merge_lib) {
		for (size_t i = 0; i < n; i++)
			files[i]->app = files[i]->image;
		profile->n_apps = profile->n_images;
		profile->apps = op_alloc(profile->n_apps, sizeof(*profile->apps));
		for (size_t i = 0; i < profile->n_apps; i++)
			name_image(profile, &profile->apps[i], profile->images[i].id, request);
	} else {
		profile->n_apps = gather_images(profile, &profile->apps, files, n, true, request);
	}
	order_images(profile);
	if (n)
		qsort(files, n, sizeof(*files), compare_places);
	read_images(profile, list, files, n, request, warnings);
	if (request->arcs && request->symbols)
		pp_arcs_finish(&arcs, profile, !request->by_line);
	if (request->arcs && request->by_line)
		drop_empty_lines(profile);
	if (request->arcs && request->symbols && request->calls)
		pp_call_tree_make(profile, &arcs, request->calls);
	profile->has_stacks = arcs.n_trees;
	profile->has_calls = arcs.n_files;
	pp_arcs_free(&arcs);
	if (profile->n_parts)
		qsort(profile->parts, profile->n_parts, sizeof(*profile->parts), compare_parts);
	free(files);
}
