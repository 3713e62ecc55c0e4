/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights: how many events samples stand for.
 *
 * A sample stands for as many events as the name of its file says (the period), and for those that
 * the file of weights has beyond that: "Weights" in oprofile-session(5).  Arrays of counts have
 * the samples of each class, and behind them the weights beyond the period.
 */
#ifndef PP_SELECT_WEIGHTS_H
#define PP_SELECT_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "classes.h"
#include "sample_list.h"

/* How many events a count of the file is; 1 of a file of samples. */
static inline uint64_t pp_weight_unit(const struct pp_sample_file *file)
{
	return file->is_weight && file->header.ctr_count ? file->header.ctr_count : 1;
}

/**
 * pp_weights_find - find the classes whose samples have weights of their own
 * @list: its files have classes
 * @classes: is_weighted of each is set
 *
 * Without them all samples of a class weigh the same.  So do those of an event without a period, if
 * a session of it has no weights: one that was made before there were any.
 */
void pp_weights_find(const struct pp_sample_list *list, struct pp_classes *classes);

/* Sets the unit of stack files of weights: that of the sample files of their session and class. */
void pp_weight_units_find(struct pp_sample_list *list);

/* The weight of @counts in a class: events, or samples if the class is not weighted. */
uint64_t pp_weight(const struct pp_classes *classes, const uint64_t *counts, size_t class);

/* Whether it is known how many events samples of a class stand for. */
bool pp_events_are_known(const struct pp_classes *classes, size_t class);

/* The events that @counts stand for in a class of which that is known. */
uint64_t pp_events(const struct pp_classes *classes, const uint64_t *counts, size_t class);

/* Whether samples of a class stand for different numbers of events. */
bool pp_weights_differ(const struct pp_classes *classes, const uint64_t *totals, size_t class);

/* The weight of @part in percent of that of @whole. */
double pp_weight_share(const struct pp_classes *classes, const uint64_t *part,
		       const uint64_t *whole, size_t class);

/* Adds the counts and weights of all classes. */
void pp_counts_add(const struct pp_classes *classes, uint64_t *sums, const uint64_t *counts);

#endif
