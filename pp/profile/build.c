// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frame of a profile: which applications and images there are, and the way through the
 * sample files, image by image, so that each image is opened once.
 */
#include "pp/profile/profile.h"

#include <inttypes.h>
#include <obstack.h>
#include <stdlib.h>
#include <string.h>

#include "pp/profile/callgraph.h"
#include "pp/profile/collate.h"
#include "pp/symbols/image_name.h"
#include "libop/base/memory.h"

#define obstack_chunk_alloc pp_chunk
#define obstack_chunk_free  free

struct pp_store {
	struct obstack memory;
};

void *pp_profile_keep(struct pp_profile *profile, size_t size)
{
	void *memory = obstack_alloc(&profile->store->memory, size);

	return memset(memory, 0, size);
}

char *pp_profile_keep_text(struct pp_profile *profile, const char *text)
{
	return obstack_copy0(&profile->store->memory, text, strlen(text));
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_deps(const void *a, const void *b)
{
	return pp_compare_images(&(*(struct pp_sample_file *const *)a)->name.dep,
				 &(*(struct pp_sample_file *const *)b)->name.dep);
}

static int compare_apps(const void *a, const void *b)
{
	return pp_compare_images(&(*(struct pp_sample_file *const *)a)->name.app,
				 &(*(struct pp_sample_file *const *)b)->name.app);
}

static int compare_places(const void *a, const void *b)
{
	const struct pp_sample_file *left = *(struct pp_sample_file *const *)a;
	const struct pp_sample_file *right = *(struct pp_sample_file *const *)b;
	int order = compare_numbers(left->image, right->image);

	return order ? order : compare_numbers(left->app, right->app);
}

/* The name may be that of an end of an arc, which is gone when the profile is made; what it
 * points to is the list's. */
static void name_image(struct pp_profile *profile, struct pp_image *image,
		       const struct op_image_name *id, size_t n_classes)
{
	const char *slash;

	image->id = memcpy(pp_profile_keep(profile, sizeof(*id)), id, sizeof(*id));
	image->full = pp_image_full_name(id);
	slash = id->kind == OP_IMAGE_ANON ? NULL : strrchr(image->full, '/');
	image->base = slash && slash[1] ? slash + 1 : image->full;
	image->counts = pp_alloc(n_classes, sizeof(uint64_t));
}

/* Applications or images by name; each file is told its own. */
static size_t gather_images(struct pp_profile *profile, struct pp_image **out,
			    struct pp_sample_file **files, size_t n, bool apps, size_t n_classes)
{
	struct pp_image *images = NULL;
	size_t n_images = 0, capacity = 0;

	if (n)
		qsort(files, n, sizeof(*files), apps ? compare_apps : compare_deps);
	for (size_t i = 0; i < n; i++) {
		const struct op_sample_name *name = &files[i]->name;

		if (!i || (apps ? compare_apps : compare_deps)(&files[i - 1], &files[i])) {
			images = pp_grow(images, &capacity, n_images + 1, sizeof(*images));
			memset(&images[n_images], 0, sizeof(*images));
			name_image(profile, &images[n_images++], apps ? &name->app : &name->dep,
				   n_classes);
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
	int order = compare_numbers(left->app->order, right->app->order);

	return order ? order : compare_numbers(left->image->order, right->image->order);
}

static void read_images(struct pp_profile *profile, const struct pp_sample_list *list,
			struct pp_sample_file **files, size_t n, const struct pp_profile_wish *wish,
			struct pp_warnings *trouble)
{
	struct pp_collation collation;

	pp_collation_begin(&collation, profile, list, wish, trouble);
	collation.n_files = n;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && files[end]->image == files[i]->image;)
			end++;
		pp_collate_image(&collation, &profile->images[files[i]->image], files + i, end - i);
	}
	pp_collation_free(&collation);
}

void pp_profile_make(struct pp_profile *profile, struct pp_sample_list *list,
		     const struct pp_classes *classes, const struct pp_profile_wish *wish,
		     struct pp_warnings *trouble)
{
	struct pp_sample_file **files;
	struct pp_arcs arcs = {0};
	size_t n;

	memset(profile, 0, sizeof(*profile));
	if (wish->arcs && wish->symbols)
		pp_arcs_read(&arcs, list, trouble);
	n = list->n + 2 * arcs.n;
	files = pp_alloc(n, sizeof(*files));
	profile->classes = classes;
	profile->totals = pp_alloc(classes->n, sizeof(uint64_t));
	profile->store = pp_alloc(1, sizeof(*profile->store));
	obstack_init(&profile->store->memory);
	for (size_t i = 0; i < n; i++)
		files[i] = i < list->n ? &list->files[i] : &arcs.ends[i - list->n];
	profile->n_images = gather_images(profile, &profile->images, files, n, false, classes->n);
	if (wish->merge_lib) {
		for (size_t i = 0; i < n; i++)
			files[i]->app = files[i]->image;
		profile->n_apps = profile->n_images;
		profile->apps = pp_alloc(profile->n_apps, sizeof(*profile->apps));
		for (size_t i = 0; i < profile->n_apps; i++)
			name_image(profile, &profile->apps[i], profile->images[i].id, classes->n);
	} else {
		profile->n_apps =
			gather_images(profile, &profile->apps, files, n, true, classes->n);
	}
	order_images(profile);
	if (n)
		qsort(files, n, sizeof(*files), compare_places);
	read_images(profile, list, files, n, wish, trouble);
	pp_arcs_finish(&arcs, profile);
	pp_arcs_free(&arcs);
	if (profile->n_parts)
		qsort(profile->parts, profile->n_parts, sizeof(*profile->parts), compare_parts);
	free(files);
}

static void free_images(struct pp_image *images, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(images[i].full);
		free(images[i].counts);
	}
	free(images);
}

void pp_profile_free(struct pp_profile *profile)
{
	free_images(profile->apps, profile->n_apps);
	free_images(profile->images, profile->n_images);
	free(profile->parts);
	free(profile->rows);
	free(profile->arcs);
	free(profile->totals);
	obstack_free(&profile->store->memory, NULL);
	free(profile->store);
	memset(profile, 0, sizeof(*profile));
}
