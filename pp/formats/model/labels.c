// SPDX-License-Identifier: GPL-2.0-or-later
/* Labels of samples: see labels.h. */
#include "labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

/* ---- sets ---- */

static uint64_t hash_labels(const struct prof_label *labels, size_t n)
{
	uint64_t hash = n;

	for (size_t i = 0; i < n; i++) {
		hash = op_hash_mix(hash, (uint64_t)labels[i].name << 32 | labels[i].value);
		hash = op_hash_mix(op_hash_mix(hash, (uint64_t)labels[i].number), labels[i].unit);
	}
	return hash;
}

static bool label_is_same(const struct prof_label *a, const struct prof_label *b)
{
	return a->name == b->name && a->value == b->value && a->number == b->number &&
	       a->unit == b->unit;
}

static bool are_same(const struct prof_label *a, const struct prof_label *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!label_is_same(&a[i], &b[i]))
			return false;
	return true;
}

/* The order of a set while numbers of texts do not change. */
static int compare_numbers(const struct prof_label *a, const struct prof_label *b)
{
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->unit > b->unit) - (a->unit < b->unit);
}

/* Puts them in order, each once.  Return: how many. */
static size_t order_labels(struct prof_labels *labels, const struct prof_label *given, size_t n)
{
	size_t kept = 0;

	labels->wanted =
		op_grow(labels->wanted, &labels->wanted_capacity, n, sizeof(*labels->wanted));
	for (size_t i = 0; i < n; i++) {
		size_t at = kept;

		while (at && compare_numbers(&labels->wanted[at - 1], &given[i]) > 0)
			at--;
		if (at && label_is_same(&labels->wanted[at - 1], &given[i]))
			continue;
		memmove(&labels->wanted[at + 1], &labels->wanted[at],
			(kept++ - at) * sizeof(*labels->wanted));
		labels->wanted[at] = given[i];
	}
	return kept;
}

uint32_t labels_set(struct prof_labels *labels, const struct prof_label *given, size_t n)
{
	uint64_t hash;
	uint32_t id;

	if (!labels->n_sets) {
		labels->sets =
			op_grow(labels->sets, &labels->sets_capacity, 1, sizeof(*labels->sets));
		labels->sets[labels->n_sets++] = (struct prof_label_set){0};
	}
	if (!n)
		return 0;
	n = order_labels(labels, given, n);
	hash = hash_labels(labels->wanted, n);
	op_hash_for_each_possible (&labels->by_content, hash, id)
		if (labels->sets[id].n == n &&
		    are_same(labels->labels + labels->sets[id].first, labels->wanted, n))
			return id;
	id = (uint32_t)labels->n_sets++;
	labels->sets = op_grow(labels->sets, &labels->sets_capacity, labels->n_sets,
			       sizeof(*labels->sets));
	labels->sets[id] = (struct prof_label_set){labels->n_labels, n};
	labels->labels = op_grow(labels->labels, &labels->labels_capacity, labels->n_labels + n,
				 sizeof(*labels->labels));
	memcpy(labels->labels + labels->n_labels, labels->wanted, n * sizeof(*labels->labels));
	labels->n_labels += n;
	op_hash_add_or_exit(&labels->by_content, hash, id);
	return id;
}

void labels_free(struct prof_labels *labels)
{
	free(labels->labels);
	free(labels->sets);
	free(labels->wanted);
	op_hash_free(&labels->by_content);
	*labels = (struct prof_labels){0};
}

static int compare_labels(const struct prof *prof, const struct prof_label *a,
			  const struct prof_label *b)
{
	int order = strcmp(prof->strings[a->name], prof->strings[b->name]);

	if (!order)
		order = strcmp(prof->strings[a->value], prof->strings[b->value]);
	if (!order)
		order = (a->number > b->number) - (a->number < b->number);
	return order ? order : strcmp(prof->strings[a->unit], prof->strings[b->unit]);
}

static int compare_in_set(const void *a, const void *b, void *prof)
{
	return compare_labels(prof, a, b);
}

void labels_sort(struct prof *prof)
{
	struct prof_labels *labels = prof->labels;

	for (size_t i = 1; i < labels->n_sets; i++)
		qsort_r(labels->labels + labels->sets[i].first, labels->sets[i].n,
			sizeof(*labels->labels), compare_in_set, prof);
	op_hash_free(&labels->by_content);
}

int labels_compare(const struct prof *prof, uint32_t a, uint32_t b)
{
	const struct prof_labels *labels = prof->labels;
	size_t n_a, n_b;
	int order = 0;

	if (a == b)
		return 0;
	n_a = labels->sets[a].n;
	n_b = labels->sets[b].n;
	for (size_t i = 0; !order && i < n_a && i < n_b; i++)
		order = compare_labels(prof, &labels->labels[labels->sets[a].first + i],
				       &labels->labels[labels->sets[b].first + i]);
	return order ? order : (n_a > n_b) - (n_a < n_b);
}

/* ---- what they say ---- */

/* The next one of a name behind @last, or the first one. */
static const struct prof_label *label_next(const struct prof *prof, const struct prof_label *labels,
					   size_t n, const char *name,
					   const struct prof_label *last)
{
	for (size_t i = last ? (size_t)(last + 1 - labels) : 0; i < n; i++)
		if (!strcmp(prof->strings[labels[i].name], name))
			return &labels[i];
	return NULL;
}

const struct prof_label *prof_label_next(const struct prof *prof, const struct prof_sample *sample,
					 const char *name, const struct prof_label *last)
{
	return label_next(prof, sample->labels, sample->n_labels, name, last);
}

const struct prof_label *prof_context_label(const struct prof *prof,
					    const struct prof_context *context, const char *name,
					    const struct prof_label *last)
{
	const struct prof_label_set *set = &prof->labels->sets[context->labels];

	return label_next(prof, prof->labels->labels + set->first, set->n, name, last);
}

char *prof_label_text(const struct prof *prof, const struct prof_label *label)
{
	const char *unit = prof->strings[label->unit];

	if (label->value)
		return op_copy(prof->strings[label->value]);
	return op_format("%" PRId64 "%s%s", label->number, *unit ? " " : "", unit);
}
