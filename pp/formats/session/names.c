// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of images and events in a session: see names.h.
 */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "libop/session/paths.h"
#include "libop/text/cells.h"
#include "pp/symbols/image_name.h"

#define NONE UINT32_MAX

/* Bounds of the counts of weights and samples of an event, so that few of them exceed 32 bits: each
 * 2^32 take a node of a sample file. */
#define COUNTED_MOST (UINT64_C(1) << 44)
#define SAMPLES_MOST (UINT64_C(1) << 40)

/* Of one stack, so that the sum of some stays below 2^64: 146 years in ns. */
#define WEIGHT_MOST (UINT64_C(1) << 62)

__extension__ typedef unsigned __int128 wide;

static char *event_name(const struct prof_event *event)
{
	char *name = op_copy(*event->name ? event->name : "event");

	for (char *p = name; *p; p++)
		if (strchr("./", *p) || (unsigned char)*p <= ' ')
			*p = '_';
	return name;
}

static uint64_t event_period(const struct prof_event *event, const struct prof_value *total)
{
	/* a recorder that adapts the period, or one that tells only the sums */
	if (!event->period && total->count && total->events > total->count)
		return (total->events + total->count / 2) / total->count;
	return event->period;
}

static void name_event(struct session_event *named, const struct prof_event *event,
		       const struct prof_value *total)
{
	named->name = event_name(event);
	named->count = event_period(event, total);
	named->is_plain = !event->period && total->events == total->count;
	named->unit = 1;
	while (total->events / named->unit > COUNTED_MOST)
		named->unit *= 2;
	named->sample_unit = 1;
	while (total->count / named->sample_unit > SAMPLES_MOST)
		named->sample_unit *= 2;
	if (named->sample_unit > 1) {
		named->count = 0;
		named->is_plain = false;
	}
}

/* Weights are what is beyond the period: where a stack weighs less, there is no period. */
static void judge_periods(struct session_names *names, const struct prof *prof)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	while (prof_next_values(prof, &cursor, &sample))
		for (size_t i = 0; i < sample.n_values; i++) {
			const struct prof_value *value = &sample.values[i];
			struct session_event *event = &names->events[value->event];

			if (value->events < (wide)value->count * event->count)
				event->count = 0;
			event->is_plain &= value->events == value->count;
		}
	prof_cursor_free(&cursor);
}

const struct op_image_name *session_app_of(const struct session_names *names, uint32_t app,
					   uint32_t image)
{
	if (app <= PROF_NO_KERNEL_IMAGE && names->images[image].kind != OP_IMAGE_ANON)
		return &names->images[image];
	return &names->apps[app];
}

uint64_t session_samples(const struct session_event *event, uint64_t samples)
{
	return samples / event->sample_unit + (samples % event->sample_unit != 0);
}

uint64_t session_weight(const struct session_event *event, const struct prof_value *value)
{
	wide counted = (wide)value->count * (event->is_plain ? 1 : event->count);
	uint64_t weight = value->events > counted ? value->events - (uint64_t)counted : 0;

	return weight < WEIGHT_MOST ? weight : WEIGHT_MOST;
}

uint64_t session_in_units(uint64_t weight, uint64_t unit)
{
	return weight / unit + (weight % unit >= unit - unit / 2);
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
	struct op_line line = {0};

	*name = session_image_name(image);
	if (image->kind != PROF_FILE || !image->build_id_length)
		return;
	if (*first == NONE || images[*first].kind != PROF_FILE ||
	    strcmp(images[*first].path, image->path) != 0) {
		*first = number;
		return;
	}
	op_line_puts(&line, "/[changed ");
	for (unsigned int i = 0; i < 8 && i < image->build_id_length; i++) {
		char digits[3];

		snprintf(digits, sizeof(digits), "%02x", image->build_id[i]);
		op_line_puts(&line, digits);
	}
	op_line_puts(&line, "]");
	op_line_puts(&line, name->name);
	op_line_add(&line, "", 1);
	free(name->name);
	name->name = op_copy(line.text);
	op_line_free(&line);
}

/* The name of a file, with @mark before its path: below /[named], what is no file stays none. */
static char *mark_name(const char *name, const char *mark)
{
	size_t n = pp_image_is_named(name) ? strlen(PP_NAMED_IMAGE) : 0;

	return op_format("%.*s/%s%s", (int)n, name, mark, name + n);
}

/*
 * Kernel and user code of one path, such as what a recording calls "[unknown]", have keys of their
 * own, and callers are looked up in other ways.  The names of both are one only if they are told
 * apart here.
 */
static void tell_kernel_apart(struct session_names *names, const struct prof *prof)
{
	struct op_hash by_name = {0};

	for (uint32_t i = 0, other; i < prof->n_images; i++) {
		struct op_image_name *name = &names->images[i];
		bool is_kernel = prof->images[i].is_kernel, is_met = false, is_other = false;
		uint64_t hash = op_hash_text(0, name->name);
		char *marked;

		if (name->kind != OP_IMAGE_FILE)
			continue;
		op_hash_for_each_possible (&by_name, hash, other)
			if (!strcmp(names->images[other].name, name->name)) {
				is_met = true;
				is_other = prof->images[other].is_kernel != is_kernel;
			}
		if (is_other) {
			marked = mark_name(name->name, is_kernel ? "[kernel]" : "[user]");
			free(name->name);
			name->name = marked;
		} else if (!is_met) {
			op_hash_add_or_exit(&by_name, hash, i);
		}
	}
	op_hash_free(&by_name);
}

static struct op_image_name name_app(const struct session_names *names, const struct prof *prof,
				     uint32_t number)
{
	struct op_image_name name = session_app_name(&prof->images[number]);

	if (name.kind == OP_IMAGE_FILE && names->images[number].kind == OP_IMAGE_FILE) {
		free(name.name);
		name.name = op_copy(names->images[number].name);
	}
	return name;
}

struct op_image_name *session_names_of_images(const struct prof *prof)
{
	struct session_names names = {0};
	uint32_t first = NONE;

	names.images = op_alloc(prof->n_images, sizeof(*names.images));
	for (uint32_t i = 0; i < prof->n_images; i++)
		name_image(&names, prof, i, &first);
	tell_kernel_apart(&names, prof);
	return names.images;
}

void session_names_make(struct session_names *names, const struct prof *prof)
{
	names->images = session_names_of_images(prof);
	names->apps = op_alloc(prof->n_images, sizeof(*names->apps));
	names->texts = op_alloc(prof->n_images, sizeof(*names->texts));
	names->events = op_alloc(prof->n_events, sizeof(*names->events));
	for (uint32_t i = 0; i < prof->n_images; i++) {
		names->apps[i] = name_app(names, prof, i);
		names->texts[i] = op_image_name_make(&names->images[i]);
		if (!names->texts[i])
			names->texts[i] = op_copy("{kern}/" OP_UNKNOWN_IMAGE);
	}
	for (uint32_t i = 0; i < prof->n_events; i++)
		name_event(&names->events[i], &prof->events[i], &prof->totals[i]);
	judge_periods(names, prof);
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
