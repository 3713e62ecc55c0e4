/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What images and events of a profile are called in the session that is made of it.
 */
#ifndef PP_FORMATS_SESSION_NAMES_H
#define PP_FORMATS_SESSION_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/session/sample_name.h"
#include "pp/formats/model/profile.h"

struct session_event {
	char *name;
	uint64_t count; /* the period; 0 if samples of any stack weigh less than that */
	bool is_plain;	/* samples have no period, and each stands for one event: no weights */
	uint64_t unit;	/* events that a count of its files of weights is: a power of two */
	/* Samples that a count of its sample files is: 1, or a power of two if they are so many
	 * that a few bytes would become gigabytes; then their whole weight is in the weights. */
	uint64_t sample_unit;
};

/* Images and events have the numbers that they have in the profile. */
struct session_names {
	struct op_image_name *images, *apps; /* the same images, as they are and as programs */
	char **texts;			     /* of @images, as op_image_name_make() makes them */
	struct session_event *events;
};

void session_names_make(struct session_names *names, const struct prof *prof);
void session_names_free(struct session_names *names, const struct prof *prof);

/* The program of samples of a context's application @app in @image: what has none, is its own. */
const struct op_image_name *session_app_of(const struct session_names *names, uint32_t app,
					   uint32_t image);

/* The names of the images alone, by number; the caller frees the array and each text. */
struct op_image_name *session_names_of_images(const struct prof *prof);

/* The count of @samples in sample files; 0 of 0 only. */
uint64_t session_samples(const struct session_event *event, uint64_t samples);

/* What @value weighs beyond its samples at the period. */
uint64_t session_weight(const struct session_event *event, const struct prof_value *value);

/* A weight in units, rounded. */
uint64_t session_in_units(uint64_t weight, uint64_t unit);

#endif
