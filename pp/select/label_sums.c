// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples by the values of a label: see label_sums.h. */
#include "label_sums.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "pp/symbols/image_name.h"

void pp_label_sums_add(struct pp_label_sums *sums, const struct pp_label_sum *sum)
{
	struct pp_label_sum *added;

	sums->items = op_grow(sums->items, &sums->capacity, sums->n + 1, sizeof(*sums->items));
	added = &sums->items[sums->n++];
	*added = *sum;
	if (sum->value)
		added->value = op_names_keep(&sums->texts, sum->value);
	added->app.name = (char *)op_names_keep(&sums->texts, sum->app.name);
}

static int compare_sums(const void *a, const void *b)
{
	const struct pp_label_sum *left = a, *right = b;
	int order;

	if (!left->value || !right->value)
		order = !left->value - !right->value;
	else
		order = strcmp(left->value, right->value);
	return order ? order : pp_compare_images(&left->app, &right->app);
}

static void add_up(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

void pp_label_sums_finish(struct pp_label_sums *sums)
{
	struct pp_label_sum *last = sums->items;

	if (!sums->n)
		return;
	qsort(sums->items, sums->n, sizeof(*sums->items), compare_sums);
	for (struct pp_label_sum *sum = last + 1; sum < sums->items + sums->n; sum++) {
		if (compare_sums(last, sum)) {
			*++last = *sum;
			continue;
		}
		add_up(&last->samples, sum->samples);
		add_up(&last->weight, sum->weight);
	}
	sums->n = (size_t)(last - sums->items) + 1;
}

void pp_label_sums_free(struct pp_label_sums *sums)
{
	free(sums->items);
	op_names_free_kept(&sums->texts);
	*sums = (struct pp_label_sums){0};
}
