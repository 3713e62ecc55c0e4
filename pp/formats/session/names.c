// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of images and events in a session: see session_names.h.
 */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "libop/base/memory.h"
#include "libop/text/cells.h"

#define NONE UINT32_MAX

char *session_event_name(const struct prof *prof, uint32_t number, uint64_t *count)
{
	const struct prof_event *event = &prof->events[number];
	const struct prof_value *total = &prof->totals[number];
	char *name = pp_copy(*event->name ? event->name : "event");

	for (char *p = name; *p; p++)
		if (strchr("./", *p) || (unsigned char)*p <= ' ')
			*p = '_';
	*count = event->period;
	/* a recorder that adapts the period: the sum of events stays about the same */
	if (!*count && total->count && total->events > total->count)
		*count = (total->events + total->count / 2) / total->count;
	return name;
}

/*
 * A name never stands for two files.  Images with one path stand together; of those with
 * another build-id than the first one that has any, the name says which they are.
 */
static void name_image(struct session_names *names, const struct prof *prof, uint32_t number,
		       uint32_t *first)
{
	const struct prof_image *images = prof->images, *image = &images[number];
	struct op_image_name *name = &names->images[number];
	struct pp_line line = {0};

	*name = session_image_name(image);
	if (image->kind != PROF_FILE || !image->build_id_length)
		return;
	if (*first == NONE || images[*first].kind != PROF_FILE ||
	    strcmp(images[*first].path, image->path) != 0) {
		*first = number;
		return;
	}
	pp_line_puts(&line, "/[changed ");
	for (unsigned int i = 0; i < 8 && i < image->build_id_length; i++) {
		char digits[3];

		snprintf(digits, sizeof(digits), "%02x", image->build_id[i]);
		pp_line_puts(&line, digits);
	}
	pp_line_puts(&line, "]");
	pp_line_puts(&line, name->name);
	pp_line_add(&line, "", 1);
	free(name->name);
	name->name = pp_copy(line.text);
	pp_line_free(&line);
}

static struct op_image_name name_app(const struct session_names *names, const struct prof *prof,
				     uint32_t number)
{
	struct op_image_name name = session_app_name(&prof->images[number]);

	if (name.kind == OP_IMAGE_FILE && names->images[number].kind == OP_IMAGE_FILE) {
		free(name.name);
		name.name = pp_copy(names->images[number].name);
	}
	return name;
}

void session_names_make(struct session_names *names, const struct prof *prof)
{
	uint32_t first = NONE;

	names->images = pp_alloc(prof->n_images, sizeof(*names->images));
	names->apps = pp_alloc(prof->n_images, sizeof(*names->apps));
	names->texts = pp_alloc(prof->n_images, sizeof(*names->texts));
	names->events = pp_alloc(prof->n_events, sizeof(*names->events));
	for (uint32_t i = 0; i < prof->n_images; i++) {
		name_image(names, prof, i, &first);
		names->apps[i] = name_app(names, prof, i);
		names->texts[i] = op_image_name_make(&names->images[i]);
		if (!names->texts[i])
			names->texts[i] = pp_copy("{kern}/" SESSION_UNKNOWN);
	}
	for (uint32_t i = 0; i < prof->n_events; i++)
		names->events[i].name = session_event_name(prof, i, &names->events[i].count);
}

void session_names_free(struct session_names *names, const struct prof *prof)
{
	for (size_t i = 0; i < prof->n_images; i++) {
		free(names->images[i].name);
		free(names->apps[i].name);
		free(names->texts[i]);
	}
	for (size_t i = 0; i < prof->n_events; i++)
		free(names->events[i].name);
	free(names->images);
	free(names->apps);
	free(names->texts);
	free(names->events);
}
