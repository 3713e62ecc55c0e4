// SPDX-License-Identifier: GPL-2.0-or-later
/* What has a name in a profile: see tables.h. */
#include "tables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/memory.h"
#include "libop/tables/name_index.h"
#include "pp/symbols/image_name.h"

/* ---- texts ---- */

static uint64_t hash_text(const char *text)
{
	return op_hash_text(0, text);
}

uint32_t tables_string(struct prof_sink *sink, const char *text)
{
	struct prof_tables *tables = tables_of(sink);
	struct prof *prof = &tables->prof;
	uint64_t hash = hash_text(text);
	uint32_t id;

	op_hash_for_each_possible (&tables->by_string, hash, id)
		if (!strcmp(prof->strings[id], text))
			return id;
	id = (uint32_t)prof->n_strings++;
	prof->strings = op_grow(prof->strings, &tables->strings_capacity, prof->n_strings,
				sizeof(*prof->strings));
	prof->strings[id] = op_copy(text);
	op_hash_add_or_exit(&tables->by_string, hash, id);
	return id;
}

const char *tables_keep(struct prof_sink *sink, const char *text)
{
	uint32_t id;

	if (!text)
		return NULL;
	id = tables_string(sink, text); /* may move the strings */
	return tables_of(sink)->prof.strings[id];
}

/* ---- events ---- */

static uint64_t hash_event(const struct prof_event *event)
{
	return op_hash_mix(op_hash_mix(hash_text(event->name), event->period), event->unit_mask);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_event(const struct prof_event *a, const struct prof_event *b)
{
	return !strcmp(a->name, b->name) && same_text(a->unit, b->unit) && a->period == b->period &&
	       a->frequency == b->frequency && a->unit_mask == b->unit_mask && a->code == b->code &&
	       a->type == b->type && a->is_negative == b->is_negative;
}

uint32_t tables_event(struct prof_sink *sink, const struct prof_event *event)
{
	struct prof_tables *tables = tables_of(sink);
	struct prof *prof = &tables->prof;
	struct prof_event *copy;
	uint64_t hash = hash_event(event);
	uint32_t id;

	op_hash_for_each_possible (&tables->by_event, hash, id)
		if (same_event(&prof->events[id], event))
			return id;
	id = (uint32_t)prof->n_events++;
	prof->events = op_grow(prof->events, &tables->events_capacity, prof->n_events,
			       sizeof(*prof->events));
	copy = &prof->events[id];
	*copy = *event;
	copy->name = tables_keep(sink, event->name);
	copy->unit = tables_keep(sink, event->unit);
	prof->totals = op_grow(prof->totals, &tables->totals_capacity, prof->n_events,
			       sizeof(*prof->totals));
	prof->totals[id] = (struct prof_value){.event = id};
	op_hash_add_or_exit(&tables->by_event, hash, id);
	return id;
}

/* ---- images ---- */

static bool has_place(const struct prof_image *image)
{
	return image->kind == PROF_ANON;
}

static uint64_t hash_image(const struct prof_image *image)
{
	uint64_t hash = op_hash_mix(hash_text(image->path), image->kind);

	return has_place(image) ? op_hash_mix(op_hash_mix(hash, (uint64_t)image->pid), image->start)
				: hash;
}

int tables_compare_build_ids(const struct prof_image *a, const struct prof_image *b)
{
	if (a->build_id_length != b->build_id_length)
		return a->build_id_length < b->build_id_length ? -1 : 1;
	return memcmp(a->build_id, b->build_id, a->build_id_length);
}

static bool same_image(const struct prof_image *a, const struct prof_image *b)
{
	return a->kind == b->kind && a->is_kernel == b->is_kernel && !strcmp(a->path, b->path) &&
	       !tables_compare_build_ids(a, b) &&
	       (!has_place(a) || (a->pid == b->pid && a->start == b->start));
}

static void limit_build_id(struct prof_image *image)
{
	if (image->build_id_length > PROF_BUILD_ID_MOST)
		image->build_id_length = PROF_BUILD_ID_MOST;
	memset(image->build_id + image->build_id_length, 0,
	       PROF_BUILD_ID_MOST - image->build_id_length);
}

uint32_t tables_image(struct prof_sink *sink, const struct prof_image *given)
{
	struct prof_tables *tables = tables_of(sink);
	struct prof *prof = &tables->prof;
	struct prof_image image = *given;
	uint64_t hash;
	uint32_t id;

	limit_build_id(&image);
	if (!has_place(&image))
		image.pid = PROF_ANY;
	hash = hash_image(&image);
	op_hash_for_each_possible (&tables->by_image, hash, id)
		if (same_image(&prof->images[id], &image))
			return id;
	id = (uint32_t)prof->n_images++;
	prof->images = op_grow(prof->images, &tables->images_capacity, prof->n_images,
			       sizeof(*prof->images));
	image.path = tables_keep(sink, image.path);
	prof->images[id] = image;
	op_hash_add_or_exit(&tables->by_image, hash, id);
	return id;
}

void tables_build_id(struct prof_sink *sink, const struct prof_image *given)
{
	struct prof_tables *tables = tables_of(sink);
	struct prof *prof = &tables->prof;
	struct prof_image wanted = *given, *image;
	uint64_t hash;
	uint32_t id;

	limit_build_id(&wanted);
	hash = hash_image(&wanted);
	op_hash_for_each_possible (&tables->by_image, hash, id) {
		image = &prof->images[id];
		if (image->kind != wanted.kind || strcmp(image->path, wanted.path) ||
		    image->build_id_length)
			continue;
		image->build_id_length = wanted.build_id_length;
		memcpy(image->build_id, wanted.build_id, sizeof(image->build_id));
	}
}

/* ---- lines ---- */

static const struct place_lines *tables_find_place(const struct prof_tables *tables,
						   const struct prof_frame *place)
{
	uint64_t hash = tables_hash_frame(place);
	uint32_t id;

	op_hash_for_each_possible (&tables->by_place, hash, id)
		if (tables->places[id].place.image == place->image &&
		    tables->places[id].place.offset == place->offset)
			return &tables->places[id];
	return NULL;
}

/* Whether places of an image have numbers that its reader gave them, and no offsets. */
static bool tables_is_numbered(const struct prof_image *image)
{
	return image->kind == PROF_UNKNOWN || pp_image_is_named(image->path);
}

uint64_t tables_free_place(struct prof_sink *sink)
{
	return tables_of(sink)->free_place;
}

/* Leaf and return address have an offset each. */
static void take_free_place(struct prof_tables *tables, const struct prof_frame *place)
{
	if (place->image > PROF_NO_KERNEL_IMAGE && place->offset < UINT32_MAX - 1 &&
	    tables_is_numbered(&tables->prof.images[place->image]) &&
	    place->offset >= tables->free_place)
		tables->free_place = (place->offset & ~UINT64_C(1)) + 2;
}

void tables_lines(struct prof_sink *sink, const struct prof_frame *place,
		  const struct prof_line *lines, size_t n)
{
	struct prof_tables *tables = tables_of(sink);
	struct place_lines *known;
	uint32_t id;

	if (!n || tables_find_place(tables, place))
		return;
	id = (uint32_t)tables->n_places++;
	tables->places = op_grow(tables->places, &tables->places_capacity, tables->n_places,
				 sizeof(*tables->places));
	known = &tables->places[id];
	*known = (struct place_lines){.place = *place, .n = n};
	known->lines = op_alloc(n, sizeof(*known->lines));
	for (size_t i = 0; i < n; i++) {
		known->lines[i] = lines[i];
		known->lines[i].function = tables_keep(sink, lines[i].function);
		known->lines[i].system_name = tables_keep(sink, lines[i].system_name);
		known->lines[i].file = tables_keep(sink, lines[i].file);
	}
	op_hash_add_or_exit(&tables->by_place, tables_hash_frame(place), id);
	take_free_place(tables, place);
}

size_t prof_lines(const struct prof *prof, const struct prof_frame *place,
		  const struct prof_line **lines)
{
	const struct place_lines *known =
		tables_find_place((const struct prof_tables *)prof, place);

	*lines = known ? known->lines : NULL;
	return known ? known->n : 0;
}

static bool is_image_alone(const struct prof_image *image)
{
	if (image->kind == PROF_UNKNOWN || image->kind == PROF_ANON)
		return true;
	return image->kind == PROF_FILE && access(image->path, F_OK);
}

size_t prof_names_alone(const struct prof *prof, size_t *n_images)
{
	const struct prof_tables *tables = (const struct prof_tables *)prof;
	enum {
		NOT_LOOKED_AT,
		ALONE,
		NOT_ALONE
	} *images = op_alloc(prof->n_images, sizeof(*images));
	struct op_names names = {0};
	size_t n;

	*n_images = 0;
	for (size_t i = 0; i < tables->n_places; i++) {
		const struct place_lines *place = &tables->places[i];
		uint32_t image = place->place.image;

		if (images[image] == NOT_LOOKED_AT) {
			images[image] = is_image_alone(&prof->images[image]) ? ALONE : NOT_ALONE;
			*n_images += images[image] == ALONE;
		}
		for (size_t k = 0; images[image] == ALONE && k < place->n; k++)
			op_names_index(&names, place->lines[k].function);
	}
	n = names.n;
	op_names_free(&names);
	free(images);
	return n;
}

void tables_renumber(struct prof_tables *tables, const uint32_t *image_rank)
{
	struct prof *prof = &tables->prof;

	op_hash_free(&tables->by_image);
	op_hash_free(&tables->by_place);
	for (uint32_t i = 0; i < prof->n_images; i++)
		op_hash_add_or_exit(&tables->by_image, hash_image(&prof->images[i]), i);
	for (uint32_t i = 0; i < tables->n_places; i++) {
		struct prof_frame *place = &tables->places[i].place;

		place->image = image_rank[place->image];
		op_hash_add_or_exit(&tables->by_place, tables_hash_frame(place), i);
	}
}
