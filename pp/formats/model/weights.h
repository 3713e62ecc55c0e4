/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number that a format with one number for each stack has. */
#ifndef PP_FORMATS_MODEL_WEIGHTS_H
#define PP_FORMATS_MODEL_WEIGHTS_H

#include <stdbool.h>

#include "profile.h"

/**
 * prof_weights - which events are to be counted in events, not in samples
 * @want_samples: none is
 *
 * These are the events whose samples do not all stand for one number of events, such as times and
 * what a recorder adapts the period of, and bytes.  Samples of the others say the same in smaller
 * numbers.
 *
 * Return: a truth for each event, which the caller frees.
 */
bool *prof_weights(const struct prof *prof, bool want_samples);

/* Whether there are values below 0. */
bool prof_is_signed(const struct prof *prof);

#define PROF_NO_EVENT UINT32_MAX

/* By event: the one of its name whose values have the other sign, or PROF_NO_EVENT.  The caller
 * frees the array. */
uint32_t *prof_opposites(const struct prof *prof);

/* The number of a value: @weights as prof_weights() returned them. */
static inline uint64_t prof_number(const bool *weights, const struct prof_value *value)
{
	return weights[value->event] ? value->events : value->count;
}

#endif
