/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels of samples beside program, process, thread and CPU: what a profile has, by its own names,
 * such as "cgroup" or "request".  Samples of the same labels share a set.
 */
#ifndef PP_FORMATS_MODEL_LABELS_H
#define PP_FORMATS_MODEL_LABELS_H

#include "libop/base/hash.h"
#include "profile.h"

/* The control group of the process, a path below the root of the hierarchy. */
#define PROF_LABEL_CGROUP "cgroup"

/* Labels of a sample that are kept: programs give it a few, and a file may give it a million. */
#define PROF_LABELS_MOST 64

struct prof_label_set {
	size_t first; /* of its labels, in prof_labels::labels */
	size_t n;
};

/* Set 0 is empty. */
struct prof_labels {
	struct prof_label *labels; /* of each set by number of the name, then of the value */
	size_t n_labels, labels_capacity;
	struct prof_label_set *sets;
	size_t n_sets, sets_capacity;
	struct op_hash by_content;
	struct prof_label *wanted; /* of labels_set(): in order */
	size_t wanted_capacity;
};

/* The number of the set of @n labels, at most PROF_LABELS_MOST.  A label may have several values,
 * each of which counts; what is there twice is once in the set. */
uint32_t labels_set(struct prof_labels *labels, const struct prof_label *given, size_t n);
void labels_free(struct prof_labels *labels);

/* Puts the labels of each set in the order of their names. */
void labels_sort(struct prof *prof);

/* By what they say: names, then values. */
int labels_compare(const struct prof *prof, uint32_t a, uint32_t b);

/**
 * prof_label_next - go through the values that a sample has of a label
 * @last: what was returned last; NULL: the beginning
 *
 * Return: the next one, or NULL.
 */
const struct prof_label *prof_label_next(const struct prof *prof, const struct prof_sample *sample,
					 const char *name, const struct prof_label *last);

/* For formats that have one value of a label: the first, or NULL. */
static inline const struct prof_label *
prof_label_named(const struct prof *prof, const struct prof_sample *sample, const char *name)
{
	return prof_label_next(prof, sample, name, NULL);
}

/* As prof_label_next(), of a context of a finished profile. */
const struct prof_label *prof_context_label(const struct prof *prof,
					    const struct prof_context *context, const char *name,
					    const struct prof_label *last);

/* What a label says, as text; the caller frees it. */
char *prof_label_text(const struct prof *prof, const struct prof_label *label);

#endif
