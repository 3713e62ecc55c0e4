/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What images and events of a profile are called in the session that is made of it.
 */
#ifndef PP_FORMATS_SESSION_NAMES_H
#define PP_FORMATS_SESSION_NAMES_H

#include <stdint.h>

#include "libop/session/sample_name.h"
#include "pp/formats/model/profile.h"

struct session_event {
	char *name;
	uint64_t count;
};

/* Images and events have the numbers that they have in the profile. */
struct session_names {
	struct op_image_name *images, *apps; /* the same images, as they are and as programs */
	char **texts;			     /* of @images, as op_image_name_make() makes them */
	struct session_event *events;
};

void session_names_make(struct session_names *names, const struct prof *prof);
void session_names_free(struct session_names *names, const struct prof *prof);

/* The name, count and unit mask of an event in sample files; the name is the caller's to free. */
char *session_event_name(const struct prof *prof, uint32_t event, uint64_t *count);

#endif
