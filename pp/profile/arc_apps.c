// SPDX-License-Identifier: GPL-2.0-or-later
/* Applications of frames: see arc_apps.h. */
#include "arc_apps.h"

#include <stdlib.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "pp/symbols/image_name.h"

static int compare_pairs(const void *a, const void *b)
{
	const struct op_sample_name *left = &(*(struct pp_sample_file *const *)a)->name;
	const struct op_sample_name *right = &(*(struct pp_sample_file *const *)b)->name;
	int order = pp_compare_images(&left->app, &right->app);

	return order ? order : pp_compare_images(&left->dep, &right->dep);
}

static int compare_classes(const void *a, const void *b)
{
	unsigned int left = (*(struct pp_sample_file *const *)a)->class;
	unsigned int right = (*(struct pp_sample_file *const *)b)->class;
	int order = compare_pairs(a, b);

	return order ? order : op_compare_u64(left, right);
}

void pp_arc_apps_make(struct pp_arc_apps *apps, const struct pp_sample_list *list)
{
	apps->n = list->n;
	apps->files = op_alloc(list->n, sizeof(*apps->files));
	for (size_t i = 0; i < list->n; i++)
		apps->files[i] = &list->files[i];
	if (list->n)
		qsort(apps->files, list->n, sizeof(*apps->files), compare_classes);
}

void pp_arc_apps_free(struct pp_arc_apps *apps)
{
	free(apps->files);
}

static bool has_samples(const struct pp_arc_apps *apps, const struct pp_sample_file *end,
			int (*compare)(const void *a, const void *b))
{
	return apps->n && bsearch(&end, apps->files, apps->n, sizeof(*apps->files), compare);
}

/* The application that ran, or else the image itself; false if neither has samples. */
static bool arc_apps_choose(const struct pp_arc_apps *apps, struct pp_sample_file *end,
			    int (*compare)(const void *a, const void *b))
{
	struct op_image_name app = end->name.app;

	if (has_samples(apps, end, compare))
		return true;
	end->name.app = end->name.dep;
	if (has_samples(apps, end, compare))
		return true;
	end->name.app = app;
	return false;
}

bool pp_arc_apps_choose(const struct pp_arc_apps *apps, struct pp_sample_file *end,
			unsigned int class)
{
	struct pp_sample_file probe = *end;

	probe.class = class;
	if (arc_apps_choose(apps, &probe, compare_classes)) {
		end->name.app = probe.name.app;
		return true;
	}
	arc_apps_choose(apps, end, compare_pairs);
	return false;
}
